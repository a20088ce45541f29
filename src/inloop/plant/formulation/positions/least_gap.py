"""How near the ends of loops that cannot close come to each other: Newton's method on |h|²/2.

At the smallest gap h does not vanish and J loses rank (the links are stretched), so that steps of
Gauss and Newton, which leave out the curvature of h, creep. Here the curvature is in:

    g = Jᵀ h,   H = ∂g/∂q by central differences,   H step = -g

All numbers are in units of coordinates and rows (`closure.py`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inloop.plant.engine import Array
from inloop.plant.formulation.positions.closure import Closure

MOST_ITERATIONS = 60
LONGEST_STEP = 0.3
DIFFERENCE = 1e-5
FLAT = 1e-9  # curvature below this part of the largest is none
LINE_SEARCH = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01)


def least_gap(closure: Closure, q: Array, free: np.ndarray) -> Array:
    """A position near q where the gaps, all together, are smallest.

    Args:
        closure: the loops.
        q: where to start.
        free: which coordinates may move.
    """
    places, rest = np.flatnonzero(free), np.zeros(closure.count)

    def slope(motion: Array) -> tuple[float, Array]:
        h, J = closure(closure.moved(q, motion))
        return float(h @ h) / 2.0, (J.T @ h)[places]

    value, g = slope(rest)
    for _ in range(MOST_ITERATIONS):
        step = rest.copy()
        step[places] = _downhill(_curvature(slope, rest, places), g)
        longest = float(np.abs(step).max(initial=0.0))
        step *= min(1.0, LONGEST_STEP / longest) if longest else 0.0
        for shorten in LINE_SEARCH:
            trial, trial_g = slope(shorten * step)
            if trial < value:
                break
        else:
            return q
        q, value, g = closure.moved(q, shorten * step), trial, trial_g
    return q


def _curvature(
    slope: Callable[[Array], tuple[float, Array]], rest: Array, places: np.ndarray
) -> Array:
    columns = []
    for k in places:
        shift = rest.copy()
        shift[k] = DIFFERENCE
        columns.append((slope(shift)[1] - slope(-shift)[1]) / (2.0 * DIFFERENCE))
    H = np.array(columns)
    return (H + H.T) / 2.0


def _downhill(H: Array, g: Array) -> Array:
    """-H⁻¹ g with the signs of negative curvatures turned, so that it always leads down."""
    if not H.size or not np.all(np.isfinite(H)):
        return np.zeros_like(g)
    sizes, axes = np.linalg.eigh(H)
    sizes = np.abs(sizes)
    curved = sizes > FLAT * sizes.max()
    along = axes.T @ g
    return np.asarray(-axes[:, curved] @ (along[curved] / sizes[curved]))
