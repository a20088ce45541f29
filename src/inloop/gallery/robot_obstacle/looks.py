"""Looks: the arm of `puma560` with a rubber buffer, and a block on a pillar."""

from __future__ import annotations

from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, parts
from inloop.gallery.puma560.looks import puma560_looks
from inloop.gallery.robot_obstacle.kinematics import TOOL
from inloop.gallery.robot_obstacle.model import BLOCK, BUFFER, CENTER


def robot_obstacle_looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Looks of all bodies; a buffer replaces the gripper."""
    arm = dict(puma560_looks())
    x, y, z = CENTER
    below = z - 0.5 * BLOCK[2]
    foot = -0.36
    stripes = tuple(
        il.visual(il.box((BLOCK[0] + 0.002, BLOCK[1] + 0.002, 0.03)), (x, y, z + 0.09 * k),
                  "#e0b030", material="paint")
        for k in (-1, 0, 1)
    )  # fmt: skip
    arm[GROUND] = (
        *arm[GROUND],
        il.visual(il.box(BLOCK), CENTER, parts.DARK, material="paint"),
        *stripes,
        il.visual(il.box((0.1, 0.14, below - foot)), (x + 0.02, y, 0.5 * (below + foot)),
                  parts.IRON, material="metal"),
        il.visual(il.box((0.3, 0.36, 0.03)), (x + 0.02, y, foot + 0.015), parts.DARK,
                  material="paint"),
    )  # fmt: skip
    arm["link_6"] = (
        il.disc((0.0, 0.0, 0.03), (0.0, 0.0, 0.056), 0.026, parts.STEEL, material="metal"),
        il.rod((0.0, 0.0, 0.05), (0.0, 0.0, TOOL), 0.013, parts.STEEL, material="metal"),
        il.visual(il.sphere(BUFFER), (0.0, 0.0, TOOL), parts.RED, material="rubber"),
    )
    return arm
