"""A haptic device at a plant: motor, handle, coupling, and its stable stiffness."""
