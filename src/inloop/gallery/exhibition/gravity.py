"""Gravity of the gallery's mechanisms: a parameter that can be turned off and up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import inloop as il


def gravity_along(direction: Literal["-y", "-z"]) -> Callable[[il.Model], tuple[Any, Any, Any]]:
    """Value for a model's `gravity`: a live parameter g along an axis of the world."""

    def gravity(m: il.Model) -> tuple[Any, Any, Any]:
        doc = f"gravity, along {direction}"
        down = -m.parameter("g", 9.81, unit="m/s^2", range=(0.0, 25.0), doc=doc)
        return (0.0, down, 0.0) if direction == "-y" else (0.0, 0.0, down)

    return gravity
