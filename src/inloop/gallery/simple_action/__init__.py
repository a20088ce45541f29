"""Simplified piano actions, models A and B of Gillespie and Cutkosky, and their experiments."""
