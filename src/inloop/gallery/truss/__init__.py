"""A mast of bars and ball joints that unfolds: many loops in space."""
