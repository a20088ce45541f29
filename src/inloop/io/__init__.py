"""Files that describe a mechanism: URDF, MJCF, SDF and ROBOTRAN .mbs."""

from inloop.io.load import load
from inloop.io.mjcf import MjcfData, MjcfOptions
from inloop.io.robotran import RobotranData, RobotranOptions
from inloop.io.sdf import SdfData, SdfOptions
from inloop.io.urdf import UrdfData, UrdfOptions

__all__ = [
    "MjcfData",
    "MjcfOptions",
    "RobotranData",
    "RobotranOptions",
    "SdfData",
    "SdfOptions",
    "UrdfData",
    "UrdfOptions",
    "load",
]
