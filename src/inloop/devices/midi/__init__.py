"""Notes from the motion of a hammer, to a port or into a file."""
