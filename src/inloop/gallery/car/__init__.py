"""The car: its model, looks, drivers and experiments."""
