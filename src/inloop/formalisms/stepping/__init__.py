"""Derivatives and implicit steps."""
