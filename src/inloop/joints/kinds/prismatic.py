"""The prismatic joint: a translation along an axis."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.joints.dimension import LENGTH
from inloop.joints.kind import JointKind, Transform
from inloop.joints.spec import Axis, Initial, JointSpec, Pair
from inloop.symbolic import Expr, Scalar


@dataclass(frozen=True)
class Prismatic(JointKind):
    """R_JC = 1, p_JC = q z."""

    name = "prismatic"
    letter = "t"
    dimension = LENGTH
    turns = False
    slides = True
    urdf = ("prismatic",)

    def transform(self, q: Expr) -> Transform:
        """A translation by q."""
        zero = q.graph.zero
        return Transform((), (zero, zero, q))


def prismatic(
    axis: Axis,
    *,
    name: str | None = None,
    limits: Pair | None = None,
    initial: Initial | None = None,
    guess: float | None = None,
    armature: Scalar = 0.0,
) -> JointSpec:
    """Let a body slide along an axis; q is the displacement [m].

    Args:
        axis: "x", "y", "z", "-x", ... or any three numbers, in the parent frame.
        name: name of the coordinate; default: the body's name.
        limits: minimum and maximum q [m].
        initial: initial q [m] and qd [m/s], or q alone; default: zero. Loop closure keeps values
            given here.
        guess: approximate initial q [m], for a joint whose position follows from loops.
        armature: mass of the drive reflected to the joint, added to the diagonal of M [kg].
    """
    return JointSpec(Prismatic(), axis, name, limits, initial, armature, guess)
