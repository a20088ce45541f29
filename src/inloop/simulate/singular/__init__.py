"""Runs through and past singular positions of loops."""
