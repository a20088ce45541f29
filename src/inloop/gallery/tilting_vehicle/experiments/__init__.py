"""Experiments with the tilting vehicle: steady turns, a slalom, a swerve."""
