"""Import of ROBOTRAN models (.mbs)."""
