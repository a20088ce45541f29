"""Experiments of the source with its models: a hand on the key, a haptic display."""
