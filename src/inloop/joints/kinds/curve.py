"""A joint of one's own: a body follows a curve, and turns as it goes."""

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
    """R_JC = Rx Ry Rz by the angles `turn`, p_JC = `path`."""

    path: Any = field(metadata={"components": 3})
    turn: Any = field(default=_stays, metadata={"components": 3})
    dimension: Dimension = LENGTH
    turns: bool = False

    name = "curve"
    letter = "c"
    slides = True

    def transform(self, q: Expr) -> Transform:
        """A place on the curve."""
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
    """Let a body follow a curve; q is its place on it.

    Args:
        path: takes q and returns x, y, z of the body's origin, in the frame it hangs on [m]. Both
            functions are traced once; they may use parameters, and must have two derivatives.
        turn: takes q and returns three angles [rad]: the body is turned about x, then about its own
            y, then about its own z. Without it the body keeps its orientation.
        unit: of q: "m", such as the length of the curve, or "rad".
        name: name of the coordinate; the body's name if not given.
        limits: lowest and highest q.
        initial: q and qd at the start, or q alone; zero if not given. Loops keep what is given
            here.
        guess: about where q starts, for a joint whose position follows from loops.
        armature: inertia of the drive seen at the coordinate [kg or kg·m²].
    """
    dimension = ANGLE if unit == "rad" else LENGTH
    kind = Curve(path, turn or _stays, dimension, turn is not None)
    return JointSpec(kind, "z", name, limits, initial, armature, guess)
