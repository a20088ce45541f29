"""Cubic interpolation of equally spaced samples through the four nearest."""

from __future__ import annotations

import numpy as np

from inloop.plant import Array

POINTS = np.arange(4.0)


def interpolated(values: Array, places: Array) -> Array:
    """Values between samples.

    Args:
        values: samples at 0, 1, 2, ...; at least four, shape (N,).
        places: positions within 0 ... N - 1.
    """
    first = np.clip(np.floor(places).astype(int) - 1, 0, len(values) - len(POINTS))
    x = places - first
    result = np.zeros(len(places))
    for k in range(len(POINTS)):
        # Lagrange polynomial of sample k of the four
        others = np.delete(POINTS, k)
        weight = np.prod((x[:, None] - others) / (k - others), axis=1)
        result += weight * values[first + k]
    return result
