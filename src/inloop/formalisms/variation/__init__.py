"""Sensitivity of the motion of a mechanism to its state, inputs and parameters."""
