"""Derivatives of smooth functions by central differences, extrapolated to step zero.

Ridders 1982: differences with steps h, h/2, h/4, … are extrapolated as in Richardson's scheme; of
all estimates the one whose neighbors agree best is taken, and their disagreement is its error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from inloop.plant import Array

FIRST_STEP = 2.0**-6  # of the size of each variable; exact in binary
LEVELS = 7
ROUNDS = 3  # each with shorter steps, where those before were too long
ROUGH = 1e-6  # error, in parts of the largest change of a value, from which on they were
Rows = Callable[[Array], Array]
Integers = NDArray[np.intp]


def derivative(function: Rows, x: Array, sizes: Array) -> tuple[Array, Array]:
    """Jacobian of a function of many variables, and an estimate of its error.

    Args:
        function: rows of x, shape (N, n), to rows of values, shape (N, m).
        x: where, shape (n,).
        sizes: natural sizes of the variables, shape (n,).

    Returns:
        ∂f/∂x and its error, both of shape (m, n).
    """
    sizes = np.asarray(2.0 ** np.round(np.log2(sizes)), dtype=np.float64)
    slopes, error = _differences(function, x, sizes)
    for k in range(1, ROUNDS):
        # where it is smooth over short ways only, as tyres and contacts are: shorter steps
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
    """Columns with an error that is more than a part of the largest change of its value.

    Args:
        change: derivatives by variables in their natural sizes.
        error: theirs.
        tolerance: the part.
    """
    largest = np.abs(change).max(axis=1, initial=0.0, keepdims=True)
    return np.asarray((error > tolerance * largest).any(axis=0))


def _differences(
    function: Rows, x: Array, sizes: Array, columns: Integers | None = None
) -> tuple[Array, Array]:
    """Derivatives by all variables, or by some, with steps in parts of these sizes."""
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
    """Best entry of Richardson's triangle, element by element."""
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
