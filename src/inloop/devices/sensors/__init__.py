"""Models of real sensors: errors added to ideal readings."""
