"""Drawings of a mechanism in a plane, with the looks of its bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.look import GROUND, Ball, Box, Cylinder, Line, Look, Plate, Rod

EDGE, PLAIN = "#3a3a3a", "#c8ccd2"
CORNERS = 25  # of a circle
FLAT = 1e-12  # of a bar that is seen from its end [m]


def draw_looks(
    axes: Any,
    plane: str,
    looks: Mapping[str, tuple[Look, ...]],
    plant: il.Plant,
    q: np.ndarray,
) -> None:
    """Draw all bodies in one position on matplotlib axes [m], in the order of the looks.

    Args:
        axes: of matplotlib.
        plane: "xz", ...: to the right and up.
        looks: by name of the body, or "ground".
        plant: the compiled mechanism.
        q: its coordinates.
    """
    shown = ["xyz".index(letter) for letter in plane]
    order = 2.0  # what comes later covers what came before, edges included
    for name, pieces in looks.items():
        p_WB, R_WB = (np.zeros(3), np.eye(3)) if name == GROUND else plant.pose(name, q)
        for look in pieces:
            x, y = (_outline(look, shown) @ R_WB.T + p_WB)[:, shown].T
            color, order = EDGE, order + 0.01
            if isinstance(look, Line):
                color = look.color or EDGE
            else:
                axes.fill(x, y, facecolor=look.color or PLAIN, edgecolor="none", zorder=order)
            axes.plot(x, y, color=color, linewidth=0.4, zorder=order)
    axes.set_aspect("equal", adjustable="box")


def _outline(look: Look, shown: list[int]) -> np.ndarray:
    """Closed outline as seen across the plane, in axes of the body [m]."""
    if isinstance(look, Line):
        return np.array(look.points)
    if isinstance(look, Plate):
        corners = np.zeros((len(look.corners), 3))
        corners[:, ["xyz".index(letter) for letter in look.plane]] = look.corners
        return np.vstack([corners, corners[:1]])
    if isinstance(look, Ball):
        return _circle(np.array(look.center), look.radius, shown)
    if isinstance(look, Box):
        half, signs = 0.5 * np.array(look.size), ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
        corners = np.tile(np.array(look.center, dtype=float), (5, 1))
        corners[:, shown] += np.array(signs) * half[shown]
        return corners
    assert isinstance(look, Rod | Cylinder)
    a, b = np.array(look.a), np.array(look.b)
    along = (b - a)[shown]
    length = float(np.hypot(*along))
    if length < FLAT:
        return _circle(a, look.radius, shown)
    aside = np.zeros(3)
    aside[shown] = look.radius * np.array([-along[1], along[0]]) / length
    return np.array([a - aside, b - aside, b + aside, a + aside, a - aside])


def _circle(center: np.ndarray, radius: float, shown: list[int]) -> np.ndarray:
    turn = np.linspace(0.0, 2.0 * np.pi, CORNERS)
    points = np.tile(center.astype(float), (CORNERS, 1))
    points[:, shown] += radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return points
