"""Sparse matrices that repeat themselves: blocks alike, and steps of elimination alike."""
