"""A grand-piano action: its numbers, its model, its looks, and what can be tried with it."""
