"""Import of Gazebo models (SDF)."""
