"""Force laws: tracing of what a person wrote, ready-made elements, friction in joints."""
