"""Flexible links: finite-element beams in the frame at their root."""
