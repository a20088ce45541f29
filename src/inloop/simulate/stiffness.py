"""How fast a mechanism answers to small disturbances, against the step of an explicit method.

With x = (q, qd, z) in independent coordinates, disturbances follow

    d/dt (q, qd, z) = A (q, qd, z),   A = [[0, I, 0], [-M⁻¹ ∂c/∂(q, qd, z)], [∂zd/∂(q, qd, z)]]

and an explicit method multiplies a disturbance of eigenvalue λ by R(λ h) in a step. Slopes of c are
differences over a small part of the motion of a run, so that no size is taken for granted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.native import Method
from inloop.plant import Array, BarePlant
from inloop.plant.law_stiffness import law_stiffness
from inloop.simulate.samples import Samples

BLOCK = 200  # rows at once: short enough that no vector code has to be compiled
PART = 1e-6  # of the motion, over which slopes are taken
SMALL = 1e-3  # of the motion of other coordinates: what moves less is taken as if it moved more
SAFE = {Method.EULER: 2.0, Method.RK4: 2.6, Method.DOPRI: 0.99}  # |λ h| within which all is stable
GROWTH = 1e-3  # of a disturbance in a step, below which nobody notices it
GROWING = 0.1  # real part of λ over |λ| from which the motion itself grows

R: dict[Method, Callable[[Any], Any]] = {
    # of symplectic Euler only the bound is known
    Method.EULER: lambda z: np.abs(z) / SAFE[Method.EULER],
    Method.RK4: lambda z: np.polyval([1 / 24, 1 / 6, 1 / 2, 1.0, 1.0], z),
    Method.DOPRI: lambda z: np.polyval([1 / 600, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0], z),
}


@dataclass(frozen=True)
class Fastest:
    """The fastest disturbance that a method does not follow.

    Attributes:
        t: when it was found [s].
        product: |λ h|.
        limit: of the method.
        step: that would be stable [s].
        law: the force law that is stiffest there; empty if there is none.
        joint: the coordinate that moves most in it.
    """

    t: float
    product: float
    limit: float
    step: float
    law: str
    joint: str


def find_unstable(
    plant: BarePlant, at: Samples, u: Array, size: Array, method: Method, step: float
) -> Fastest | None:
    """A disturbance that an explicit method makes larger, at the first state that has one.

    Args:
        plant: the compiled mechanism.
        at: states to look at.
        u: inputs there, shape (N, inputs).
        size: of the motion at each state, by coordinate: see `motion_size`.
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
        A, bound = _matrices(plant, at, u, _widths(plant, at, size, step))
        # most mechanisms are slow, and a bound says so
        fast = [k for k in range(len(A)) if SAFE[method] < bound[k] * step < np.inf]
        found = ((k, *_worst(A[k], method, step)) for k in fast)
        # the first one: what follows is a run that has gone wrong
        k, product, shape = next((item for item in found if item[1] > 0.0), (0, 0.0, np.zeros(0)))
    if product == 0.0:
        return None
    free = _independent(plant)
    joint = plant.coordinates[free[int(np.argmax(shape[: len(free)]))]]
    law = stiffest_law(plant, at.rows([k]), u[k])
    limit = SAFE[method]
    return Fastest(float(at.t[k]), product, limit, step * limit / product, law, joint)


def motion_size(plant: BarePlant, found: Samples, rows: Sequence[int]) -> Array:
    """How far each coordinate has been from 0 up to some samples [rad or m], shape (rows, n)."""
    # in units of the mechanism, so that angles and lengths compare
    units = plant.coordinate_sizes
    with np.errstate(all="ignore"):
        size = np.maximum.accumulate(np.nan_to_num(np.abs(found.q / units)), axis=0)
    here, last = size[list(rows)], size[-1]
    # what has not moved yet is taken as large as what has, or as it will be
    largest = here.max(axis=1, keepdims=True, initial=0.0)
    later = np.where(last > 0.0, last, last.max(initial=0.0) or 1.0)
    instead = np.where(largest > 0.0, np.minimum(largest, later), later)
    return np.asarray(units * np.where(here > SMALL * largest, here, instead))


def _independent(plant: BarePlant) -> list[int]:
    if plant.loops is None:
        return list(range(plant.n))
    return list(plant.loops.partition.independent)


def _matrices(plant: BarePlant, at: Samples, u: Array, width: Array) -> tuple[Array, Array]:
    """A at each state, shape (N, x, x), and a bound of its eigenvalues, shape (N,)."""
    count, n, m = len(at.t), plant.n, at.z.shape[1]
    c_x, zd_x = _slopes(plant, at, u, width)
    T = _tangent(plant, at)
    M = plant.evaluate("mass_matrix", q=at.q)["M"]
    k = T.shape[2]
    T_x = np.zeros((count, 2 * n + m, 2 * k + m))
    T_x[:, :n, :k] = T_x[:, n : 2 * n, k : 2 * k] = T
    T_x[:, 2 * n :, 2 * k :] = np.eye(m)
    Tt = np.swapaxes(T, 1, 2)
    A = np.zeros((count, 2 * k + m, 2 * k + m))
    A[:, :k, k : 2 * k] = np.eye(k)
    A[:, 2 * k :] = zd_x @ T_x
    reduced, slopes = Tt @ M @ T, Tt @ c_x @ T_x
    try:
        A[:, k : 2 * k] = -np.linalg.solve(reduced, slopes)
        bound = _bound(np.asarray(np.linalg.cholesky(reduced)), slopes, k)
    except np.linalg.LinAlgError:
        return A, np.full(count, np.inf)
    return A, bound if not m else np.maximum(bound, np.linalg.norm(A, axis=(1, 2)))


def _bound(L: Array, slopes: Array, k: int) -> Array:
    """From λ² v = -K v - λ D v with M = L Lᵀ: |λ| <= |D| + √|K| in norms of L⁻¹ · L⁻ᵀ."""
    sizes = []
    for part in (slopes[:, :, :k], slopes[:, :, k : 2 * k]):
        half = np.linalg.solve(L, part)
        whole = np.linalg.solve(L, np.swapaxes(half, 1, 2))
        sizes.append(np.linalg.norm(whole, axis=(1, 2)))
    return np.asarray(np.sqrt(sizes[0]) + sizes[1])


def _widths(plant: BarePlant, at: Samples, size: Array, step: float) -> Array:
    """Over how much of x = (q, qd, z) to take slopes, shape (N, x)."""
    units = plant.coordinate_sizes
    fastest = units * np.abs(at.qd / units).max(axis=1, keepdims=True)
    # at rest, what leads through a part of the motion in a step
    speed = np.where(fastest > 0.0, np.maximum(np.abs(at.qd), SMALL * fastest), SMALL * size / step)
    largest = np.abs(at.z).max(axis=0, initial=0.0, keepdims=True)
    state = np.where(at.z != 0.0, np.abs(at.z), np.where(largest > 0.0, largest, 1.0))
    return np.asarray(PART * np.concatenate([size, speed, state], axis=1))


def _slopes(plant: BarePlant, at: Samples, u: Array, width: Array) -> tuple[Array, Array]:
    """∂c/∂x and ∂zd/∂x for x = (q, qd, z), shapes (N, n, x) and (N, z, x)."""
    count, n, m = len(at.t), plant.n, at.z.shape[1]
    x = np.concatenate([at.q, at.qd, at.z], axis=1)
    total = x.shape[1]
    rows = np.repeat(x[:, None, None, :], 2 * total, axis=1).reshape(count, total, 2, total)
    places = np.arange(total)
    rows[:, places, 0, places] += width
    rows[:, places, 1, places] -= width
    flat = rows.reshape(-1, total)
    repeat = 2 * total
    c, zd = _biases(plant, flat, np.repeat(u, repeat, axis=0), np.repeat(at.t, repeat), (n, m))
    both = np.concatenate([c, zd], axis=1).reshape(count, total, 2, n + m)
    slope = (both[:, :, 0] - both[:, :, 1]) / (2.0 * width[:, :, None])
    slope = np.swapaxes(slope, 1, 2)
    return slope[:, :n], slope[:, n:]


def _biases(
    plant: BarePlant, x: Array, u: Array, t: Array, sizes: tuple[int, int]
) -> tuple[Array, Array]:
    """c and zd for rows of states."""
    n, m = sizes
    c, zd = np.zeros((len(x), n)), np.zeros((len(x), m))
    for k in range(0, len(x), BLOCK):
        b = slice(k, k + BLOCK)
        q, qd, z = x[b, :n], x[b, n : 2 * n], x[b, 2 * n :]
        more = {"z": z if m else None, "u": u[b] if u.shape[1] else None, "t": t[b]}
        found = plant.evaluate("bias", q=q, qd=qd, **more)
        c[b] = found["c"]
        if m:
            zd[b] = found["zd"]
    return c, zd


def _tangent(plant: BarePlant, at: Samples) -> Array:
    """∂q/∂(independent coordinates), shape (N, n, k)."""
    independent = _independent(plant)
    T = np.zeros((len(at.t), plant.n, len(independent)))
    T[:, independent, range(len(independent))] = 1.0
    if plant.loops is not None and plant.loops.partition.dependent:
        parts = plant.loops.partition
        J = plant.evaluate("constraints", q=at.q, qd=at.qd, t=at.t)["J"][:, list(parts.rows)]
        dependent = list(parts.dependent)
        try:
            T[:, dependent] = np.linalg.solve(J[:, :, dependent], -J[:, :, independent])
        except np.linalg.LinAlgError:
            T[:] = np.nan
    return T


def _worst(A: Array, method: Method, step: float) -> tuple[float, Array]:
    """The largest |λ h| that grows although the motion does not, and its shape."""
    values, vectors = np.linalg.eig(A * step)
    size = np.abs(values)
    grows = (size > SAFE[method]) & (np.abs(R[method](values)) > 1.0 + GROWTH)
    grows &= values.real < GROWING * size
    if not grows.any():
        return 0.0, np.zeros(0)
    worst = int(np.argmax(np.where(grows, size, 0.0)))
    return float(size[worst]), np.abs(vectors[:, worst])


def stiffest_law(plant: BarePlant, at: Samples, u: Array) -> str:
    """Name of the law whose stiffness and damping are largest against the inertia there."""
    if not (np.isfinite(at.q).all() and np.isfinite(at.qd).all()):
        return ""
    T = _tangent(plant, at)[0]
    M = T.T @ plant.evaluate("mass_matrix", q=at.q)["M"][0] @ T
    laws = law_stiffness(plant, at.q[0], at.qd[0], at.z[0], u, float(at.t[0]))

    def rate(name: str) -> float:
        K, D = (np.linalg.solve(M, T.T @ part @ T) for part in laws[name])
        sizes = [np.abs(np.linalg.eigvals(part)).max(initial=0.0) for part in (K, D)]
        return float(np.sqrt(sizes[0]) + sizes[1])

    with np.errstate(all="ignore"):
        rates = {name: rate(name) for name in laws}
    best = max(rates, key=lambda name: rates[name], default="")
    return best if best and rates[best] > 0.0 else ""
