"""Where bodies are, for pictures."""
