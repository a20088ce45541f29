"""Checks of a model: everything that is wrong is found and told at once."""
