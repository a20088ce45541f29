"""Robots of ROS (URDF)."""
