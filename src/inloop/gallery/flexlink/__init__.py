"""A flexible link on a motor: a test bench for controllers, with controllers and experiments."""
