"""Inverse poses, and conversion of rotations from and to quaternions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias, cast

from inloop.io.xml import Element
from inloop.model import Pose
from inloop.model.geometry import Matrix3, times_vector, transpose
from inloop.model.sensors.kinds.orientation import quaternion

Quaternion: TypeAlias = tuple[float, float, float, float]
SHORTEST_QUATERNION = 1e-10
ROUNDING = 1e-12  # rounding error in rotations of files where 0 or 1 is meant


def inverse(X_AB: Pose) -> Pose:
    """Return X_BA."""
    R_BA = transpose(X_AB.R)
    x, y, z = times_vector(R_BA, X_AB.p)
    return Pose((-x, -y, -z), R_BA)


def attitude_of(R: Matrix3) -> Quaternion:
    """Return the unit quaternion w, x, y, z of a rotation, w >= 0."""
    w, x, y, z = (float(cast(float, component)) for component in quaternion(R))
    return w, x, y, z


def unit_quaternion(element: Element, given: Sequence[float]) -> Quaternion:
    """Return a quaternion w, x, y, z of any length, normalized."""
    length = math.hypot(*given)
    if length < SHORTEST_QUATERNION:
        element.fail("the quaternion has length zero", "Write 1 0 0 0 for no rotation.")
    w, x, y, z = (value / length for value in given)
    return w, x, y, z


def from_quaternion(element: Element, given: Sequence[float]) -> Matrix3:
    """Return the rotation of a quaternion w, x, y, z of any length."""
    w, x, y, z = unit_quaternion(element, given)
    R = (
        (w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    a, b, c = ((_unrounded(row[0]), _unrounded(row[1]), _unrounded(row[2])) for row in R)
    return a, b, c


def _unrounded(value: float) -> float:
    nearest = round(value)
    return float(nearest) if abs(value - nearest) < ROUNDING else value
