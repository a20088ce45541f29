"""Pictures of mechanisms and results: still images, animations, and notebook output."""
