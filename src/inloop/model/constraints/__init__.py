"""What restricts the motion: loops, constraints, driven joints."""
