"""Derivatives of runs with hard contacts: the motion once more, from event to event."""
