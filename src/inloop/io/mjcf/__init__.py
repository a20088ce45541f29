"""Import of MuJoCo models (MJCF)."""
