"""Derivatives of smooth functions by central differences, extrapolated to step zero.

Ridders 1982: differences with steps h, h/2, h/4, … are extrapolated as in Richardson's scheme; of
all estimates the one whose neighbors agree best is taken, and their disagreement is its error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inloop.plant import Array

FIRST_STEP = 2.0**-6  # of the size of each variable; exact in binary
LEVELS = 7
Rows = Callable[[Array], Array]


def derivative(function: Rows, x: Array, sizes: Array) -> tuple[Array, Array]:
    """Jacobian of a function of many variables, and an estimate of its error.

    Args:
        function: rows of x, shape (N, n), to rows of values, shape (N, m).
        x: where, shape (n,).
        sizes: natural sizes of the variables, shape (n,).

    Returns:
        ∂f/∂x and its error, both of shape (m, n).
    """
    n = len(x)
    sizes = np.asarray(2.0 ** np.round(np.log2(sizes)), dtype=np.float64)
    steps = FIRST_STEP * 0.5 ** np.arange(LEVELS)
    shifts = np.concatenate([s * h * np.diag(sizes) for h in steps for s in (1.0, -1.0)])
    values = function(x + shifts).reshape(LEVELS, 2, n, -1)
    # the differences, shape (levels, m, n)
    D = np.swapaxes(values[:, 0] - values[:, 1], 1, 2) / (2.0 * steps[:, None, None])
    slopes, error = _extrapolated(D)
    return slopes / sizes, error / sizes


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
