"""Files that describe a mechanism: URDF, MJCF, SDF and ROBOTRAN .mbs."""

from inloop.io.load import load
from inloop.io.mjcf.reader import MjcfData, MjcfOptions
from inloop.io.robotran.reader import RobotranData, RobotranOptions
from inloop.io.sdf.reader import SdfData, SdfOptions
from inloop.io.urdf.reader import UrdfData, UrdfOptions

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
