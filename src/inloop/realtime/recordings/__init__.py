"""Recordings of running plants: write, read, repair and replay."""
