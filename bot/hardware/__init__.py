"""What hardware is: the GPU catalogue, names, performance and memory."""
