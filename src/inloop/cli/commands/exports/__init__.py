"""Forms of `inloop export`, one file each."""
