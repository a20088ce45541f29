"""Looks of the rotor: a hub on a mast, blades of strips that follow their nodes."""

from __future__ import annotations

from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.rotor.model import HEIGHT, LENGTH, OFFSET

CHORD, THICK = 0.17, 0.022  # of a blade [m]


def rotor_looks(blades: int, elements: int) -> Mapping[str, tuple[il.Visual, ...]]:
    """Shapes of all bodies."""
    strip = LENGTH / elements
    looks: dict[str, tuple[il.Visual, ...]] = {
        GROUND: (
            il.disc((0.0, 0.0, 0.0), (0.0, 0.0, HEIGHT - 0.06), 0.06, parts.DARK, material="metal"),
            il.visual(il.cylinder(0.5, 0.05), (0.0, 0.0, 0.025), parts.DARK, material="paint"),
            il.visual(il.cone(0.3, 0.3), (0.0, 0.0, 0.2), parts.IRON, material="paint"),
        ),
        "hub": (
            il.visual(il.cylinder(0.13, 0.12), color=parts.STEEL, material="metal"),
            il.visual(il.sphere(0.09), (0.0, 0.0, 0.06), parts.RED, material="paint"),
            *(
                il.rod((0.0, 0.0, 0.0), f"grip_{k}", 0.04, parts.IRON, material="metal")
                for k in range(1, blades + 1)
            ),
        ),
    }
    for k in range(1, blades + 1):
        color = parts.ORANGE if k == 1 else parts.CREAM
        looks[f"blade_{k}"] = (
            *parts.bearing((0.0, 0.0, 0.0), 0.055, 0.13, "z", parts.BRASS),
            il.visual(il.box((0.16, 0.09, 0.04)), (0.08, 0.0, 0.0), parts.IRON, material="metal"),
        )
        for j in range(1, elements + 1):
            last = j == elements
            # around the node, up to the middle of its elements
            size, middle = (0.5 * strip, -0.25 * strip) if last else (strip, 0.0)
            skin = il.visual(
                il.box((size, CHORD, THICK)), (middle, 0.02, 0.0), color, material="paint"
            )
            cap = il.visual(
                il.box((0.04, 1.02 * CHORD, 1.2 * THICK)),
                (-0.02, 0.02, 0.0),
                parts.RED,
                material="paint",
            )
            looks[f"blade_{k}_{j}"] = (skin, cap) if last else (skin,)
    return looks


REACH = (
    (-1.05 * (OFFSET + LENGTH), -1.05 * (OFFSET + LENGTH), 0.0),
    (1.05 * (OFFSET + LENGTH), 1.05 * (OFFSET + LENGTH), 1.6),
)
