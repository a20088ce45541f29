"""Experiments with the grand-piano action, some compared with measurements of real ones."""
