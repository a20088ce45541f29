"""Looks of the woodpecker."""

from __future__ import annotations

from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.woodpecker.model import BEAK, HOLE, POLE, SLEEVE, TO_BIRD


def woodpecker_looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """A green bird of painted wood on a coil, at a brass pole."""
    tall = 0.235
    pole = il.rod((0.0, 0.0, 0.0), (0.0, 0.0, tall), POLE, parts.BRASS, material="metal")
    foot = il.visual(il.cylinder(0.03, 0.01, "z"), (0.0, 0.0, -0.003), "#7a5230", material="wood")
    knob = il.visual(il.sphere(0.005), (0.0, 0.0, tall), "#7a5230", material="wood")
    ring = il.lathe([(HOLE, -SLEEVE), (0.0052, -SLEEVE), (0.0052, SLEEVE), (HOLE, SLEEVE)], "z")
    sleeve = (
        il.visual(ring, color="#7a5230", material="wood"),
        il.rod((0.005, 0.0, 0.0), "spring", 0.0007, parts.STEEL, material="metal"),
    )
    coils = tuple(
        il.visual(
            il.torus(0.0018, 0.00045, axis="x"), (0.0009 * k, 0.0, 0.0), parts.STEEL,
            material="metal",
        )
        for k in range(1, 6)
    )  # fmt: skip
    x, z = TO_BIRD, BEAK[1]
    tip = (x + BEAK[0], 0.0, z)
    wing = [(x - 0.004, 0.003), (x + 0.003, 0.004), (x + 0.005, -0.004), (x + 0.003, -0.014)]
    bird = (
        il.rod((x - 0.002, 0.0, 0.009), (x + 0.001, 0.0, -0.009), 0.0078, "#4f8a5b",
               material="paint"),
        il.rod((x - 0.0062, 0.0, 0.006), (x - 0.0042, 0.0, -0.006), 0.0052, parts.CREAM,
               material="paint"),
        il.visual(il.sphere(0.0068), (x - 0.006, 0.0, z), "#4f8a5b", material="paint"),
        il.visual(il.sphere(0.0058), (x - 0.0048, 0.0, z + 0.003), parts.RED, material="paint"),
        il.rod((x - 0.0095, 0.0, z), (tip[0] + 0.0008, 0.0, tip[2]), 0.0016, "#d9b45a",
               material="paint"),
        il.rod((tip[0] + 0.003, 0.0, z), (tip[0] + 0.0006, 0.0, z), 0.0006, "#d9b45a",
               material="paint"),
        il.rod((x + 0.002, 0.0, -0.012), (x + 0.0015, 0.0, -0.027), 0.0028, "#4f8a5b",
               material="paint"),
        *(il.visual(il.sphere(0.0011), (x - 0.0095, 0.0052 * s, z + 0.0022), "#f4f1ea",
                    material="glass") for s in (-1.0, 1.0)),
        *(il.visual(il.plate(wing, 0.001, "xz"), (0.0, 0.0075 * s, 0.0), "#2f5a3c",
                    material="paint") for s in (-1.0, 1.0)),
        *coils,
    )  # fmt: skip
    return {"sleeve": sleeve, "bird": bird, GROUND: (pole, foot, knob)}
