"""Derivatives of the motion of a plant, compiled."""
