"""A grand-piano action: its data, model, looks and experiments."""
