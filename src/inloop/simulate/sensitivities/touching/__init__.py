"""Derivatives of runs with hard contacts: the motion is repeated from event to event."""
