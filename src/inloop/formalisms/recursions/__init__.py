"""Recursions over the tree: motion, inverse and direct dynamics, mass matrix, energy."""
