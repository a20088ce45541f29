"""A plant that leaves Python: its files, and what they need of the runtime."""
