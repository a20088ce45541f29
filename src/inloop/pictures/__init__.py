"""Pictures of mechanisms and of results: still ones, moving ones, and what notebooks show."""
