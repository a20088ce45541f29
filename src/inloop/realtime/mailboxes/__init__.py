"""The shared memory between a loop and its controllers: made, found, read and written."""
