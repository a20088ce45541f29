"""Force laws in the equations, and the quantities they need from other elements."""
