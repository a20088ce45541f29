"""Modes, in which what restricts and drives a mechanism changes, and events between them."""
