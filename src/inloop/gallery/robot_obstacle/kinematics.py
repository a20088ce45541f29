"""Kinematics of the PUMA 560's tool from its Denavit-Hartenberg table alone.

Independent of the equations of the plant; used for the reference values of the exhibit.
"""

from __future__ import annotations

import math

import numpy as np

from inloop.gallery.puma560.model import DH_TABLE, NOMINAL_MASS_MATRIX

TOOL = 0.12  # from the flange to the center of the buffer [m]
GRAVITY = 9.81


def frames(q: np.ndarray) -> list[np.ndarray]:
    """Frames 0 to 6 in the world, shape (4, 4) each."""
    transforms = [np.eye(4)]
    for angle, row in zip(q, DH_TABLE, strict=True):
        c, s = math.cos(angle), math.sin(angle)
        ca, sa = math.cos(row.alpha), math.sin(row.alpha)
        step = [[c, -s * ca, s * sa, row.a * c], [s, c * ca, -c * sa, row.a * s],
                [0.0, sa, ca, row.d], [0.0, 0.0, 0.0, 1.0]]  # fmt: skip
        transforms.append(transforms[-1] @ np.array(step))
    return transforms


def tool_place(q: np.ndarray) -> np.ndarray:
    """Center of the buffer in the world [m]."""
    return np.asarray((frames(q)[-1] @ (0.0, 0.0, TOOL, 1.0))[:3])


def tool_jacobian(q: np.ndarray) -> np.ndarray:
    """Jacobian of its velocity, shape (3, 6)."""
    *before, last = frames(q)
    at = (last @ (0.0, 0.0, TOOL, 1.0))[:3]
    return np.stack([np.cross(T[:3, 2], at - T[:3, 3]) for T in before], axis=1)


def gravity_torques(q: np.ndarray) -> np.ndarray:
    """Torques that hold the arm, from its potential energy [N·m]."""

    def energy(x: np.ndarray) -> float:
        placed = zip(frames(x)[1:], DH_TABLE, strict=True)
        return GRAVITY * sum(row.mass * float((T @ (*row.com, 1.0))[2]) for T, row in placed)

    d = 1e-5
    return np.array([(energy(q + d * e) - energy(q - d * e)) / (2.0 * d) for e in np.eye(6)])


def mass_nominal() -> np.ndarray:
    """The published M(q_n) [kg·m²]."""
    M = np.zeros((6, 6))
    M[np.triu_indices(6)] = NOMINAL_MASS_MATRIX
    return np.asarray(M + np.triu(M, 1).T)


def reached(q: np.ndarray, along_x: float) -> np.ndarray:
    """The pose whose tool is moved along x by a distance [m], with joints 2, 3 and 5 only."""
    goal, at = tool_place(q), np.array(q, dtype=np.float64)
    goal[0] += along_x
    used = [1, 2, 4]
    for _ in range(20):
        # x and z of the tool, and its direction: the rotations of joints 2, 3 and 5 add up to zero
        J = np.vstack([tool_jacobian(at)[[0, 2]][:, used], [1.0, 1.0, 1.0]])
        miss = (goal - tool_place(at))[[0, 2]]
        at[used] += np.linalg.solve(J, [*miss, float(np.sum(np.subtract(q, at)[used]))])
    return at
