"""A few points that bound many: the extreme ones in some directions, to frame a view."""

from __future__ import annotations

import itertools

import numpy as np

from inloop.plant import Array

# along the axes, between two of them, between three
DIRECTIONS = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(d)])


def hull_points(points: Array) -> Array:
    """The extreme points in each direction, each once, shape (k, 3)."""
    farthest = np.argmax(points @ DIRECTIONS.T, axis=0)
    return np.asarray(points[np.unique(farthest)])


def box_points(least: Array, most: Array) -> Array:
    """Midpoints of the edges of a box; they bound bodies that rotate about its center inside it."""
    middle, half = 0.5 * (least + most), 0.5 * (most - least)
    edges = DIRECTIONS[np.count_nonzero(DIRECTIONS, axis=1) == 2]
    return np.asarray(middle + half * edges)
