"""Models of ROBOTRAN (.mbs)."""
