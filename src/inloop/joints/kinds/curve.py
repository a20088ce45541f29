"""The curve joint: a body follows a user-defined curve, optionally rotating along it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from inloop.joints.dimension import ANGLE, LENGTH, Dimension
from inloop.joints.kind import JointKind, Transform, X, Y, Z
from inloop.joints.spec import Initial, JointSpec, Pair
from inloop.symbolic import Expr, Scalar

Law = Callable[[Expr], Sequence[Scalar]]


def _stays(q: Expr) -> tuple[float, float, float]:
    return 0.0, 0.0, 0.0


@dataclass(frozen=True)
class Curve(JointKind):
    """R_JC = Rx Ry Rz with the angles `turn`, p_JC = `path`."""

    path: Any = field(metadata={"components": 3})
    turn: Any = field(default=_stays, metadata={"components": 3})
    dimension: Dimension = LENGTH
    turns: bool = False

    name = "curve"
    letter = "c"
    slides = True

    def transform(self, q: Expr) -> Transform:
        """A point on the curve."""
        about = zip((X, Y, Z), self.turn, strict=True)
        rotations = tuple((axis, angle) for axis, angle in about if angle is not q.graph.zero)
        return Transform(rotations, tuple(self.path))


def curve(
    path: Law,
    turn: Law | None = None,
    *,
    unit: Literal["m", "rad"] = "m",
    name: str | None = None,
    limits: Pair | None = None,
    initial: Initial | None = None,
    guess: float | None = None,
    armature: Scalar = 0.0,
) -> JointSpec:
    """Let a body follow a curve; q is its position on it.

    Args:
        path: takes q and returns x, y, z of the body's origin in the parent frame [m]. Both
            functions are traced once; they may use parameters, and must be twice differentiable.
        turn: takes q and returns three angles [rad]: the body is rotated about x, then about its
            own y, then about its own z. By default the body keeps its orientation.
        unit: unit of q: "m", e.g. for the arc length of the curve, or "rad".
        name: name of the coordinate; default: the body's name.
        limits: minimum and maximum q.
        initial: initial q and qd, or q alone; default: zero. Loop closure keeps values given here.
        guess: approximate initial q, for a joint whose position follows from loops.
        armature: inertia of the drive reflected to the coordinate [kg or kg·m²].
    """
    dimension = ANGLE if unit == "rad" else LENGTH
    kind = Curve(path, turn or _stays, dimension, turn is not None)
    return JointSpec(kind, "z", name, limits, initial, armature, guess)
