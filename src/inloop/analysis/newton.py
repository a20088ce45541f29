"""Newton's method with a line search and bounded steps, for few unknowns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inloop.plant import Array

MOST_ITERATIONS = 100
DIFFERENCE = 1e-5  # relative step of the derivatives
TOLERANCE = 1e-12  # of residuals, relative to their natural size
NOISE = 1e-14  # differences below this part of the forces are rounding errors
LINE_SEARCH = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 0.003)
Residual = Callable[[Array], "tuple[Array, Array] | None"]


@dataclass(frozen=True)
class Solution:
    """Where Newton's method ended.

    Attributes:
        x: the unknowns.
        r: the residuals left.
        solved: True if they vanish.
        iterations: steps taken.
    """

    x: Array
    r: Array
    solved: bool
    iterations: int


def solve(residual: Residual, x: Array, longest: Array) -> Solution | None:
    """Find x with residual(x) = 0.

    Args:
        residual: x → (r, sizes of the terms that each entry of r is the sum of), or None where it
            has no value.
        x: where to start.
        longest: longest step of each unknown.

    Returns:
        None if there is no residual at the start.
    """
    found = residual(x)
    if found is None:
        return None
    r, size = found
    for iteration in range(MOST_ITERATIONS):
        J = _jacobian(residual, x, len(r), size)
        natural = size + np.abs(J) @ (1.0 + np.abs(x))
        solved = bool(np.all(np.abs(r) <= TOLERANCE * natural))
        step = _bounded(np.asarray(np.linalg.lstsq(J, -r, rcond=1e-11)[0]), longest)
        weights = 1.0 / np.where(natural > 0.0, natural, 1.0)
        better = _line_search(residual, x, step, r, weights)
        if solved:
            # the last step takes off what the tolerance left
            last = better if better is not None and np.abs(step).max(initial=0.0) < 1e-6 else None
            return Solution(*(last[:2] if last else (x, r)), True, iteration)
        if better is None:
            return Solution(x, r, False, iteration)
        x, r, size = better
    return Solution(x, r, False, MOST_ITERATIONS)


def _bounded(step: Array, longest: Array) -> Array:
    over = float(np.max(np.abs(step) / longest, initial=1.0))
    return step / over


def _line_search(
    residual: Residual, x: Array, step: Array, r: Array, weights: Array
) -> tuple[Array, Array, Array] | None:
    """The first of ever shorter steps that lowers the residual."""
    before = float(np.linalg.norm(weights * r))
    for shorten in LINE_SEARCH:
        trial = x + shorten * step
        found = residual(trial)
        if found is not None and float(np.linalg.norm(weights * found[0])) < before:
            return trial, found[0], found[1]
    return None


def _jacobian(residual: Residual, x: Array, m: int, size: Array) -> Array:
    J = np.zeros((m, len(x)))
    for k in range(len(x)):
        h = DIFFERENCE * (1.0 + abs(float(x[k])))
        shift = h * np.eye(len(x))[k]
        up, down = residual(x + shift), residual(x - shift)
        if up is not None and down is not None:
            J[:, k] = (up[0] - down[0]) / (2.0 * h)
        J[np.abs(J[:, k]) < NOISE * size / h, k] = 0.0
    return J
