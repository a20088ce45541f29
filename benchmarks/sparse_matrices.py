"""Sparse matrices with values along a trajectory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

MBDYN = Path(__file__).parents[2] / "shared" / "data" / "mbdyn_jacobians.npz"
SETS = 16


@dataclass(frozen=True)
class Matrices:
    """One pattern in compressed columns, and value sets of it, shape (sets, entries)."""

    name: str
    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return len(self.indptr) - 1

    @property
    def constant(self) -> np.ndarray:
        """Mask of the values that are equal in all sets: ±1, masses, coefficients of the step."""
        return np.asarray(np.all(self.values == self.values[0], axis=0))

    def matrix(self, k: int) -> scipy.sparse.csc_array:
        """Value set k."""
        return scipy.sparse.csc_array((self.values[k], self.indices, self.indptr))


def of_mbdyn() -> list[Matrices]:
    """Newton matrices printed by MBDyn; empty if the file is missing."""
    if not MBDYN.exists():
        return []
    names = {
        "robot": "MBDyn's robot",
        "robotf": "… with friction",
        "fourbar": "MBDyn's four-bar",
        "slider": "MBDyn's slider-crank",
        "rotor": "MBDyn's rotor",
    }
    with np.load(MBDYN) as data:
        return [
            Matrices(text, *(data[f"{name}_{part}"] for part in ("indptr", "indices", "values")))
            for name, text in names.items()
        ]


def chain(bodies: int) -> Matrices:
    """[M Gᵀ; G 0] of a serial chain in six coordinates per body, with general hinges, moving."""
    random = np.random.default_rng(bodies)
    arms = random.uniform(0.2, 1.0, (bodies, 2, 3))  # to the previous hinge and to the next one
    axes = random.normal(size=(bodies, 2, 3))
    masses, shapes = random.uniform(1.0, 3.0, bodies), random.normal(size=(bodies, 3, 3))
    angles, rates = random.uniform(-3.0, 3.0, (2, bodies, 3))
    sets = []
    for k in range(SETS):
        turns = scipy.spatial.transform.Rotation.from_rotvec(angles + 0.02 * k * rates).as_matrix()
        sets.append(_chain_matrix(turns, arms, axes, masses, shapes))
    return compressed(f"chain of {bodies} bodies", sets)


def compressed(name: str, sets: list[np.ndarray]) -> Matrices:
    """Full matrices in compressed columns; entries that are zero in all of them are left out."""
    pattern = scipy.sparse.csc_array(sum(abs(A) for A in sets) != 0.0)
    pattern.sort_indices()
    column = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    values = np.array([A[pattern.indices, column] for A in sets])
    indptr, indices = (each.astype(np.int32) for each in (pattern.indptr, pattern.indices))
    return Matrices(name, indptr, indices, values)


def _cross(v: np.ndarray) -> np.ndarray:
    return np.cross(np.eye(3), v)


def _chain_matrix(
    turns: np.ndarray, arms: np.ndarray, axes: np.ndarray, masses: np.ndarray, shapes: np.ndarray
) -> np.ndarray:
    """Unknowns of each body: translation, rotation, five multipliers of its hinge."""
    count = len(masses)
    A = np.zeros((11 * count, 11 * count))
    for i in range(count):
        own, rows = 11 * i, slice(11 * i + 6, 11 * i + 11)
        A[own : own + 3, own : own + 3] = masses[i] * np.eye(3)
        A[own + 3 : own + 6, own + 3 : own + 6] = shapes[i] @ shapes[i].T + np.eye(3)
        sides = [(own, 1.0, turns[i] @ arms[i, 0])]
        if i:
            sides.append((own - 11, -1.0, turns[i - 1] @ arms[i - 1, 1]))
        first, second = turns[i] @ axes[i, 0], turns[i] @ axes[i, 1]
        for at, sign, arm in sides:
            G = np.zeros((5, 6))
            G[:3, :3], G[:3, 3:] = sign * np.eye(3), sign * _cross(arm)
            G[3, 3:], G[4, 3:] = sign * first, sign * second
            A[rows, at : at + 6] = G
            A[at : at + 6, rows] = G.T
    return A
