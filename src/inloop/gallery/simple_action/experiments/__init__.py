"""What the source tried with its models: a hand on the key, a device that displays the action."""
