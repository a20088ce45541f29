"""Derivatives of smooth functions by central differences, extrapolated to step zero.

Ridders 1982: differences with steps h, h/2, h/4, … are extrapolated by Richardson's scheme; the
estimate that agrees best with its neighbors is taken, and their disagreement is its error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from inloop.plant import Array

FIRST_STEP = 2.0**-6  # relative to the size of each variable; exact in binary
LEVELS = 7
ROUNDS = 3  # each with shorter steps, for columns where the previous ones were too long
ROUGH = 1e-6  # error, as a fraction of the largest change of a value, above which they were
Rows = Callable[[Array], Array]
Integers = NDArray[np.intp]


def derivative(function: Rows, x: Array, sizes: Array) -> tuple[Array, Array]:
    """Jacobian of a function, and an estimate of its error.

    Args:
        function: rows of x, shape (N, n), to rows of values, shape (N, m).
        x: point of evaluation, shape (n,).
        sizes: natural sizes of the variables, shape (n,).

    Returns:
        ∂f/∂x and its error, both of shape (m, n).
    """
    sizes = np.asarray(2.0 ** np.round(np.log2(sizes)), dtype=np.float64)
    slopes, error = _differences(function, x, sizes)
    for k in range(1, ROUNDS):
        # shorter steps where the function is smooth only locally, as with tires and contacts
        rough = np.flatnonzero(rough_columns(slopes * sizes, error * sizes, ROUGH))
        if not len(rough):
            break
        shorter = np.zeros_like(sizes)
        shorter[rough] = sizes[rough] * 0.5 ** (k * LEVELS)
        found, its_error = _differences(function, x, shorter, rough)
        better = its_error < error[:, rough]
        slopes[:, rough] = np.where(better, found, slopes[:, rough])
        error[:, rough] = np.where(better, its_error, error[:, rough])
    return slopes, error


def rough_columns(change: Array, error: Array, tolerance: float) -> NDArray[np.bool_]:
    """Columns with an error above a fraction of the largest change of the same value.

    Args:
        change: derivatives by variables in natural units.
        error: their errors.
        tolerance: the fraction.
    """
    largest = np.abs(change).max(axis=1, initial=0.0, keepdims=True)
    return np.asarray((error > tolerance * largest).any(axis=0))


def _differences(
    function: Rows, x: Array, sizes: Array, columns: Integers | None = None
) -> tuple[Array, Array]:
    """Derivatives by all or some variables, with steps relative to these sizes."""
    columns = np.arange(len(x)) if columns is None else columns
    steps = FIRST_STEP * 0.5 ** np.arange(LEVELS)
    ways = np.diag(sizes)[columns]
    shifts = np.concatenate([s * h * ways for h in steps for s in (1.0, -1.0)])
    values = function(x + shifts).reshape(LEVELS, 2, len(columns), -1)
    # the differences, shape (levels, m, n)
    D = np.swapaxes(values[:, 0] - values[:, 1], 1, 2) / (2.0 * steps[:, None, None])
    slopes, error = _extrapolated(D)
    return slopes / sizes[columns], error / sizes[columns]


def _extrapolated(D: Array) -> tuple[Array, Array]:
    """Best entry of the Richardson table, elementwise."""
    best, error = D[-1].copy(), np.full(D.shape[1:], np.inf)
    before = [D[0]]
    for level in range(1, len(D)):
        row = [D[level]]
        for k in range(1, level + 1):
            factor = 4.0**k
            row.append((factor * row[k - 1] - before[k - 1]) / (factor - 1.0))
            found = np.maximum(np.abs(row[k] - row[k - 1]), np.abs(row[k] - before[k - 1]))
            better = found < error
            best[better], error[better] = row[k][better], found[better]
        before = row
    return best, error
