"""Looks of the gripper."""

from __future__ import annotations

from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.gripper.model import OPEN, RADIUS, SIDES


def gripper_looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Yellow hand with two fingers and rubber pads, a ball, a table and a mast."""
    top = RADIUS + 0.1
    wide = 2.0 * (RADIUS + OPEN) + 0.11
    hand = (
        il.visual(il.box((wide, 0.06, 0.04)), (0.0, 0.0, top), "#e0a030", material="paint"),
        il.visual(il.box((0.05, 0.05, 0.05)), (0.0, 0.0, top + 0.042), parts.DARK),
        il.rod((0.0, 0.0, top + 0.04), (0.0, 0.0, top + 0.33), 0.012, parts.STEEL,
               material="metal"),
    )  # fmt: skip
    looks: dict[str, tuple[il.Visual, ...]] = {"hand": hand}
    for side, way in SIDES.items():
        looks[side] = (
            il.visual(il.box((0.012, 0.04, 0.05)), (way * 0.006, 0.0, 0.0), parts.RUBBER,
                      material="rubber"),
            il.visual(il.box((0.016, 0.034, 0.12)), (way * 0.02, 0.0, 0.036), parts.STEEL,
                      material="metal"),
        )  # fmt: skip
    seam = (il.visual(il.torus(0.985 * RADIUS, 0.0022, axis=a), color=parts.CREAM)
            for a in ("x", "y"))  # fmt: skip
    looks["ball"] = (il.visual(il.sphere(RADIUS), color="#c0562b", material="rubber"), *seam)
    mast = 0.46
    looks[GROUND] = (
        il.visual(il.box((0.42, 0.34, 0.03)), (0.0, 0.06, -0.015), "#b08968", material="wood"),
        il.visual(il.box((0.05, 0.03, mast)), (0.0, 0.2, 0.5 * mast), parts.IRON,
                  material="metal"),
        il.visual(il.box((0.06, 0.26, 0.05)), (0.0, 0.1, mast), parts.IRON, material="metal"),
    )  # fmt: skip
    return looks
