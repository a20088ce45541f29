"""Looks of the wall and the ball."""

from __future__ import annotations

from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.wall.model import DEPTH, HEIGHT, HOOK, RADIUS, ROPE, bricks

COLORS = ("#a65238", "#b5623f", "#9b4a34", "#bd7049", "#ad5a3c")


def looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Fired bricks on a slab, a steel ball on a gallows."""
    looks: dict[str, tuple[il.Visual, ...]] = {}
    for k, (name, (length, _)) in enumerate(bricks().items()):
        shape = il.box((length, DEPTH, HEIGHT))
        looks[name] = (il.visual(shape, color=COLORS[(7 * k) % len(COLORS)], material="paint"),)
    rope = il.cylinder(0.012, ROPE - RADIUS)
    looks["ball"] = (
        il.visual(il.sphere(RADIUS), (0.0, 0.0, -ROPE), parts.STEEL, material="metal"),
        il.visual(rope, (0.0, 0.0, -0.5 * (ROPE - RADIUS)), "#3a3d42", material="metal"),
    )
    x, y, z = HOOK
    beam = il.box((0.07, 1.3, 0.07))
    post = il.box((0.08, 0.08, z + 0.07))
    looks[GROUND] = (
        il.visual(il.box((2.6, 3.2, 0.04)), (0.0, -0.1, -0.02), "#8d8f8a", material="plastic"),
        il.visual(beam, (x, y - 0.6, z + 0.035), "#d9a441", material="paint"),
        il.visual(post, (x, y - 1.21, 0.5 * z + 0.035), "#d9a441", material="paint"),
    )
    return looks
