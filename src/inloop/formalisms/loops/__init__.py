"""Constraints of loops, drives and velocities, and the reduction to independent coordinates."""
