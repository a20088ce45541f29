"""Small motions about an equilibrium, and their eigenvalues.

    M δqdd + D δqd + K δq + F δz = 0
    δzd = P δq + V δqd + Z δz

with z the states of force laws.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from inloop.analysis.differences import derivative
from inloop.analysis.reduction import Reduction
from inloop.analysis.unknowns import Setting
from inloop.plant import Array

Complex = np.ndarray[Any, np.dtype[np.complex128]]

SINGULAR = 1e-9  # stiffness below this fraction of the largest counts as zero
UNDAMPED = 1e-7  # real parts below this fraction of the eigenvalue are rounding errors


@dataclass(frozen=True)
class SmallMotion:
    """Matrices of the linearized motion in the free coordinates.

    Attributes:
        M, D, K: mass, damping (with gyroscopic terms) and stiffness (with circulatory terms).
        F: derivatives of the forces by states of laws, negated, shape (free, states).
        P, V, Z: derivatives of the rates of these states by coordinates, velocities and states.
        T: motion of all coordinates per unit of each free one, shape (n, free).
        error: estimated maximum error of the entries computed by finite differences.
        sizes: one unit of each free coordinate [rad or m].
    """

    M: Array
    D: Array
    K: Array
    F: Array
    P: Array
    V: Array
    Z: Array
    T: Array
    error: float
    sizes: Array

    @property
    def freedoms(self) -> int:
        """Number of directions of coordinates and states without any restoring force or rate."""
        held = np.block([[self.K, self.F], [self.P, self.Z]])
        if not held.size:
            return 0
        sizes = np.linalg.svd(_balanced(held, self.M), compute_uv=False)
        return int(np.sum(sizes <= SINGULAR * sizes[0]))

    @property
    def neutral(self) -> bool:
        """True if some direction has no stiffness."""
        return self.freedoms > 0

    def eigen(self) -> tuple[Complex, Complex]:
        """Finite eigenvalues λ [1/s], and eigenvectors (free coordinates, states) as columns."""
        n, m = self.F.shape
        if n + m == 0:
            return np.zeros(0, dtype=complex), np.zeros((0, 0), dtype=complex)
        I, O = np.eye(n), np.zeros((n, n))
        scaled, rate, states = self._without_units()
        left = np.block(
            [
                [O, I, np.zeros((n, m))],
                [-scaled.K, -scaled.D, -scaled.F],
                [scaled.P, scaled.V, scaled.Z],
            ]
        )
        values, vectors = scipy.linalg.eig(
            left, scipy.linalg.block_diag(I, scaled.M, np.eye(m)), homogeneous_eigvals=True
        )
        # massless directions give infinite eigenvalues
        finite = np.abs(values[1]) > 1e-13 * np.abs(values).max(axis=0)
        found = rate * values[0, finite] / values[1, finite]
        kept = [*range(n), *range(2 * n, 2 * n + m)]
        units = np.concatenate([self.sizes, states])
        return _cleaned(found, self.freedoms), units[:, None] * vectors[np.ix_(kept, finite)]

    def _without_units(self) -> tuple[SmallMotion, float, Array]:
        """The same in natural units, the unit of rates [1/s], and the units of the states."""
        q = self.sizes
        M, D, K = (matrix * np.outer(q, q) for matrix in (self.M, self.D, self.K))
        mass = _largest(M) or 1.0
        rate = np.sqrt(_largest(K) / mass) or _largest(D) / mass or _largest(self.Z) or 1.0
        # unit of a state: its response to a unit of motion, else what gives a unit force
        P, V, F = self.P * q, self.V * q, self.F * q[:, None]
        moved = np.maximum(_rows(P) / rate, _rows(V))
        pushed = mass * rate**2 / np.where(_rows(F.T) > 0.0, _rows(F.T), mass * rate**2)
        z = np.where(moved > 0.0, moved, pushed)
        force = mass * rate**2
        scaled = replace(
            self,
            M=M / mass,
            D=D * rate / force,
            K=K / force,
            F=F * z / force,
            P=P / z[:, None] / rate,
            V=V / z[:, None],
            Z=self.Z * z / z[:, None] / rate,
        )
        return scaled, float(rate), z

    @property
    def stability(self) -> str:
        """One of "asymptotically stable", "stable" (oscillates), "neutral" and "unstable"."""
        values, _ = self.eigen()
        if np.any(values.real > 0.0):
            return "unstable"
        if self.neutral:
            return "neutral"
        return "asymptotically stable" if np.all(values.real < 0.0) else "stable"


def small_motion(reduction: Reduction, at: Setting, free: list[int]) -> SmallMotion:
    """Linearize about rest.

    Args:
        reduction: the plant.
        at: closed position, and the loads there.
        free: independent coordinates that may move.
    """
    n, f, m = reduction.plant.n, len(free), len(reduction.states)
    kept = [reduction.independent.index(k) for k in free]
    M, T = reduction.mass(at.q)

    def pull(x: Array) -> Array:
        moved, qd = np.zeros((len(x), n)), np.zeros((len(x), n))
        moved[:, free] = x[:, :f]
        # to first order, nonholonomic constraints act on positions as holonomic ones do
        moved[:, reduction.led] = x[:, :f] @ T[np.ix_(reduction.led, kept)].T
        qd[:, free] = x[:, f : 2 * f]
        q = reduction.close(reduction.plant.configuration.moved(at.q, moved), at.t)
        z = at.z + x[:, 2 * f :]
        forces, rates = reduction.pull(q, qd, at.tau, z=z, u=at.u, t=at.t)
        return np.concatenate([forces[:, kept], rates], axis=1)

    slopes, error = np.zeros((0, 0)), np.zeros(0)
    if f + m:
        inertia = np.diag(M)[kept]

        def motion(x: Array) -> Array:
            # for scaling only: each coordinate by itself, massless ones at rest
            found = pull(x[None])[0]
            qdd = np.where(inertia > 0.0, found[:f] / np.where(inertia > 0.0, inertia, 1.0), 0.0)
            return np.concatenate([x[f : 2 * f], qdd, found[f:]])

        rest = np.zeros(2 * f + m)
        slopes, error = derivative(pull, rest, reduction.scales(motion, rest, free).sizes)
    forces, rates = slopes[:f], slopes[f:]
    by_q, by_qd, by_z = slice(0, f), slice(f, 2 * f), slice(2 * f, None)
    return SmallMotion(
        M=M[np.ix_(kept, kept)],
        D=-forces[:, by_qd],
        K=-forces[:, by_q],
        F=-forces[:, by_z],
        P=rates[:, by_q],
        V=rates[:, by_qd],
        Z=rates[:, by_z],
        T=T[:, kept],
        error=float(error.max(initial=0.0)),
        sizes=reduction.sizes[free],
    )


def _largest(matrix: Array) -> float:
    return float(np.abs(matrix).max(initial=0.0))


def _rows(matrix: Array) -> Array:
    """Largest magnitude in each row."""
    return np.asarray(np.abs(matrix).max(axis=1, initial=0.0))


def _balanced(held: Array, M: Array) -> Array:
    """Scale rows and columns of coordinates by the masses, so that rad and m are commensurable.

    Those of states of laws are scaled to the size of the stiffness block.
    """
    n = len(M)
    scale = 1.0 / np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    balanced = held.copy()
    balanced[:n] *= scale[:, None]
    balanced[:, :n] *= scale
    size = np.abs(balanced[:n, :n]).max(initial=0.0) or 1.0
    for part in (balanced[:, n:].T, balanced[n:]):
        largest = np.abs(part).max(axis=1, initial=0.0)
        part *= (size / np.where(largest > 0.0, largest, size))[:, None]
    return balanced


def _cleaned(values: Complex, freedoms: int) -> Complex:
    """Eigenvalues with rounding errors of zeros and of undamped motions removed."""
    values = values.copy()
    # a direction without stiffness has an eigenvalue 0, a double one if it is undamped too
    smallest = np.argsort(np.abs(values), kind="stable")[: 2 * freedoms]
    limit = 1e-4 * np.abs(values).max(initial=0.0)
    values[[k for k in smallest if abs(values[k]) < limit]] = 0.0
    undamped = np.abs(values.real) < UNDAMPED * np.abs(values)
    values[undamped] = 1j * values.imag[undamped]
    return values
