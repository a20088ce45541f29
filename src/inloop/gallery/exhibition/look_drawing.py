"""Drawings of a mechanism in a plane, with the looks of its bodies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.exhibition.device import GROUND

EDGE, PLAIN = "#3a3a3a", "#c8ccd2"
CORNERS = 49  # of a circle
FLAT = 1e-12  # projected length below which a bar is seen from its end [m]


def draw_looks(
    axes: Any,
    plane: str,
    looks: Mapping[str, tuple[il.Visual, ...]],
    plant: il.Plant,
    q: np.ndarray,
) -> None:
    """Draw all bodies in one position on matplotlib axes [m], in the order of the looks.

    Args:
        axes: matplotlib axes.
        plane: "xz", ...: to the right and up.
        looks: by name of the body, or "ground".
        plant: the compiled mechanism.
        q: its coordinates.
    """
    shown = ["xyz".index(letter) for letter in plane]
    order = 2.0  # later pieces cover earlier ones, edges included
    for name, pieces in looks.items():
        p_WB, R_WB = (np.zeros(3), np.eye(3)) if name == GROUND else plant.pose(name, q)
        X_WB = (p_WB, R_WB)
        for piece in pieces:
            look = piece.placed(partial(_point, plant, name, q, X_WB))
            x, y = (_outline(look, shown) @ R_WB.T + p_WB)[:, shown].T
            color: Any = EDGE
            order += 0.01
            if isinstance(look.shape, il.geometry.Line):
                color = look.color or EDGE
            else:
                axes.fill(x, y, facecolor=look.color or PLAIN, edgecolor="none", zorder=order)
            axes.plot(x, y, color=color, linewidth=0.4, zorder=order)
    axes.set_aspect("equal", adjustable="box")


def _point(
    plant: il.Plant, body: str, q: np.ndarray, X_WB: tuple[np.ndarray, np.ndarray], name: str
) -> np.ndarray:
    """A named point in body axes [m]."""
    p_WB, R_WB = X_WB
    return np.asarray((plant.position(f"{body}.{name}", q) - p_WB) @ R_WB)


def _outline(look: il.Visual, shown: list[int]) -> np.ndarray:
    """Closed outline as seen normal to the plane, in body axes [m]."""
    shape, kinds = look.shape, il.geometry
    if isinstance(shape, kinds.Line):
        outline = shape.points
    elif isinstance(shape, kinds.Plate):
        corners = np.zeros((len(shape.corners), 3))
        corners[:, ["xyz".index(letter) for letter in shape.plane]] = shape.corners
        outline = np.vstack([corners, corners[:1]])
    elif isinstance(shape, kinds.Sphere):
        outline = _circle(shape.radius, shown)
    elif isinstance(shape, kinds.Capsule | kinds.Cylinder):
        outline = _bar(shape, shown)
    elif isinstance(shape, kinds.Torus) and np.hypot(*np.array(shape.axis)[shown]) < FLAT:
        # a ring seen along its axis: around it, then back around its hole
        around = _circle(shape.radius + shape.tube, shown)
        hole = _circle(shape.radius - shape.tube, shown)
        outline = np.vstack([around, hole[::-1]])
    else:
        half, signs = 0.5 * np.ptp(shape.bounds, axis=0), ((-1, -1), (1, -1), (1, 1), (-1, 1))
        outline = np.tile(shape.bounds.mean(axis=0), (5, 1))
        outline[:, shown] += np.array([*signs, signs[0]]) * half[shown]
    return np.asarray(outline @ np.array(look.rotation).T + np.array(look.position))


def _bar(bar: il.geometry.Capsule | il.geometry.Cylinder, shown: list[int]) -> np.ndarray:
    half = 0.5 * (bar.length or 0.0) * np.array(bar.axis)
    along = half[shown]
    length = float(np.hypot(*along))
    if length < FLAT:
        return _circle(bar.radius, shown)
    aside = np.zeros(3)
    aside[shown] = bar.radius * np.array([-along[1], along[0]]) / length
    return np.array([-half - aside, half - aside, half + aside, -half + aside, -half - aside])


def _circle(radius: float, shown: list[int]) -> np.ndarray:
    turn = np.linspace(0.0, 2.0 * np.pi, CORNERS)
    points = np.zeros((CORNERS, 3))
    points[:, shown] = radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return points
