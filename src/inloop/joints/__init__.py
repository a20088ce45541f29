"""Kinds of joints, one file each in `kinds`."""

from inloop.joints.dimension import ANGLE, LENGTH, NOTHING, Dimension
from inloop.joints.kind import JointKind, Traced, Transform
from inloop.joints.kinds import KINDS, WRITTEN
from inloop.joints.quaternion import Quaternion
from inloop.joints.spec import Axis, Initial, JointSpec, Pair

__all__ = [
    "ANGLE", "KINDS", "LENGTH", "NOTHING", "WRITTEN", "Axis", "Dimension", "Initial", "JointKind",
    "JointSpec", "Pair", "Quaternion", "Traced", "Transform",
]  # fmt: skip
