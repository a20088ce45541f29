"""What can be tried with the grand-piano action; the measurements beside it are of real ones."""
