"""Sensors as they are: what they add to what an ideal one tells."""
