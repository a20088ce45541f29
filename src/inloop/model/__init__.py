"""What a person writes about a mechanism: a builder, and the frozen mechanism it builds."""

from inloop.model.builder import ModelBuilder
from inloop.model.constraints import Constraint, Drive, Loop
from inloop.model.effects import (
    AnyLaw,
    ExternalForce,
    Force,
    FrameForce,
    JointForce,
    JointInput,
    LawOutput,
    LawState,
    Link,
    Torque,
)
from inloop.model.elements import Attachment, Body, Frame, Ground, Joint, Part, Point, Visual
from inloop.model.geometry import Matrix3, Pose, Scalar, Vector3
from inloop.model.handles import BodyHandle, FrameHandle, Handle, PointHandle
from inloop.model.joints import (
    JointSpec,
    ball,
    cylindrical,
    fixed,
    free,
    planar,
    prismatic,
    revolute,
    universal,
)
from inloop.model.mechanism import Mechanism
from inloop.model.parameters import Defaults, Input, Parameter
from inloop.model.rotations import axis_angle, rpy
from inloop.model.topology import GROUND

__all__ = [
    "GROUND", "AnyLaw", "Attachment", "Body", "BodyHandle", "Constraint", "Defaults", "Drive",
    "ExternalForce", "Force", "Frame", "FrameForce", "FrameHandle", "Ground", "Handle", "Input",
    "Joint", "JointForce", "JointInput", "JointSpec", "LawOutput", "LawState", "Link", "Loop",
    "Matrix3", "Mechanism", "ModelBuilder", "Parameter", "Part", "Point", "PointHandle", "Pose",
    "Scalar", "Torque", "Vector3", "Visual", "axis_angle", "ball", "cylindrical", "fixed", "free",
    "planar", "prismatic", "revolute", "rpy", "universal",
]  # fmt: skip
