"""A double pendulum that swings against a wall."""
