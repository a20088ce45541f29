"""C text → shared library: compiler, flags, cache."""
