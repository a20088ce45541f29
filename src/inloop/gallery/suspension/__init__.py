"""The suspension: its model and its looks."""
