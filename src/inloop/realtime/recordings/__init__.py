"""Recordings of plants that run: written, read, repaired and replayed."""
