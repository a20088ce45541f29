"""How the motion of a mechanism changes with its state, its inputs and its parameters."""
