"""Drawings of a mechanism at a few instants of a run: bodies as lines and plates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import inloop as il

AZIMUTH, ELEVATION = np.radians(-55.0), np.radians(22.0)  # of the eye, for 3D drawings
FIRST, LATER, SPRING, TRACE, GROUND = "#1f5fa8", "#9db4cc", "#3a8f4d", "#d1651a", "#333333"
SHADE = (0.55, 0.58, 0.62)  # red, green, blue of discs
FLAT = 1e-9  # hulls flatter than this fraction of their length are lines


@dataclass(frozen=True)
class View:
    """How a figure shows a mechanism.

    Attributes:
        axes: "xy", "xz" or "yz" for a plane, the second letter up; three letters for a 3D
            drawing, the last one up.
        panels: signals over time, next to the drawing: one name or several names per panel.
        times: instants that are drawn [s], the first in strong color.
        trace: a point whose path is drawn.
        discs: radius [m] of bodies that are discs about their y axis, by name.
        until: end of the curves [s]; None: end of the run.
    """

    axes: str
    panels: tuple[str | tuple[str, ...], ...]
    times: tuple[float, ...] = (0.0,)
    trace: str | None = None
    discs: Mapping[str, float] = field(default_factory=dict)
    until: float | None = None


def draw(axes: Any, view: View, plant: il.Plant, result: il.Result) -> None:
    """Draw a mechanism on matplotlib axes."""
    rows = [int(np.argmin(np.abs(result.t - t))) for t in view.times if t <= result.t[-1] + 1e-9]
    shown = plant.outline(result.q[rows or [0]])
    if view.trace is not None:
        x, y = flattened(plant.position(view.trace, result.q), view.axes)
        axes.plot(x, y, color=TRACE, linewidth=0.9, zorder=1)
    for k in reversed(range(len(rows or [0]))):
        color, order = (FIRST, 4) if k == 0 else (LATER, 2)
        for corners in shown.bodies.values():
            _draw_body(axes, np.stack(flattened(corners[k], view.axes), axis=1), color, order)
        for nodes in shown.flexible.values():
            x, y = flattened(nodes[k], view.axes)
            axes.plot(x, y, color=color, linewidth=1.8 if order > 2 else 1.0, zorder=order,
                      solid_capstyle="round", marker="o", markersize=2.6)  # fmt: skip
        for name, radius in view.discs.items():
            rim = _rim(plant, name, radius, result.q[(rows or [0])[k]])
            strong = 1.0 if k == 0 else 0.4
            axes.fill(
                *flattened(rim, view.axes), facecolor=(*SHADE, 0.35 * strong),
                edgecolor=(*SHADE, strong), linewidth=1.4, zorder=order - 2,
            )  # fmt: skip
        if k == 0:
            for ends in shown.line_forces.values():
                x, y = flattened(ends[k], view.axes)
                axes.plot(x, y, color=SPRING, linewidth=1.6, linestyle=(0, (2, 1)), zorder=order)
    if len(shown.ground):
        x, y = flattened(shown.ground, view.axes)
        axes.plot(x, y, "s", color=GROUND, markersize=4, zorder=5)
    _finish(axes, view)


def _rim(plant: il.Plant, name: str, radius: float, q: np.ndarray) -> np.ndarray:
    """Points on the rim of a disc about the y axis of a body, in the world [m]."""
    p_WB, R_WB = plant.pose(name, q)
    turn = np.linspace(0.0, 2.0 * np.pi, 49)
    rim_B = radius * np.stack([np.cos(turn), np.zeros_like(turn), np.sin(turn)], axis=1)
    return np.asarray(p_WB + rim_B @ R_WB.T)


def flattened(points: np.ndarray, axes: str) -> tuple[np.ndarray, np.ndarray]:
    """Points in space on paper: to the right and up, shape of the points without the last axis."""
    order = ["xyz".index(letter) for letter in axes]
    parts = [points[..., k] for k in order]
    if len(parts) == 2:
        return parts[0], parts[1]
    a, b, up = parts
    right = -np.sin(AZIMUTH) * a + np.cos(AZIMUTH) * b
    away = np.cos(AZIMUTH) * a + np.sin(AZIMUTH) * b
    return right, np.cos(ELEVATION) * up - np.sin(ELEVATION) * away


def _draw_body(axes: Any, corners: np.ndarray, color: str, order: int) -> None:
    hull = _hull(corners)
    if len(hull) == 1:
        axes.plot(*hull.T, "o", color=color, markersize=5, zorder=order)
        return
    if len(hull) > 2:
        axes.fill(*hull.T, facecolor=color, alpha=0.15, edgecolor="none", zorder=order - 1)
        hull = np.vstack([hull, hull[:1]])
    axes.plot(*hull.T, color=color, linewidth=1.8 if order > 2 else 1.0, zorder=order,
              solid_capstyle="round")  # fmt: skip
    if order > 2:
        axes.plot(*corners.T, "o", color=color, markersize=2.6, zorder=order)


def _hull(points: np.ndarray) -> np.ndarray:
    """Convex hull of points in a plane, counterclockwise (Andrew 1979); the ends of a line."""
    size = float(np.ptp(points, axis=0).max()) or 1.0
    ordered = sorted({(round(float(x) / size, 9), round(float(y) / size, 9)) for x, y in points})
    if len(ordered) < 3:
        return size * np.array(ordered)

    def half(sequence: list[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for p in sequence:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= FLAT:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return size * np.array(half(ordered) + half(ordered[::-1]))


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _finish(axes: Any, view: View) -> None:
    axes.set_aspect("equal", adjustable="box")
    axes.margins(0.08)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if len(view.axes) == 2:
        axes.set_xlabel(f"{view.axes[0]} [m]")
        axes.set_ylabel(f"{view.axes[1]} [m]")
        axes.grid(True, color="#e6e6e6", linewidth=0.6)
        axes.set_axisbelow(True)
    else:
        axes.set_axis_off()
    if len(view.times) > 1:
        times = ", ".join(f"{t:g}" for t in view.times)
        axes.set_title(f"t = {times} s", fontsize=9, color="#555555")
