"""Models of Gazebo (SDF)."""
