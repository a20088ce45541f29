"""Machines and instances in C, run from Python: their memory, steps and results."""
