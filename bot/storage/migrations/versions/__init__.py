"""One file a step; never changed once released."""
