"""Force laws in the equations, and what they need of the rest."""
