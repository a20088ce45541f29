"""Import of ROS robots (URDF)."""
