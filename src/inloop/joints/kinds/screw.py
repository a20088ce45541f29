"""The screw joint: a rotation about an axis coupled with a translation along it."""

from __future__ import annotations

from dataclasses import dataclass, field

from inloop.joints.dimension import ANGLE
from inloop.joints.kind import JointKind, Transform, Z
from inloop.joints.spec import Axis, Initial, JointSpec, Pair
from inloop.symbolic import Expr, Scalar


@dataclass(frozen=True)
class Screw(JointKind):
    """R_JC = Rz(q), p_JC = pitch q z."""

    pitch: Scalar = field(metadata={"unit": "m/rad"})

    name = "screw"
    letter = "s"
    dimension = ANGLE
    turns = True
    slides = True

    def transform(self, q: Expr) -> Transform:
        """A rotation by q and a translation by pitch q."""
        zero = q.graph.zero
        return Transform(((Z, q),), (zero, zero, self.pitch * q))


def screw(
    axis: Axis,
    pitch: Scalar,
    *,
    name: str | None = None,
    limits: Pair | None = None,
    initial: Initial | None = None,
    guess: float | None = None,
    armature: Scalar = 0.0,
) -> JointSpec:
    """Let a body rotate about an axis and advance along it; q is the angle [rad].

    Args:
        axis: "x", "y", "z", "-x", ... or any three numbers, in the parent frame.
        pitch: advance along the axis per angle [m/rad]: the lead of the thread over 2π, negative
            for a left-hand thread. May be an expression of parameters.
        name: name of the coordinate; default: the body's name.
        limits: minimum and maximum q [rad].
        initial: initial q [rad] and qd [rad/s], or q alone; default: zero. Loop closure keeps
            values given here.
        guess: approximate initial q [rad], for a joint whose position follows from loops.
        armature: inertia of the drive reflected to the joint, added to the diagonal of M [kg·m²].
    """
    return JointSpec(Screw(pitch), axis, name, limits, initial, armature, guess)
