"""Small motions about a position of rest: M δqdd + D δqd + K δq = 0 and their eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eig

from inloop.analysis.differences import derivative
from inloop.analysis.reduction import Reduction
from inloop.plant import Array

Complex = np.ndarray[Any, np.dtype[np.complex128]]

SINGULAR = 1e-9  # stiffness below this part of the largest is none
UNDAMPED = 1e-7  # real parts below this part of the eigenvalue are rounding errors


@dataclass(frozen=True)
class SmallMotion:
    """Matrices over the free coordinates.

    Attributes:
        M, D, K: mass, damping (with gyroscopic terms) and stiffness (with circulatory terms).
        T: what all coordinates do for the free ones, shape (n, free).
        error: estimated largest error of D and K.
    """

    M: Array
    D: Array
    K: Array
    T: Array
    error: float

    @property
    def neutral(self) -> bool:
        """True if some motion meets no stiffness."""
        if not self.K.size:
            return False
        balanced = _balanced(self.K, self.M)
        sizes = np.linalg.svd(balanced, compute_uv=False)
        return bool(sizes[-1] <= SINGULAR * sizes[0])

    def eigen(self) -> tuple[Complex, Complex]:
        """Finite eigenvalues λ [1/s] and vectors of the free coordinates, one column each."""
        n = len(self.M)
        if n == 0:
            return np.zeros(0, dtype=complex), np.zeros((0, 0), dtype=complex)
        I, O = np.eye(n), np.zeros((n, n))
        values, vectors = eig(
            np.block([[O, I], [-self.K, -self.D]]),
            np.block([[I, O], [O, self.M]]),
            homogeneous_eigvals=True,
        )
        # massless directions give infinite eigenvalues
        finite = np.abs(values[1]) > 1e-13 * np.abs(values).max(axis=0)
        found = values[0, finite] / values[1, finite]
        return _cleaned(found, self.neutral), vectors[:n, finite]

    @property
    def stability(self) -> str:
        """One of "asymptotically stable", "stable" (oscillates), "neutral" and "unstable"."""
        values, _ = self.eigen()
        if np.any(values.real > 0.0):
            return "unstable"
        if self.neutral:
            return "neutral"
        return "asymptotically stable" if np.all(values.real < 0.0) else "stable"


def small_motion(
    reduction: Reduction, q: Array, tau: Array, u: Array, *, t: float, free: list[int]
) -> SmallMotion:
    """Linearize about rest at a closed position.

    Args:
        reduction: the plant.
        q: closed position, shape (n,).
        tau: efforts on all joints.
        u: inputs.
        t: time [s].
        free: independent coordinates that may move.
    """
    count, n = len(free), reduction.plant.n

    def pull(x: Array) -> Array:
        at, speed = np.tile(q, (len(x), 1)), np.zeros((len(x), n))
        at[:, free] += x[:, :count]
        speed[:, free] = x[:, count:]
        return reduction.pull(reduction.close(at, t), speed, tau, u, t)[:, kept]

    kept = [reduction.independent.index(k) for k in free]
    M, T = reduction.mass(q)
    if count == 0:
        none = np.zeros((0, 0))
        return SmallMotion(none, none, none, np.zeros((n, 0)), 0.0)
    slopes, error = derivative(pull, np.zeros(2 * count))
    return SmallMotion(
        M[np.ix_(kept, kept)],
        -slopes[:, count:],
        -slopes[:, :count],
        T[:, kept],
        float(error.max()),
    )


def _balanced(K: Array, M: Array) -> Array:
    """K with rows and columns scaled by the masses, so that rad and m compare."""
    scale = 1.0 / np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    return K * np.outer(scale, scale)


def _cleaned(values: Complex, neutral: bool) -> Complex:
    """Eigenvalues without the rounding errors of zeros and of undamped motions."""
    values = values.copy()
    if neutral:
        values[np.abs(values) < 1e-4 * np.abs(values).max(initial=0.0)] = 0.0
    undamped = np.abs(values.real) < UNDAMPED * np.abs(values)
    values[undamped] = 1j * values.imag[undamped]
    return values
