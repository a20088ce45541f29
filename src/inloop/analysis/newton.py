"""Newton's method for few unknowns: bounded steps, a line search, and damped steps if that fails.

Damped steps are those of Levenberg and Marquardt, with unknowns and residuals in natural units:
they turn from Newton's direction to the steepest descent as the damping grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from inloop.plant import Array

MOST_ITERATIONS = 100
PATIENCE, GAIN = 15, 0.5  # this many steps must reduce the residuals by this factor
DIFFERENCE = 1e-5  # relative step of finite differences
TOLERANCE = 1e-12  # residuals, relative to their natural size
NOISE = 1e-14  # differences below this fraction of the forces are rounding errors
LAST_STEP = 1e-6  # once converged, a longer step (in natural sizes) is not trusted
LINE_SEARCH = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 0.003)
DAMPING = (1e-6, 1e-4, 1e-2, 1e-1, 1.0)  # relative to the largest singular value squared
Residual = Callable[[Array], "tuple[Array, Array] | None"]


@dataclass(frozen=True)
class Solution:
    """The last iterate of Newton's method.

    Attributes:
        x: the unknowns.
        r: the remaining residuals.
        solved: True if they vanish.
        iterations: steps taken.
    """

    x: Array
    r: Array
    solved: bool
    iterations: int


def solve(residual: Residual, x: Array, sizes: Array, longest: Array) -> Solution | None:
    """Find x with residual(x) = 0.

    Args:
        residual: x → (r, magnitude of the terms summed in each entry of r), or None where it is
            undefined.
        x: initial guess.
        sizes: natural sizes of the unknowns.
        longest: maximum step of each unknown.

    Returns:
        None if the residual is undefined at the initial guess.
    """
    found = residual(x)
    if found is None:
        return None
    r, size = found
    before = np.inf
    for iteration in range(MOST_ITERATIONS):
        J = jacobian(residual, x, sizes, size)
        natural = natural_sizes(J, x, sizes, size)
        solved = bool(np.all(np.abs(r) <= TOLERANCE * natural))
        weights = 1.0 / np.where(natural > 0.0, natural, 1.0)
        if iteration % PATIENCE == 0:
            now = float(np.linalg.norm(weights * r))
            if not solved and now > GAIN * before:
                return Solution(x, r, False, iteration)
            before = now
        step = bounded(np.asarray(np.linalg.lstsq(J, -r, rcond=1e-11)[0]), longest)
        if solved:
            # one last step removes the error left by the tolerance
            near = float(np.max(np.abs(step) / sizes, initial=0.0)) < LAST_STEP
            last = _better(residual, x, [step], r, weights) if near else None
            return Solution(*(last[:2] if last else (x, r)), True, iteration)
        better = _better(residual, x, (shorten * step for shorten in LINE_SEARCH), r, weights)
        if better is None:
            damped = _damped_steps(J, r, sizes, weights, longest)
            better = _better(residual, x, damped, r, weights)
        if better is None:
            return Solution(x, r, False, iteration)
        x, r, size = better
    return Solution(x, r, False, MOST_ITERATIONS)


def natural_sizes(J: Array, x: Array, sizes: Array, size: Array) -> Array:
    """Scales of the residuals: their terms, plus the effect of the unknowns on them."""
    return np.asarray(size + np.abs(J) @ (sizes + np.abs(x)))


def bounded(step: Array, longest: Array) -> Array:
    """The step, scaled down to the maximum allowed, in the same direction."""
    over = float(np.max(np.abs(step) / longest, initial=1.0))
    return step / over


def _damped_steps(
    J: Array, r: Array, sizes: Array, weights: Array, longest: Array
) -> Iterator[Array]:
    """Solutions of (AᵀA + d |A|² I) y = -Aᵀ b, A and b in natural units, with growing damping d."""
    A, b = weights[:, None] * J * sizes, weights * r
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    largest = s.max(initial=0.0)
    if largest > 0.0:
        for damping in DAMPING:
            y = Vt.T @ (s / (s**2 + damping * largest**2) * -(U.T @ b))
            yield bounded(sizes * y, longest)


def _better(
    residual: Residual,
    x: Array,
    steps: Iterator[Array] | list[Array],
    r: Array,
    weights: Array,
) -> tuple[Array, Array, Array] | None:
    """The iterate after the first step that reduces the residual; None if no step does."""
    before = float(np.linalg.norm(weights * r))
    for step in steps:
        trial = x + step
        found = residual(trial)
        if found is not None and float(np.linalg.norm(weights * found[0])) < before:
            return trial, found[0], found[1]
    return None


def jacobian(residual: Residual, x: Array, sizes: Array, size: Array) -> Array:
    """∂r/∂x by central differences; entries at the level of rounding errors are set to zero.

    Args:
        residual: as for `solve`.
        x: point of evaluation.
        sizes: natural sizes of the unknowns.
        size: magnitude of the terms of each entry of r at x.
    """
    columns = [slope(residual, x, k, float(sizes[k]), size) for k in range(len(x))]
    return np.stack(columns, axis=1) if columns else np.zeros((len(size), 0))


def slope(residual: Residual, x: Array, k: int, unit: float, size: Array) -> Array:
    """∂r/∂x_k with `unit` the natural size of x_k; see `jacobian`."""
    column = np.zeros(len(size))
    h = DIFFERENCE * (unit + abs(float(x[k])))
    shift = h * np.eye(len(x))[k]
    up, down = residual(x + shift), residual(x - shift)
    if up is not None and down is not None:
        column = (up[0] - down[0]) / (2.0 * h)
    return np.where(np.abs(column) < NOISE * size / h, 0.0, column)
