"""A robot arm that hits a block, and presses on it."""
