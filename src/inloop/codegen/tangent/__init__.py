"""Programs with derivatives along several directions at once, as C."""
