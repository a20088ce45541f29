"""Decompose fixed rotations before a joint into planar ones; multiples of π/2 are exact."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inloop.formalisms.vectors import Matrix

SNAP = 1e-11  # entries of rotation matrices closer than this to 0 or ±1 are taken as exact


@dataclass(frozen=True)
class Turn:
    """Fixed rotation before a joint as Rz(phi) Rx(alpha) Rz(psi), or a matrix of expressions."""

    phi: float
    alpha: float
    psi: float
    matrix: Matrix | None = None

    @property
    def parallel(self) -> bool:
        """True if the axes of parent and child are parallel."""
        return self.matrix is None and abs(math.sin(self.alpha)) < SNAP


def decompose(F: Matrix) -> Turn:
    """F = Rz(phi) Rx(alpha) Rz(psi) when F is made of numbers."""
    if any(not e.is_constant for row in F for e in row):
        return Turn(0.0, 0.0, 0.0, F)
    f = np.array([[e.value for e in row] for row in F])
    sine = math.hypot(f[0, 2], f[1, 2])
    if sine < SNAP:
        # parallel axes: F = Rz(psi) or Rx(π) Rz(psi)
        alpha = 0.0 if f[2, 2] > 0 else math.pi
        return Turn(0.0, alpha, snap_angle(math.atan2(-f[0, 1], f[0, 0])))
    phi = snap_angle(math.atan2(f[0, 2], -f[1, 2]))
    alpha = snap_angle(math.atan2(sine, f[2, 2]))
    # subtracting π from phi flips the sign of alpha: keep phi in (-π/2, π/2]
    if phi > math.pi / 2 + SNAP or phi <= -math.pi / 2 + SNAP:
        phi, alpha = phi - math.copysign(math.pi, phi), -alpha
    rest = (rz(phi) @ rx(alpha)).T @ f
    return Turn(snap_angle(phi), alpha, snap_angle(math.atan2(rest[1, 0], rest[0, 0])))


def snap(x: float) -> float:
    """An entry of a rotation matrix, exact if it is almost 0, 1 or -1."""
    for exact in (0.0, 1.0, -1.0):
        if abs(x - exact) < SNAP:
            return exact
    return x


def snap_angle(angle: float) -> float:
    """The angle in (-π, π], with multiples of π/2 exact."""
    angle = math.remainder(angle, 2 * math.pi)
    quarters = round(angle / (math.pi / 2))
    if abs(angle - quarters * math.pi / 2) < SNAP:
        angle = (quarters if quarters > -2 else 2) * math.pi / 2
    return angle


def is_quarter(angle: float) -> bool:
    """True for multiples of π/2."""
    return abs(math.remainder(angle, math.pi / 2)) < SNAP


def axis_to_z(axis: tuple[float, float, float]) -> np.ndarray:
    """A rotation A with A z = axis; a permutation for coordinate axes."""
    a = np.array([snap(x) for x in axis], float)
    k = int(np.argmax(np.abs(a)))
    if abs(a[k]) == 1.0:
        # cyclic permutation, reversed for a negative axis
        A = np.zeros((3, 3))
        A[(k + 1) % 3, 0] = 1.0
        A[(k + 2) % 3, 1] = a[k]
        A[k, 2] = a[k]
        return A
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(a)))], a)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(a, x), a])


def rz(angle: float) -> np.ndarray:
    """Rotation about z by an angle [rad]."""
    c, s = snap(math.cos(angle)), snap(math.sin(angle))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rx(angle: float) -> np.ndarray:
    """Rotation about x by an angle [rad]."""
    c, s = snap(math.cos(angle)), snap(math.sin(angle))
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
