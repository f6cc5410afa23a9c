"""whichgpu: answers questions on GPUs for deep learning, from curated facts, a catalogue and dated prices."""

__version__ = "0.1.0"
