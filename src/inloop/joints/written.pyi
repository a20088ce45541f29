# Written by `python -m inloop.model.written_stubs`: add a file to kinds/ instead.

from inloop.joints.kinds.ball import ball
from inloop.joints.kinds.curve import curve
from inloop.joints.kinds.fixed import fixed
from inloop.joints.kinds.prismatic import prismatic
from inloop.joints.kinds.revolute import revolute
from inloop.joints.kinds.screw import screw

__all__ = [
    "ball",
    "curve",
    "fixed",
    "prismatic",
    "revolute",
    "screw",
]
