"""A haptic device at a plant: motor, handle, coupling, and how stiff it may be."""
