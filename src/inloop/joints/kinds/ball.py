"""The ball joint: rotation about a point, without singular positions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from inloop.errors import ModelError
from inloop.joints.dimension import ANGLE
from inloop.joints.kind import JointKind, Transform
from inloop.joints.kinds.revolute import revolute
from inloop.joints.quaternion import IDENTITY
from inloop.joints.spec import JointSpec
from inloop.symbolic import Expr, Scalar

LEAST = 1e-6  # shorter quaternions have no direction


@dataclass(frozen=True)
class Ball(JointKind):
    """One of the three rotations of a ball joint: R_JC is that of its unit quaternion.

    Attributes:
        axis: 0, 1 or 2: rotation about x, y or z of the body.
        first: the initial unit quaternion, the same for all three.
    """

    axis: int
    first: tuple[float, float, float, float] = field(default=IDENTITY)

    name = "ball"
    letter = "w"
    dimension = ANGLE
    turns = True
    slides = False

    @property
    def part(self) -> int:
        """Its index among the three."""
        return self.axis

    @property
    def attitude(self) -> tuple[float, float, float, float]:
        """The initial unit quaternion."""
        return self.first

    def transform(self, q: Expr) -> Transform:
        """Identity: the pose follows from the quaternion, q only integrates the rotation."""
        zero = q.graph.zero
        return Transform((), (zero, zero, zero))


def ball(
    *,
    initial: tuple[float, float, float, float] | None = None,
    rate: tuple[float, float, float] | None = None,
    armature: Scalar = 0.0,
    angles: bool = False,
) -> list[JointSpec]:
    """Let a body rotate freely about a point.

    Its velocities are the components of the angular velocity relative to the parent frame, in body
    axes: "<body>_wx", "<body>_wy", "<body>_wz" [rad/s]. Its attitude is a unit quaternion, four
    entries at the end of q: "<body>.qw", ".qx", ".qy", ".qz".

    Args:
        initial: the initial quaternion (w, x, y, z), which maps components in the body to those in
            the parent frame; it is normalized.
        rate: the initial angular velocity, in body axes [rad/s].
        armature: inertia added about each axis of the body [kg·m²].
        angles: use three revolute joints about x, y, z in sequence instead ("<body>_rx", ...),
            whose coordinates are angles; they are singular when the second is ±π/2.
    """
    if angles:
        if initial is not None:
            raise ModelError(
                "ball joint: angles=True cannot be combined with a quaternion in initial",
                fix="Write [revolute(axis, initial=...), ...] for angles that start elsewhere.",
            )
        speeds = (None, None, None) if rate is None else rate
        return [
            revolute(axis, initial=None if speed is None else (None, speed), armature=armature)
            for axis, speed in zip("xyz", speeds, strict=True)
        ]
    first = _unit(IDENTITY if initial is None else initial)
    # a declared attitude means zero initial rotations
    turn = None if initial is None else 0.0
    speeds = (None, None, None) if rate is None else _three(rate)
    return [
        JointSpec(Ball(k, first), axis, initial=(turn, speed), armature=armature)
        for k, (axis, speed) in enumerate(zip("xyz", speeds, strict=True))
    ]


def _unit(given: object) -> tuple[float, float, float, float]:
    try:
        w, x, y, z = (float(component) for component in given)  # type: ignore[attr-defined]
        length = math.hypot(w, x, y, z)
    except (TypeError, ValueError, OverflowError):
        length = math.nan
    if not LEAST <= length < math.inf:
        raise ModelError(
            f"ball joint: initial is {given!r}, not a quaternion",
            fix="Write four numbers (w, x, y, z), such as initial=(1, 0, 0, 0).",
        )
    return w / length, x / length, y / length, z / length


def _three(given: object) -> tuple[float, float, float]:
    try:
        a, b, c = (float(component) for component in given)  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        raise ModelError(
            f"ball joint: rate is {given!r}, not an angular velocity",
            fix="Write three numbers [rad/s] in the axes of the body.",
        ) from None
    return a, b, c
