"""A narrow three-wheeler whose cabin tilts: sensors, a filter that fuses them, two controllers."""
