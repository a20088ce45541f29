"""The PUMA 560: its model and its looks."""
