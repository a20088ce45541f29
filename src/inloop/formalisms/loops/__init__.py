"""Constraints of loops, drives and velocities, and their reduction to independent coordinates."""
