"""Description of a mechanism: the builder, and the frozen mechanism it builds."""

from inloop.joints import JointSpec
from inloop.joints.kinds.ball import ball
from inloop.joints.kinds.fixed import fixed
from inloop.joints.kinds.prismatic import prismatic
from inloop.joints.kinds.revolute import revolute
from inloop.model.builder import ModelBuilder
from inloop.model.checks.modes import check_machine
from inloop.model.constraints.elements import Constraint, Coupling, Drive, Loop
from inloop.model.contacts.contact import Contact
from inloop.model.contacts.friction import FrictionLaw, coulomb_contact, lugre_contact
from inloop.model.contacts.hard import Hard, HardStop, hard
from inloop.model.contacts.laws import NormalLaw, felt, hunt_crossley, power_law
from inloop.model.controllers.controller import CFunction, gain
from inloop.model.controllers.in_c import c_controller
from inloop.model.elements import Attachment, Attitude, Body, Frame, Ground, Joint, Part, Point
from inloop.model.flexible_links.declaring import FlexibleLinkHandle
from inloop.model.flexible_links.flexible import FlexibleLink, Node
from inloop.model.geometry import Matrix3, Pose, Scalar, Vector3
from inloop.model.handles import BodyHandle, FrameHandle, Handle, PointHandle
from inloop.model.joints import cylindrical, free, planar, universal
from inloop.model.laws.coefficients import AtLeastOne, NotNegative, Positive, Share
from inloop.model.laws.effects import (
    AnyLaw,
    CoupledForce,
    ExternalForce,
    Force,
    FrameForce,
    JointForce,
    JointInput,
    LawOutput,
    LawState,
    LineForce,
    Torque,
)
from inloop.model.mechanism import Mechanism
from inloop.model.modes.elements import Event, Lock, Mode, Quantity
from inloop.model.parameters import Defaults, Input, Parameter
from inloop.model.rotations import axis_angle, rpy
from inloop.model.sensors import Sensor, SensorKind, SensorSpec, Signal
from inloop.model.topology import GROUND

__all__ = [
    "GROUND", "AnyLaw", "AtLeastOne", "Attachment", "Attitude", "Body", "BodyHandle", "CFunction",
    "Constraint", "Contact", "CoupledForce", "Coupling", "Defaults", "Drive", "Event",
    "ExternalForce", "FlexibleLink", "FlexibleLinkHandle", "Force", "Frame", "FrameForce",
    "FrameHandle", "FrictionLaw", "Ground", "Handle", "Hard", "HardStop", "Input", "Joint",
    "JointForce", "JointInput", "JointSpec", "LawOutput", "LawState", "LineForce", "Lock", "Loop",
    "Matrix3", "Mechanism", "Mode", "ModelBuilder", "Node", "NormalLaw", "NotNegative", "Parameter",
    "Part", "Point", "PointHandle", "Pose", "Positive", "Quantity", "Scalar", "Sensor",
    "SensorKind", "SensorSpec", "Share", "Signal", "Torque", "Vector3", "axis_angle", "ball",
    "c_controller", "check_machine", "coulomb_contact", "cylindrical", "felt", "fixed", "free",
    "gain", "hard", "hunt_crossley", "lugre_contact", "planar", "power_law", "prismatic",
    "revolute", "rpy", "universal",
]  # fmt: skip
