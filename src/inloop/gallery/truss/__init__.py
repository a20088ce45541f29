"""A boom of bars and ball joints that swings from a hinge: many spatial loops."""
