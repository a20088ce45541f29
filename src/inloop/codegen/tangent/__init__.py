"""Programs with directional derivatives along several directions at once, as C."""
