"""Tools for those who work on whichgpu; nothing here is installed."""
