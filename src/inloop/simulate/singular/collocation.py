"""One long step by Gauss collocation, whose points stay away from its middle.

x(t + c_i H) = x + H Σ_j a_ij K_j with K_i = f(t + c_i H, x(t + c_i H)): order 2s with s points, and
a polynomial of degree s for everything between (Hairer, Nørsett & Wanner, Solving Ordinary
Differential Equations I (1993), II.7, doi:10.1007/978-3-540-78862-1). K is computed by a simplified
Newton iteration. The rates of a mechanism do not depend on the estimates of its dependent
coordinates, so these are left out of the Jacobian.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre

from inloop.plant import Array
from inloop.simulate.scales import Function

MOST_ITERATIONS = 40
CONVERGED = 1e-14  # last correction, relative to the largest change over the step
STALLED = 1e-7  # below it, corrections that no longer shrink are rounding errors
INCREMENT = 1e-7  # relative increment of finite differences


@dataclass(frozen=True)
class Curve:
    """The collocation polynomial of one step.

    Attributes:
        t: start time of the step [s].
        length: length of the step [s].
        x: state at its start.
        slopes: rates at the collocation points, shape (s, size).
    """

    t: float
    length: float
    x: Array
    slopes: Array

    @property
    def points(self) -> Array:
        """Times of the collocation points [s]."""
        return self.t + self.length * _gauss(len(self.slopes))[0]

    def at(self, times: Array) -> Array:
        """States at the given times, shape (N, size)."""
        weights = _integrals(len(self.slopes), (np.asarray(times) - self.t) / self.length)
        return np.asarray(self.x + self.length * weights @ self.slopes)


def collocate(
    rates: Function, t: float, x: Array, length: float, guess: Array, sizes: Array
) -> Curve | None:
    """The step from t to t + length; None if the iteration fails.

    Args:
        rates: right-hand side, x' = rates(t, x).
        t: time [s].
        x: state.
        length: length of the step [s].
        guess: initial guess of the rates at the points, shape (s, size).
        sizes: one unit of each leading entry of x, those on which the rates depend.
    """
    points, A = _gauss(len(guess))
    K, moving = np.array(guess), len(sizes)
    J = _jacobian(rates, t, x, sizes)
    if J is None:
        return None
    left = np.eye(K.shape[0] * moving) - length * np.kron(A, J)
    before = np.inf
    for _ in range(MOST_ITERATIONS):
        states = x + length * A @ K
        times = t + length * points
        slopes = [rates(*at) for at in zip(times, states, strict=True)]
        if any(slope is None for slope in slopes):
            return None
        change = np.array(slopes) - K
        right = change[:, :moving].reshape(-1)
        change[:, :moving] = np.linalg.solve(left, right).reshape(len(K), moving)
        K += change
        size = float(np.abs(change).max() / max(np.abs(K).max(), np.finfo(float).tiny))
        if size <= CONVERGED or 0.5 * before < size <= STALLED:
            return Curve(t, length, x, K)
        before = min(before, size)
    return None


def _jacobian(rates: Function, t: float, x: Array, sizes: Array) -> Array | None:
    """∂rates/∂x by finite differences, for the leading entries whose sizes are given."""
    here, moving = rates(t, x), len(sizes)
    columns = []
    for k in range(moving):
        step = INCREMENT * max(sizes[k], abs(x[k]))
        there = rates(t, x + step * np.eye(len(x))[k])
        if here is None or there is None:
            return None
        columns.append((there - here)[:moving] / step)
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0))


@functools.cache
def _gauss(count: int) -> tuple[Array, Array]:
    """Gauss points in 0..1, and the matrix a_ij."""
    points = 0.5 * (1.0 + legendre.leggauss(count)[0])
    return points, _integrals(count, points)


def _integrals(count: int, ends: Array) -> Array:
    """Integrals of the Lagrange polynomials of the Gauss points, from 0 to each end."""
    nodes = legendre.leggauss(count)[0]
    basis = np.linalg.inv(legendre.legvander(nodes, count - 1))
    whole = legendre.legint(basis, lbnd=-1.0)
    return np.asarray(0.5 * legendre.legval(2.0 * np.asarray(ends) - 1.0, whole).T)
