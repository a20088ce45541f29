"""Experiments with the car: turns, circles, torque on the hand."""
