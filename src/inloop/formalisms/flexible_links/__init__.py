"""Flexible links: beams by finite elements about the frame at their root."""
