"""Motions of a hand: minimum-jerk strokes, one after the other or overlapping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import inloop as il

Stroke = tuple[float, float, float]  # begin [s], duration [s], distance


def strokes(t: Any, moves: Sequence[Stroke]) -> tuple[Any, Any]:
    """Position and velocity at time t, a number or traced.

    x³ (10 - 15 x + 6 x²) rises from 0 to 1 with the least mean square jerk, from rest to rest.
    """
    position: Any = 0.0
    velocity: Any = 0.0
    for begin, duration, size in moves:
        x = il.minimum(il.max0((t - begin) / duration), 1.0)
        position = position + size * x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
        velocity = velocity + size / duration * 30.0 * x**2 * (1.0 - x) ** 2
    return position, velocity
