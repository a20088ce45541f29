"""Meshes and pictures of files: checked, read, mended."""
