"""Looks of the boom: painted frames, steel bars, balls at their joints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.truss.model import BAY, DROP, RADIUS, bars, corner


def _frame(middle: np.ndarray, color: str) -> tuple[il.Visual, ...]:
    corners = [tuple((middle + corner(k)).tolist()) for k in range(3)]
    sides = (il.rod(corners[k - 1], corners[k], 0.011, color, material="paint") for k in range(3))
    return (*sides, *(parts.ball(at, 0.022, parts.BRASS) for at in corners))


def truss_looks(bays: int) -> Mapping[str, tuple[il.Visual, ...]]:
    """Shapes of all bodies."""
    top = np.array([0.0, 0.0, -DROP])
    hinge = (
        *parts.bearing((0.0, 0.0, 0.0), 0.03, 0.12, "y"),
        *(
            il.rod((0.0, 0.0, 0.0), tuple((top + corner(k)).tolist()), 0.01, parts.IRON)
            for k in range(3)
        ),
    )
    colors = (parts.BLUE, parts.GREEN, parts.ORANGE, parts.CREAM)
    looks: dict[str, tuple[il.Visual, ...]] = {
        GROUND: parts.bracket((0.0, 0.0, 0.0), 0.16, "xz", hangs=True),
        "frame_0": (*hinge, *_frame(top, parts.RED)),
    }
    for bay in range(1, bays + 1):
        for number, (above, below) in enumerate(bars()):
            color = parts.STEEL if above == below else parts.IRON
            bar = il.rod("origin", "end", 0.009, color, material="metal")
            looks[f"bar_{bay}_{number}"] = (bar,)
        looks[f"frame_{bay}"] = _frame(-corner(bars()[0][1]), colors[bay % len(colors)])
    return looks


def reach(bays: int) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Corners of the box in which it swings [m]."""
    out = 0.85 * (DROP + BAY * bays) + RADIUS + 0.03
    return (-out, -RADIUS - 0.04, -DROP - BAY * bays - 0.06), (out, RADIUS + 0.04, 0.24)
