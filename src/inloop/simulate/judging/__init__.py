"""Whether a run is trustworthy: energy balance, loops, step size versus stiffness."""
