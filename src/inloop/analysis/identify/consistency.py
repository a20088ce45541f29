"""Inertias that a real body can have, nearest to a guess, with identified base parameters kept.

A body can be made of mass that is nowhere negative if and only if its pseudo-inertia matrix

    P = [[Σ, mc], [mcᵀ, m]],   Σ = tr(J)/2 1 - J = ∫ r rᵀ dm

is positive definite (Wensing, Kim & Slotine 2018). P is linear in the parameters of the body, so
all consistent parameters are a convex set. In it the log-det divergence from the guess,
Σ_bodies tr(P0⁻¹ P) - log det(P0⁻¹ P), is convex, smooth, independent of the axes, and a barrier. It
is minimized by Newton's method together with ρ/2 of the squared distance of the base parameters
from those identified, in their own standard deviations. As ρ grows, real bodies with exactly these
base parameters are met, and the rest is settled with them fixed; where there are none, the nearest
base parameters that real bodies have are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from inloop.errors import SolveError
from inloop.plant import Array

WEIGHTS = 10.0 ** np.arange(-6, 6)  # ρ, one after the other: the last is off by 1e-3 deviations
MOST_STEPS = 200  # of Newton's method for one ρ
CONVERGED = 1e-13  # of the cost: less cannot be gained because of rounding
NONE = 1e-9  # of a usual size: what a parameter is that the guess does not have
LEAST = 1e-3  # eigenvalues of a guess, as a part of the largest


def pseudo_inertia(parameters: Array) -> Array:
    """P [kg·m², kg·m, kg] of a body's ten parameters."""
    m, x, y, z, xx, xy, xz, yy, yz, zz = parameters
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    P = np.empty((4, 4))
    P[:3, :3] = 0.5 * np.trace(J) * np.eye(3) - J
    P[:3, 3] = P[3, :3] = x, y, z
    P[3, 3] = m
    return P


def parameters_of(P: Array) -> Array:
    """The ten parameters of a body from its pseudo-inertia matrix."""
    J = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
    moments = J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]
    return np.array([P[3, 3], *P[:3, 3], *moments])


def is_consistent(parameters: Array) -> bool:
    """Whether a real body can have these ten parameters."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(parameters))[0] > 0.0)


@dataclass(frozen=True)
class Problem:
    """What is known when consistent parameters are looked for.

    Attributes:
        guess: of all parameters: ten for each body, then others.
        bodies: how many bodies.
        positive: indices of other parameters that must be above zero.
        length: a usual length [m].
        grouping: K of b = K π.
        b: identified base parameters.
        covariance: theirs.
    """

    guess: Array
    bodies: int
    positive: Sequence[int]
    length: float
    grouping: Array
    b: Array
    covariance: Array


def nearest_consistent(problem: Problem) -> tuple[Array, Array]:
    """Consistent parameters, and how far their base parameters are from those identified.

    Returns:
        All parameters, and the distance of each base parameter in its standard deviations.
    """
    blocks = _Blocks.of(problem)
    M = problem.grouping @ blocks.scale
    # x = N y + R (b + C z): base parameters b + C z, in units of their deviations, and the rest
    root = np.linalg.cholesky(problem.covariance)
    N, R = scipy.linalg.null_space(M), np.linalg.pinv(M)
    basis, at = np.hstack([N, R @ root]), R @ problem.b
    free = N.shape[1]
    v = np.concatenate([N.T @ blocks.start, np.linalg.solve(root, M @ blocks.start - problem.b)])
    penalty, every = np.zeros(len(v)), slice(None)
    for weight in WEIGHTS:
        penalty[free:] = weight
        v = _minimize(blocks, at, basis, penalty, v, every)
        kept = np.concatenate([v[:free], np.zeros(len(v) - free)])
        if np.isfinite(blocks.divergence(at + basis @ kept)):
            # real bodies have the very base parameters: only the rest is still open
            v = _minimize(blocks, at, basis, penalty, kept, slice(free))
            break
    moved = root @ v[free:]
    return blocks.scale @ (at + basis @ v), moved / np.sqrt(np.diag(problem.covariance))


def _minimize(
    blocks: _Blocks, at: Array, basis: Array, penalty: Array, v: Array, open_: slice
) -> Array:
    """Newton's method in the entries of v that are open, with steps halved until they help."""

    def cost(there: Array) -> float:
        return blocks.divergence(at + basis @ there) + 0.5 * float(there**2 @ penalty)

    here = cost(v)
    for _ in range(MOST_STEPS):
        gradient, hessian = blocks.derivatives(at + basis @ v)
        g = (basis.T @ gradient + penalty * v)[open_]
        H = (basis.T @ hessian @ basis + np.diag(penalty))[open_, open_]
        size = 1.0 / np.sqrt(np.diag(H))
        way = np.zeros(len(v))
        way[open_] = -size * np.linalg.solve(H * np.outer(size, size), size * g)
        decrement = float(-g @ way[open_])
        if decrement <= CONVERGED * (1.0 + abs(here)):
            return v
        part = 1.0
        while not (there := cost(v + part * way)) <= here - 0.1 * part * decrement:
            part *= 0.5
            if part * decrement <= CONVERGED * (1.0 + abs(here)):
                return v
        v, here = v + part * way, there
    raise SolveError(
        "consistent inertias were not found",
        fix="The identified parameters are far from any real body: check their deviations.",
    )


@dataclass(frozen=True)
class _Blocks:
    """Parameters π = scale x, in which the guess is the unit matrix of each body, and 1.

    Attributes:
        scale: shape (parameters, parameters).
        start: x of the guess.
        bodies: how many bodies, ten entries of x each.
        positive: indices of entries of x that must be above zero.
    """

    scale: Array
    start: Array
    bodies: int
    positive: tuple[int, ...]

    @classmethod
    def of(cls, problem: Problem) -> _Blocks:
        """The blocks about a guess, made consistent where it is not."""
        size = len(problem.guess)
        scale, start = np.zeros((size, size)), np.zeros(size)
        masses = problem.guess[0 : 10 * problem.bodies : 10]
        usual = 1e-2 * max(float(masses.max(initial=0.0)), np.finfo(float).tiny)
        for k in range(problem.bodies):
            own = slice(10 * k, 10 * k + 10)
            L = _root_of_guess(problem.guess[own], problem.length, usual)
            scale[own, own] = np.column_stack([parameters_of(L @ E @ L.T) for E in _BASIS])
            start[own] = _UNIT
        for k in range(10 * problem.bodies, size):
            here = abs(float(problem.guess[k]))
            scale[k, k] = here if here > 0.0 else NONE * usual * problem.length**2
            start[k] = 1.0 if k in problem.positive else np.sign(problem.guess[k])
        return cls(scale, start, problem.bodies, tuple(problem.positive))

    def divergence(self, x: Array) -> float:
        """How far from the guess; infinite where a block is not positive definite."""
        others = self.others
        total = 0.5 * float(np.sum((x[others] - self.start[others]) ** 2))
        blocks = [np.tensordot(x[10 * k : 10 * k + 10], _BASIS, 1) for k in range(self.bodies)]
        blocks += [np.array([[x[k]]]) for k in self.positive]
        for S in blocks:
            try:
                pivots = np.diag(np.linalg.cholesky(S))
            except np.linalg.LinAlgError:
                return np.inf
            total += float(np.trace(S) - len(S) - 2.0 * np.sum(np.log(pivots)))
        return total

    @property
    def others(self) -> list[int]:
        """Entries of x that may have any sign."""
        return [k for k in range(10 * self.bodies, len(self.start)) if k not in self.positive]

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Gradient and Hessian of the divergence from the guess."""
        # parameters of any sign are drawn to the guess by half a square
        gradient, hessian = x - self.start, np.eye(len(x))
        for k in range(self.bodies):
            own = slice(10 * k, 10 * k + 10)
            inverse = np.linalg.inv(np.tensordot(x[own], _BASIS, 1))
            products = inverse @ _BASIS
            # of tr S - log det S: tr E_i - tr S⁻¹ E_i, and tr S⁻¹ E_i S⁻¹ E_j
            gradient[own] = _UNIT - np.trace(products, axis1=1, axis2=2)
            hessian[own, own] = np.einsum("iab,jba->ij", products, products)
        for k in self.positive:
            gradient[k], hessian[k, k] = 1.0 - 1.0 / x[k], 1.0 / x[k] ** 2
        return gradient, hessian


def _root_of_guess(parameters: Array, length: float, usual: float) -> Array:
    """L of P0 = L Lᵀ; what no real body has, or has no mass, becomes a small real one."""
    unit = np.array([length, length, length, 1.0])
    P = pseudo_inertia(parameters) / np.outer(unit, unit)
    values, vectors = np.linalg.eigh(P)
    floor = LEAST * max(float(values[-1]), usual)
    if values[0] < floor:
        P = (vectors * np.maximum(values, floor)) @ vectors.T
    return np.asarray(unit[:, None] * np.linalg.cholesky(P))


def _symmetric_basis() -> Array:
    found = []
    for i in range(4):
        for j in range(i, 4):
            E = np.zeros((4, 4))
            E[i, j] = E[j, i] = 1.0 if i == j else np.sqrt(0.5)
            found.append(E)
    return np.array(found)


_BASIS = _symmetric_basis()
# entries of the unit matrix in this basis, and traces of its matrices
_UNIT = np.trace(_BASIS, axis1=1, axis2=2)
