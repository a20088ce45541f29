"""Vectors, rotations and poses whose entries are numbers or expressions.

Numbers stay numbers: an expression is created only if a parameter is involved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from inloop.symbolic import Expr

Scalar: TypeAlias = float | Expr
Vector3: TypeAlias = tuple[Scalar, Scalar, Scalar]
Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]

ZERO: Vector3 = (0.0, 0.0, 0.0)
NO_ROTATION: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NO_INERTIA: Matrix3 = (ZERO, ZERO, ZERO)


def folded(value: Scalar) -> Scalar:
    """Return a constant expression as a number, anything else unchanged."""
    if isinstance(value, Expr) and value.is_constant:
        return float(value.value)
    return value


def is_zero(value: Scalar) -> bool:
    """Return whether a scalar is the number zero (an expression never is)."""
    return not isinstance(value, Expr) and value == 0.0


def entries(matrix: Matrix3) -> Iterator[Scalar]:
    """Yield the nine entries row by row."""
    for row in matrix:
        yield from row


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Return a·b for vectors of any length."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        # skip zero terms, so that numbers stay exact
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return folded(total)


def add(a: Vector3, b: Vector3) -> Vector3:
    """Return a + b."""
    return folded(a[0] + b[0]), folded(a[1] + b[1]), folded(a[2] + b[2])


def subtract(a: Vector3, b: Vector3) -> Vector3:
    """Return a - b."""
    return folded(a[0] - b[0]), folded(a[1] - b[1]), folded(a[2] - b[2])


def scaled(factor: Scalar, a: Vector3) -> Vector3:
    """Return factor * a."""
    return folded(factor * a[0]), folded(factor * a[1]), folded(factor * a[2])


def cross(a: Vector3, b: Vector3) -> Vector3:
    """Return a × b."""
    (ax, ay, az), (bx, by, bz) = a, b
    return (
        folded(ay * bz - az * by),
        folded(az * bx - ax * bz),
        folded(ax * by - ay * bx),
    )


def transpose(matrix: Matrix3) -> Matrix3:
    """Return the transpose."""
    a, b, c = matrix
    return (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])


def times_vector(matrix: Matrix3, a: Vector3) -> Vector3:
    """Return matrix @ a."""
    return dot(matrix[0], a), dot(matrix[1], a), dot(matrix[2], a)


def times_matrix(left: Matrix3, right: Matrix3) -> Matrix3:
    """Return left @ right."""
    x, y, z = (times_vector(left, column) for column in transpose(right))
    return transpose((x, y, z))


def plus(left: Matrix3, right: Matrix3) -> Matrix3:
    """Return left + right."""
    return add(left[0], right[0]), add(left[1], right[1]), add(left[2], right[2])


def symmetric(xx: Scalar, yy: Scalar, zz: Scalar, xy: Scalar, xz: Scalar, yz: Scalar) -> Matrix3:
    """Return the symmetric matrix with these entries."""
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def rotated_inertia(R_BF: Matrix3, I_F: Matrix3) -> Matrix3:
    """Return I_B = R_BF I_F R_BFᵀ, exactly symmetric."""
    if R_BF == NO_ROTATION:
        return I_F
    I_B = times_matrix(times_matrix(R_BF, I_F), transpose(R_BF))
    return symmetric(I_B[0][0], I_B[1][1], I_B[2][2], I_B[0][1], I_B[0][2], I_B[1][2])


@dataclass(frozen=True)
class Pose:
    """Pose X_AB of a frame B in a frame A.

    Attributes:
        p: position p_AB of the origin of B, in axes of A [m].
        R: rotation R_AB; a_A = R_AB a_B.
    """

    p: Vector3 = ZERO
    R: Matrix3 = NO_ROTATION

    def __matmul__(self, X_BC: Pose) -> Pose:
        """Return X_AC = X_AB @ X_BC."""
        return Pose(self.apply(X_BC.p), times_matrix(self.R, X_BC.R))

    def apply(self, p_BQ: Vector3) -> Vector3:
        """Return p_AQ of a point Q given in B [m]."""
        return add(self.p, times_vector(self.R, p_BQ))
