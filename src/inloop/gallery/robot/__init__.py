"""The PUMA 560 as a plant for controllers, and controllers for it in Python and C."""
