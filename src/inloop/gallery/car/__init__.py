"""The car: its model and its looks."""
