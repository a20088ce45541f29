"""Files that describe a mechanism: URDF and ROBOTRAN .mbs."""

from inloop.io.load import load
from inloop.io.robotran import RobotranData, RobotranOptions
from inloop.io.urdf import UrdfData, UrdfOptions

__all__ = ["RobotranData", "RobotranOptions", "UrdfData", "UrdfOptions", "load"]
