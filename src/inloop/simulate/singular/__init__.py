"""Runs over and past singular positions of loops."""
