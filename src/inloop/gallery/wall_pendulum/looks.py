"""Looks of the pendulum and the wall."""

from __future__ import annotations

from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.wall_pendulum.model import BALL, WALL


def wall_pendulum_looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Two bars with balls that hang from a bracket, next to a brick wall."""

    def arm(end: str, color: str, ball: str) -> tuple[il.Visual, ...]:
        return (
            il.rod("origin", end, 0.012, color, material="paint"),
            *parts.bearing("origin", 0.026, 0.05, "y"),
            il.visual(il.sphere(BALL), end, ball, material="rubber"),
        )

    return {
        "upper": arm("elbow", parts.BLUE, parts.RED),
        "lower": arm("tip", parts.ORANGE, parts.BRASS),
        GROUND: (*_wall(), *parts.bracket((0.0, 0.0, 0.0), 0.12, "xz", hangs=True)),
    }


def _wall() -> tuple[il.Visual, ...]:
    """Courses of bricks, every second one shifted by half a brick."""
    thick, long, high, joint = 0.1, 0.2, 0.075, 0.008
    bricks = []
    for row in range(15):
        z = -1.02 + row * (high + joint)
        shift = 0.5 * (long + joint) * (row % 2)
        for k in range(-1, 3):
            y = k * (long + joint) - shift
            low, end = max(y, -0.2), min(y + long, 0.2)
            if end - low > 0.02:
                size = (thick, end - low, high)
                at = (WALL + 0.5 * thick, 0.5 * (low + end), z)
                tone = ("#9c4a35", "#a8563f", "#8f4430")[(row + 2 * k) % 3]
                bricks.append(il.visual(il.box(size), at, tone))
    mortar = il.visual(
        il.box((thick - 0.012, 0.388, 1.245)), (WALL + 0.5 * thick, 0.0, -0.44), parts.CREAM
    )
    return (*bricks, mortar)
