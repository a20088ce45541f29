"""What can be tried with the car: turns, circles, steering felt at the hand."""
