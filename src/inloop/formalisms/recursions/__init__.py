"""Recursions over the tree: motion, inverse and forward dynamics, mass matrix, energy."""
