"""The revolute joint: a rotation about an axis."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.joints.dimension import ANGLE
from inloop.joints.kind import JointKind, Transform, Z
from inloop.joints.spec import Axis, Initial, JointSpec, Pair
from inloop.symbolic import Expr, Scalar


@dataclass(frozen=True)
class Revolute(JointKind):
    """R_JC = Rz(q), p_JC = 0."""

    name = "revolute"
    letter = "r"
    dimension = ANGLE
    turns = True
    slides = False
    urdf = ("revolute", "continuous")

    def transform(self, q: Expr) -> Transform:
        """A rotation by q."""
        zero = q.graph.zero
        return Transform(((Z, q),), (zero, zero, zero))


def revolute(
    axis: Axis,
    *,
    name: str | None = None,
    limits: Pair | None = None,
    initial: Initial | None = None,
    guess: float | None = None,
    armature: Scalar = 0.0,
) -> JointSpec:
    """Let a body rotate about an axis; q is the angle [rad].

    Args:
        axis: "x", "y", "z", "-x", ... or any three numbers, in the parent frame.
        name: name of the coordinate; default: the body's name.
        limits: minimum and maximum q [rad].
        initial: initial q [rad] and qd [rad/s], or q alone; default: zero. Loop closure keeps
            values given here.
        guess: approximate initial q [rad], for a joint whose position follows from loops.
        armature: inertia of the drive reflected to the joint, added to the diagonal of M [kg·m²].
    """
    return JointSpec(Revolute(), axis, name, limits, initial, armature, guess)
