"""Unit quaternions (w, x, y, z) as attitudes of ball joints, in symbolic form.

The rotation is that of p / |p|: a quaternion that is off its unit length by rounding, or within an
integration step, still represents a rotation, and its length has no effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from inloop.symbolic import Expr

Quaternion: TypeAlias = tuple[Expr, Expr, Expr, Expr]
Row: TypeAlias = tuple[Expr, Expr, Expr]

IDENTITY = (1.0, 0.0, 0.0, 0.0)
NAMES = ("qw", "qx", "qy", "qz")


def rotation(p: Quaternion) -> tuple[Row, Row, Row]:
    """R_JC: maps components in body axes to those before the joint."""
    w, x, y, z = p
    s = 2.0 / (w * w + x * x + (y * y + z * z))
    sx, sy, sz = s * x, s * y, s * z
    xx, yy, zz = x * sx, y * sy, z * sz
    xy, xz, yz = x * sy, x * sz, y * sz
    wx, wy, wz = w * sx, w * sy, w * sz
    return (
        (1.0 - (yy + zz), xy - wz, xz + wy),
        (xy + wz, 1.0 - (xx + zz), yz - wx),
        (xz - wy, yz + wx, 1.0 - (xx + yy)),
    )


def rate(p: Quaternion, om: Sequence[Expr]) -> Quaternion:
    """dp/dt = p (0, om) / 2, with the angular velocity om relative to J in body axes."""
    w, x, y, z = p
    a, b, c = (0.5 * component for component in om)
    return (
        -(x * a) - y * b - z * c,
        w * a + (y * c - z * b),
        w * b + (z * a - x * c),
        w * c + (x * b - y * a),
    )
