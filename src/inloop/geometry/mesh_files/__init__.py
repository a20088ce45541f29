"""Meshes and images from files: checked, read and repaired."""
