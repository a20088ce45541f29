"""Eigenvalues of a mechanism's small motions, compared with the step of an explicit method.

With x = (q, qd, z) in independent coordinates, perturbations follow

    d/dt (q, qd, z) = A (q, qd, z),   A = [[0, I, 0], [-M⁻¹ ∂c/∂(q, qd, z)], [∂zd/∂(q, qd, z)]]

and an explicit method amplifies a perturbation of eigenvalue λ by R(λ h) in a step. Derivatives of
c are finite differences over a small part of the run's motion, so that no scale is assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inloop.native import Method
from inloop.plant import Array, BarePlant
from inloop.plant.law_stiffness import law_stiffness
from inloop.simulate.results.samples import Samples

PART = 1e-6  # of the motion: finite-difference step
ENOUGH = 200  # samples that suffice to measure the size of a motion
SMALL = 1e-3  # of the motion of other coordinates: minimum size of a motion
NOISE = 1e-12  # of the motion in a step: slower is rest up to rounding
# |λ h| up to which a method is stable; for explicit steps with contacts, dampers are limited
SAFE = {Method.EULER: 2.0, Method.RK4: 2.6, Method.DOPRI: 0.99, Method.MOREAU: 0.02}
GROWTH = 1e-3  # of a perturbation in a step: not noticeable below
GROWING = 0.1  # real part of λ over |λ| above which the motion itself grows

R: dict[Method, Callable[[Any], Any]] = {
    # for symplectic Euler only a bound is known
    Method.EULER: lambda z: np.abs(z) / SAFE[Method.EULER],
    Method.RK4: lambda z: np.polyval([1 / 24, 1 / 6, 1 / 2, 1.0, 1.0], z),
    # a resting contact force is off by half of what damping would remove in a step
    Method.MOREAU: lambda z: np.maximum(np.abs(np.real(z)) / SAFE[Method.MOREAU], np.abs(z)),
    Method.DOPRI: lambda z: np.polyval([1 / 600, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0], z),
}


@dataclass(frozen=True)
class Fastest:
    """The fastest perturbation that a method cannot follow.

    Attributes:
        t: time [s].
        product: |λ h|.
        limit: stability limit of the method.
        step: a step that would be stable [s].
        joint: the coordinate with the largest component.
        plant: the compiled mechanism.
        at: the state.
        u: inputs at that state.
    """

    t: float
    product: float
    limit: float
    step: float
    joint: str
    plant: BarePlant
    at: Samples
    u: Array

    @property
    def law(self) -> str:
        """The stiffest force law at that state; empty if there is none."""
        return stiffest_law(self.plant, self.at, self.u)


def find_unstable(
    plant: BarePlant, at: Samples, u: Array, size: Array, method: Method, step: float
) -> Fastest | None:
    """A perturbation that an explicit method amplifies, at the first state that has one.

    Args:
        plant: the compiled mechanism.
        at: states to check.
        u: inputs at these states, shape (N, inputs).
        size: size of the motion at each state, by coordinate: see `motion_size`.
        method: the integrator; implicit ones are stable.
        step: its step [s].
    """
    if method not in R or not _independent(plant):
        return None
    finite = np.isfinite(at.q).all(axis=1) & np.isfinite(at.qd).all(axis=1)
    at, u, size = at.rows(np.flatnonzero(finite).tolist()), u[finite], size[finite]
    if not len(at.t):
        return None
    with np.errstate(all="ignore"):
        linear = _linearized(plant, at, u, _widths(plant, at, size, step))
        # most mechanisms are slow, which a cheap bound shows
        fast = [k for k, bound in enumerate(linear.bound * step) if SAFE[method] < bound < np.inf]
        found = ((k, *_worst(linear.matrix(k), method, step)) for k in fast)
        # the first one: what follows belongs to a run that has gone wrong
        k, product, shape = next((item for item in found if item[1] > 0.0), (0, 0.0, np.zeros(0)))
    if product == 0.0:
        return None
    free = _independent(plant)
    joint = plant.coordinates[free[int(np.argmax(shape[: len(free)]))]]
    limit = SAFE[method]
    stable = step * limit / product
    return Fastest(float(at.t[k]), product, limit, stable, joint, plant, at.rows([k]), u[k])


def motion_size(plant: BarePlant, found: Samples, rows: Sequence[int]) -> Array:
    """Largest distance of each coordinate from 0 up to given samples [rad or m], shape (rows, n).

    Args:
        plant: the compiled mechanism.
        found: the samples of a run.
        rows: indices of the samples.
    """
    # in natural units, so that angles and lengths are comparable
    units = plant.coordinate_sizes
    # a subset of the samples suffices to measure the motion
    seen = sorted({*range(0, len(found.q), 1 + len(found.q) // ENOUGH), *rows, len(found.q) - 1})
    with np.errstate(all="ignore"):
        size = np.maximum.accumulate(
            np.nan_to_num(np.abs(found.q[seen, : plant.n] / units)), axis=0
        )
    here, last = size[np.searchsorted(seen, rows)], size[-1]
    # coordinates that have not moved yet count as large as those that have, or as they will be
    largest = here.max(axis=1, keepdims=True, initial=0.0)
    later = np.where(last > 0.0, last, last.max(initial=0.0) or 1.0)
    instead = np.where(largest > 0.0, np.minimum(largest, later), later)
    return np.asarray(units * np.where(here > SMALL * largest, here, instead))


def _independent(plant: BarePlant) -> list[int]:
    return list(plant.formulation.partition.independent)


@dataclass(frozen=True)
class _Linear:
    """Linearization at some states.

    Attributes:
        slopes: ∂c/∂x, shape (N, k, 2 k + m).
        rates: ∂zd/∂x, shape (N, m, 2 k + m).
        inverse: inverse of M, shape (N, k, k).
        bound: bound on the eigenvalues of A, shape (N,); infinite where M is not positive definite.
    """

    slopes: Array
    rates: Array
    inverse: Array
    bound: Array

    def matrix(self, number: int) -> Array:
        """A at one of the states."""
        k, total = self.slopes.shape[1:]
        A = np.zeros((total, total))
        A[:k, k : 2 * k] = np.eye(k)
        A[k : 2 * k] = -self.inverse[number] @ self.slopes[number]
        A[2 * k :] = self.rates[number]
        return A


def _linearized(plant: BarePlant, at: Samples, u: Array, width: Array) -> _Linear:
    n, m = plant.n, at.z.shape[1]
    slopes, rates = _slopes(plant, at, u, width)
    M = plant.evaluate("mass_matrix", ready=True, q=at.q, lanes=False)["M"]
    k = len(_independent(plant))
    if k < n:
        T = _tangent(plant, at)
        T_x = np.zeros((len(at.t), 2 * n + m, 2 * k + m))
        T_x[:, :n, :k] = T_x[:, n : 2 * n, k : 2 * k] = T
        T_x[:, 2 * n :, 2 * k :] = np.eye(m)
        Tt = np.swapaxes(T, 1, 2)
        M, slopes, rates = Tt @ M @ T, Tt @ slopes @ T_x, rates @ T_x
    k = M.shape[1]
    try:
        # M = L Lᵀ
        L_inv = np.linalg.inv(np.linalg.cholesky(M))
    except np.linalg.LinAlgError:
        return _Linear(slopes, rates, np.zeros_like(M), np.full(len(M), np.inf))
    Lt_inv = np.swapaxes(L_inv, 1, 2)
    K, D = (L_inv @ part @ Lt_inv for part in (slopes[:, :, :k], slopes[:, :, k : 2 * k]))
    # λ² v = -K v - λ D v: |λ| <= |D| + √|K|
    linear = _Linear(slopes, rates, Lt_inv @ L_inv, np.sqrt(_size(K)) + _size(D))
    if not m:
        return linear
    whole = np.array([linear.matrix(number) for number in range(len(M))])
    return replace(linear, bound=np.maximum(linear.bound, _size(whole)))


def _size(matrices: Array) -> Array:
    """A norm of each matrix."""
    return np.asarray(np.sqrt(np.einsum("nij,nij->n", matrices, matrices)))


def _widths(plant: BarePlant, at: Samples, size: Array, step: float) -> Array:
    """Finite-difference steps for x = (q, qd, z), shape (N, x)."""
    units = plant.coordinate_sizes
    fastest = units * np.abs(at.qd / units).max(axis=1, keepdims=True)
    moving = fastest > NOISE * size / step
    # at rest: velocities that cover a part of the motion in a step
    speed = np.where(moving, np.maximum(np.abs(at.qd), SMALL * fastest), SMALL * size / step)
    largest = np.abs(at.z).max(axis=0, initial=0.0, keepdims=True)
    state = np.where(at.z != 0.0, np.abs(at.z), np.where(largest > 0.0, largest, 1.0))
    return np.asarray(PART * np.concatenate([size, speed, state], axis=1))


def _slopes(plant: BarePlant, at: Samples, u: Array, width: Array) -> tuple[Array, Array]:
    """∂c/∂x and ∂zd/∂x for x = (q, qd, z), shapes (N, n, x) and (N, z, x)."""
    count, n, m = len(at.t), plant.n, at.z.shape[1]
    # positions as increments from the current ones
    x = np.concatenate([np.zeros((count, n)), at.qd, at.z], axis=1)
    total = x.shape[1]
    rows = np.repeat(x[:, None, None, :], 2 * total, axis=1).reshape(count, total, 2, total)
    places = np.arange(total)
    rows[:, places, 0, places] += width
    rows[:, places, 1, places] -= width
    flat = rows.reshape(-1, total)
    q, u, t = (np.repeat(a, 2 * total, axis=0) for a in (at.q, u, at.t))
    c, zd = _biases(plant, plant.configuration.moved(q, flat[:, :n]), flat[:, n:], u, t)
    both = np.concatenate([c, zd], axis=1).reshape(count, total, 2, n + m)
    slope = (both[:, :, 0] - both[:, :, 1]) / (2.0 * width[:, :, None])
    slope = np.swapaxes(slope, 1, 2)
    return slope[:, :n], slope[:, n:]


def _biases(plant: BarePlant, q: Array, rest: Array, u: Array, t: Array) -> tuple[Array, Array]:
    """c and zd for rows of states; rest: qd, then z."""
    qd, z = rest[:, : plant.n], rest[:, plant.n :]
    states = z.shape[1] > 0
    more = {"z": z if states else None, "u": u if u.shape[1] else None, "t": t}
    found = plant.evaluate("bias", ready=True, q=q, qd=qd, lanes=False, **more)
    return found["c"], found["zd"] if states else np.zeros((len(q), 0))


def _tangent(plant: BarePlant, at: Samples) -> Array:
    """∂q/∂(independent coordinates), shape (N, n, k)."""
    independent = _independent(plant)
    T = np.zeros((len(at.t), plant.n, len(independent)))
    T[:, independent, range(len(independent))] = 1.0
    parts = plant.formulation.partition
    if parts.dependent:
        J = plant.formulation.rows.constraints(at.q, at.qd, at.t)["J"][:, list(parts.rows)]
        dependent = list(parts.dependent)
        try:
            T[:, dependent] = np.linalg.solve(J[:, :, dependent], -J[:, :, independent])
        except np.linalg.LinAlgError:
            T[:] = np.nan
    return T


def _worst(A: Array, method: Method, step: float) -> tuple[float, Array]:
    """The largest |λ h| that grows although the motion does not, and its eigenvector."""
    if not _growing(np.linalg.eigvals(A * step), method).any():
        return 0.0, np.zeros(0)
    values, vectors = np.linalg.eig(A * step)
    size, grows = np.abs(values), _growing(values, method)
    worst = int(np.argmax(np.where(grows, size, 0.0)))
    return float(size[worst]), np.abs(vectors[:, worst])


def _growing(values: NDArray[Any], method: Method) -> NDArray[np.bool_]:
    """Which eigenvalues λ h grow in steps of a method although the motion does not."""
    size = np.abs(values)
    grows = (size > SAFE[method]) & (np.abs(R[method](values)) > 1.0 + GROWTH)
    return np.asarray(grows & (values.real < GROWING * size))


def stiffest_law(plant: BarePlant, at: Samples, u: Array) -> str:
    """Name of the law with the largest stiffness and damping relative to the inertia."""
    if not (np.isfinite(at.q).all() and np.isfinite(at.qd).all()):
        return ""
    T = _tangent(plant, at)[0]
    M = T.T @ plant.evaluate("mass_matrix", ready=True, q=at.q)["M"][0] @ T
    laws = law_stiffness(plant, at.q[0], at.qd[0], at.z[0], u, float(at.t[0]))

    if not (np.isfinite(T).all() and np.isfinite(M).all()):
        return ""

    def rate(name: str) -> float:
        if not all(np.isfinite(part).all() for part in laws[name]):
            return 0.0  # nothing to compare, such as the slope of a square root at 0
        K, D = (np.linalg.solve(M, T.T @ part @ T) for part in laws[name])
        sizes = [np.abs(np.linalg.eigvals(part)).max(initial=0.0) for part in (K, D)]
        return float(np.sqrt(sizes[0]) + sizes[1])

    with np.errstate(all="ignore"):
        rates = {name: rate(name) for name in laws}
    best = max(rates, key=lambda name: rates[name], default="")
    return best if best and rates[best] > 0.0 else ""
