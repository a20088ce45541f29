"""A chain that runs out of its pot and rises above it."""
