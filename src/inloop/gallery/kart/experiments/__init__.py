"""What can be tried with the kart: toe while the belt runs, and the cables of its steering."""
