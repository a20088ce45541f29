"""Sparse factorizations as C: straight-line code and tables."""
