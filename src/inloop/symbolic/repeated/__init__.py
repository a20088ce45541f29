"""Sparse matrices with repeated structure: similar blocks and similar elimination steps."""
