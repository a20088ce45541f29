"""Looks of the flexible link except its rod: motor, clamp, payload."""

from __future__ import annotations

from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, parts


def flexlink_looks(
    elements: int = 4, axial: bool = True, start: float = 0.0, held: bool = False
) -> Mapping[str, tuple[il.Visual, ...]]:
    """A motor on its flange behind the plane of the rod, a clamp with screws, a nut at the tip."""
    screws = [
        il.visual(il.cylinder(0.011, 0.086, "y"), (x, 0.0, 0.0), parts.STEEL, material="metal")
        for x in (0.085, 0.13)
    ]
    return {
        GROUND: (
            il.visual(il.box((0.34, 0.04, 0.34)), (0.0, 0.09, 0.0), parts.DARK, material="paint"),
            il.visual(il.cylinder(0.13, 0.3, "y"), (0.0, 0.26, 0.0), parts.BLUE, material="paint"),
            il.visual(il.cylinder(0.11, 0.04, "y"), (0.0, 0.43, 0.0), parts.IRON, material="metal"),
        ),
        "hub": (
            il.visual(il.cylinder(0.085, 0.07, "y"), color=parts.IRON, material="metal"),
            il.visual(il.cylinder(0.035, 0.1, "y"), color=parts.STEEL, material="metal"),
            il.visual(il.box((0.14, 0.06, 0.07)), (0.1, 0.0, 0.0), parts.ORANGE, material="paint"),
            *screws,
        ),
        f"link_{elements}": (
            il.visual(il.cylinder(0.035, 0.05, "y"), color=parts.BRASS, material="metal"),
        ),
    }
