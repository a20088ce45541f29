"""The wall of bricks: its model and its looks."""
