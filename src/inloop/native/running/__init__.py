"""Run machines and instances in C from Python: their memory, steps and results."""
