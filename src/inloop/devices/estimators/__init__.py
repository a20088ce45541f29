"""Velocity and acceleration from what a sensor tells."""
