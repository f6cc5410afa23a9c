"""The `whichgpu` command line and its console renderer."""
