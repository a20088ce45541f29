"""Velocity and acceleration estimated from sensor readings."""
