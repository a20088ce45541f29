"""A rotor with flexible blades: they droop at rest and straighten as it spins."""
