"""Looks of the chain: rods of brass and steel side by side, a pot on a column, a guide."""

from __future__ import annotations

from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.chain_fountain.model import CENTER, GUIDE, LINK, POT

THICK = 0.006  # radius of a rod [m]
LAYERS = 7  # the rods move in one plane but are drawn side by side


def chain_fountain_looks(n: int) -> Mapping[str, tuple[il.Visual, ...]]:
    """Shapes of all bodies."""
    half, wall = 0.11, 0.012
    pot = [
        il.visual(il.box((2 * half, 2 * half, wall)), (0.0, 0.0, POT - 0.02), parts.BLUE,
                  material="paint"),
        il.visual(il.box((wall, 2 * half, 0.12)), (-half, 0.0, POT + 0.035), parts.BLUE,
                  material="paint"),
        il.visual(il.box((2 * half, wall, 0.12)), (0.0, half, POT + 0.035), parts.BLUE,
                  material="paint"),
    ]  # fmt: skip
    column = il.disc(
        (-0.03, 0.0, 0.0), (-0.03, 0.0, POT - 0.025), 0.035, parts.DARK, material="metal"
    )
    foot = il.visual(il.cylinder(0.25, 0.03), (-0.03, 0.0, 0.015), parts.DARK, material="paint")
    guide = il.visual(
        il.cylinder(GUIDE - THICK, 0.07, "y"),
        (CENTER[0], 0.0, CENTER[1]),
        parts.IRON,
        material="metal",
    )
    arm = il.rod(
        (-0.03, half, POT), (CENTER[0], half, CENTER[1]), 0.012, parts.DARK, material="metal"
    )
    axle = il.rod((CENTER[0], half, CENTER[1]), (CENTER[0], 0.0, CENTER[1]), 0.015, parts.STEEL)
    looks: dict[str, tuple[il.Visual, ...]] = {GROUND: (*pot, column, foot, guide, arm, axle)}
    for k in range(1, n + 1):
        aside = 0.012 * ((k % LAYERS) - LAYERS // 2) * (1.0 if k < n - 30 else 0.25)
        color = parts.BRASS if k % 2 else parts.STEEL
        looks[f"rod_{k}"] = (
            il.rod((0.0, aside, 0.0), (LINK, aside, 0.0), THICK, color, material="metal"),
            parts.ball((LINK, aside, 0.0), 1.6 * THICK, parts.COPPER),
        )
    return looks
