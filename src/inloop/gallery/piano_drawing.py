"""Drawings of the piano action from the side, with the looks of its parts."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.look import GROUND, Cylinder, Look, Plate
from inloop.gallery.piano_looks import piano_looks

EDGE, FORCE = "#3a3a3a", "#d01c1c"
MILLIMETERS = 1e3
NEWTON = 8.0  # length of an arrow for the root of a force [mm/√N]


def draw_action(axes: Any, plant: il.Plant, q: np.ndarray) -> None:
    """Draw the action in a position, in millimeters.

    Args:
        axes: of matplotlib.
        plant: the compiled action.
        q: coordinates of one position.
    """
    for name, looks in piano_looks().items():
        p_WB, R_WB = (np.zeros(3), np.eye(3)) if name == GROUND else plant.pose(name, q)
        for look in looks:
            outline_B = _outline(look)
            outline_W = MILLIMETERS * (outline_B @ R_WB.T + p_WB)
            axes.fill(outline_W[:, 0], outline_W[:, 2], facecolor=look.color, edgecolor=EDGE,
                      linewidth=0.4)  # fmt: skip
    axes.set_aspect("equal", adjustable="box")
    axes.set_axis_off()


def draw_forces(axes: Any, result: il.Result, row: int, contacts: tuple[str, ...]) -> None:
    """Draw the forces on the second parts of contacts; their lengths grow as the root.

    Args:
        axes: of matplotlib.
        result: a run.
        row: which sample.
        contacts: names of contacts whose first part is the ground.
    """
    for name in contacts:
        x, z, fx, fz = (float(result[f"{name}.{part}"][row])
                        for part in ("point_x", "point_z", "force_x", "force_z"))  # fmt: skip
        size = float(np.hypot(fx, fz))
        if size > 1e-3:
            scale = NEWTON / np.sqrt(size)
            axes.annotate("", (MILLIMETERS * x + scale * fx, MILLIMETERS * z + scale * fz),
                          (MILLIMETERS * x, MILLIMETERS * z),
                          arrowprops={"arrowstyle": "-|>", "color": FORCE})  # fmt: skip


def _outline(look: Look) -> np.ndarray:
    """Corners in axes of the body [m]."""
    if isinstance(look, Plate):
        return np.array([(x, 0.0, z) for x, z in look.corners])
    assert isinstance(look, Cylinder)
    (xa, _, za), (xb, _, zb) = look.a, look.b
    if (xa, za) != (xb, zb):
        r = look.radius
        return np.array(
            [(xa, 0.0, za - r), (xb, 0.0, zb - r), (xb, 0.0, zb + r), (xa, 0.0, za + r)]
        )
    turn = np.linspace(0.0, 2.0 * np.pi, 25)
    round_ = [xa + look.radius * np.cos(turn), np.zeros_like(turn), za + look.radius * np.sin(turn)]
    return np.stack(round_, axis=1)
