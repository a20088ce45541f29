"""Closed curves for the tool of the robot, as functions of the fraction of one round."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

CENTER = (0.52, -0.15, 0.7)  # [m]; all curves around it are within reach
RADIUS = 0.14  # [m]
DRAWN = 96  # points of a curve in a picture


def circle(share: float) -> Reals:
    """A circle that faces the robot."""
    angle = 2.0 * math.pi * share
    return np.array(CENTER) + RADIUS * np.array([0.0, math.cos(angle), math.sin(angle)])


def square(share: float) -> Reals:
    """A square, at rest in its corners: a fifth-order polynomial along each side."""
    side, part = divmod(4.0 * (share % 1.0), 1.0)
    along = part**3 * (10.0 + part * (-15.0 + 6.0 * part))
    corners = ((1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1))
    (y, z), (y_next, z_next) = corners[int(side)], corners[int(side) + 1]
    place = np.array([0.0, y + along * (y_next - y), z + along * (z_next - z)])
    return np.array(CENTER) + 0.8 * RADIUS * place


def figure_eight(share: float) -> Reals:
    """A horizontal figure eight (Gerono's lemniscate), with some depth."""
    angle = 2.0 * math.pi * share
    place = [0.4 * math.cos(angle), 1.3 * math.sin(angle), 0.8 * math.sin(2.0 * angle)]
    return np.array(CENTER) + RADIUS * np.array(place)


PATHS: dict[str, Callable[[float], Reals]] = {
    "circle": circle,
    "square": square,
    "figure eight": figure_eight,
}


def drawn(path: Callable[[float], Reals]) -> list[tuple[float, float, float]]:
    """Points of a curve [m], for a picture."""
    points = [path(k / DRAWN) for k in range(DRAWN + 1)]
    return [(float(x), float(y), float(z)) for x, y, z in points]
