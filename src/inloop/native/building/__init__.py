"""From C text to a shared library: compiler, flags, cache."""
