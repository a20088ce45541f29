"""Checks of a model: all mistakes are found and reported at once."""
