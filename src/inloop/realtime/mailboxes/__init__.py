"""The shared memory between a loop and its controllers: create, find, read and write."""
