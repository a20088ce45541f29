"""Many runs of a plant on all cores."""
