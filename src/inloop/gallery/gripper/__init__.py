"""A gripper that lifts a ball by dry friction."""
