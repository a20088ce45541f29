"""The PUMA 560 as a controller meets it, and controllers for it in Python and C."""
