"""Steering angles and speeds of six wheels from one speed and one curvature.

The rover turns about a point on the y axis of its trunk, at 1 / turn to the left. A wheel at (x, y)
then moves with speed · (1 - turn y, turn x), which determines its direction and rate.
"""

from __future__ import annotations

from typing import Any

import inloop as il
from inloop.gallery.rover import data

MOST_TURN = 1.2  # [1/m]: the center of rotation stays outside the wheels


def wheel_place(bogie: data.Bogie, name: str) -> tuple[float, float]:
    """x and y of a wheel in axes of the trunk, with level bogies [m]."""
    at = bogie.wheels[name]
    return bogie.at[0] + at[0], bogie.at[1] + at[1]


def lead(place: tuple[float, float], speed: Any, turn: Any) -> tuple[Any, Any]:
    """Angle of a bracket [rad] and speed of its wheel [rad/s].

    Args:
        place: x and y of the wheel [m].
        speed: of the trunk, forwards [m/s].
        turn: curvature of its path, to the left [1/m].
    """
    x, y = place
    turn = il.maximum(-MOST_TURN, il.minimum(turn, MOST_TURN))
    forwards, aside = 1.0 - turn * y, turn * x
    rolls = speed * il.sqrt(forwards**2 + aside**2) / data.RADIUS
    return il.atan(aside / forwards), rolls
