"""Fixed rotations as the user writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from inloop.model.geometry import NO_ROTATION, Matrix3, Scalar, folded, times_matrix
from inloop.model.intake import Intake, as_tuple
from inloop.model.names import quoted
from inloop.symbolic import Expr
from inloop.symbolic import functions as sf

if TYPE_CHECKING:
    import numpy as np

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class RollPitchYaw:
    """Rotation about fixed x, then y, then z: R = Rz(yaw) Ry(pitch) Rx(roll) [rad]."""

    roll: Scalar
    pitch: Scalar
    yaw: Scalar


@dataclass(frozen=True)
class AxisAngle:
    """Rotation by an angle [rad] about an axis."""

    axis: str | Sequence[float]
    angle: Scalar


Rotation: TypeAlias = "RollPitchYaw | AxisAngle | Sequence[Sequence[Scalar]] | np.ndarray | None"


def rpy(roll: Scalar, pitch: Scalar, yaw: Scalar) -> RollPitchYaw:
    """Rotate about the fixed axes x, y, z in this order, as in URDF [rad]."""
    return RollPitchYaw(roll, pitch, yaw)


def axis_angle(axis: str | Sequence[float], angle: Scalar) -> AxisAngle:
    """Rotate by an angle [rad] about an axis: "x", "-y", ... or three numbers."""
    return AxisAngle(axis, angle)


def read_axis(read: Intake, value: object) -> tuple[float, float, float]:
    """Read an axis and normalize it."""
    if isinstance(value, str):
        if value.lstrip("+-") not in _AXES or len(value) > 2:
            read.complain(
                f"unknown axis {quoted(value)}", 'Write "x", "y", "z", "-x", ... or three numbers.'
            )
            return 0.0, 0.0, 1.0
        x, y, z = _AXES[value[-1]]
        return (x, y, z) if value[0] != "-" else (0.0 - x, 0.0 - y, 0.0 - z)
    items = as_tuple(value)
    if items is None or len(items) != 3:
        read.complain(
            f"axis must have 3 components, got {quoted(value)}",
            'Write "x", "y", "z" or three numbers.',
        )
        return 0.0, 0.0, 1.0
    x, y, z = (read.number(item, "axis", fallback=1.0) for item in items)
    size = math.hypot(x, y, z)
    if size == 0.0:
        read.complain("axis has length zero", "Write a direction such as (0, 0, 1).")
        return 0.0, 0.0, 1.0
    if not math.isfinite(size):
        read.complain("axis is too long for a floating-point number", "Write a unit vector.")
        return 0.0, 0.0, 1.0
    return x / size, y / size, z / size


def read_rotation(read: Intake, value: object) -> Matrix3:
    """Read a rotation in any of its forms as the matrix R_BF."""
    if value is None:
        return NO_ROTATION
    if isinstance(value, RollPitchYaw):
        roll, pitch, yaw = (
            read.scalar(angle, "rotation") for angle in (value.roll, value.pitch, value.yaw)
        )
        Rzy = times_matrix(about((0.0, 0.0, 1.0), yaw), about((0.0, 1.0, 0.0), pitch))
        return times_matrix(Rzy, about((1.0, 0.0, 0.0), roll))
    if isinstance(value, AxisAngle):
        return about(read_axis(read, value.axis), read.scalar(value.angle, "rotation"))
    return read.matrix(value, "rotation")


def about(axis: tuple[float, float, float], angle: Scalar) -> Matrix3:
    """Return the rotation by an angle [rad] about a unit axis: C E + S [a]× + (1 - C) a aᵀ."""
    C, S = _cosine_and_sine(angle)
    x, y, z = axis

    # written so that a principal axis gives exact zeros and ones
    def diagonal(a: float) -> Scalar:
        return folded(C * (1.0 - a * a) + a * a)

    def beside(a: float, b: float, c: float) -> Scalar:
        return folded((1.0 - C) * (a * b) + S * c)

    return (
        (diagonal(x), beside(x, y, -z), beside(x, z, y)),
        (beside(y, x, z), diagonal(y), beside(y, z, -x)),
        (beside(z, x, -y), beside(z, y, x), diagonal(z)),
    )


def _cosine_and_sine(angle: Scalar) -> tuple[Scalar, Scalar]:
    if isinstance(angle, Expr):
        return sf.cos(angle), sf.sin(angle)
    return _exact(math.cos(angle)), _exact(math.sin(angle))


def _exact(value: float) -> float:
    """Return 0, 1 or -1 for the cosine or sine of a multiple of a right angle."""
    nearest = round(value)
    return float(nearest) if abs(value - nearest) < 1e-15 else value
