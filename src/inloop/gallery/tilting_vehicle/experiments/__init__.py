"""What can be tried with the tilting vehicle: steady turns, a slalom, a swerve."""
