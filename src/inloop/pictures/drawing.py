"""A still picture of a mechanism as a small SVG: silhouettes of shapes, drawn back to front."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from inloop.pictures.eye import Eye
from inloop.pictures.palette import Palette, palette
from inloop.pictures.room import Room
from inloop.pictures.shown import GROUND, Shown
from inloop.pictures.tubes import tubes
from inloop.plant import Array
from inloop.studio.drawing.visuals import corners_of

WIDTH, HEIGHT = 320, 220  # [pixels]
CIRCLE = np.linspace(0.0, 2.0 * math.pi, 17)[:-1]
PLANES = {"xy": (0, 1, 2), "xz": (0, 2, 1), "yz": (1, 2, 0)}  # right, up, depth
EDGE = 'stroke="currentColor" stroke-opacity="0.55"'
FAINT = 0.22  # opacity of earlier positions


@dataclass(frozen=True)
class _Piece:
    nearness: float
    text: str


def drawing(shown: Shown, q: Array, width: int = WIDTH, height: int = HEIGHT) -> str:
    """A mechanism at one or a few positions, the last one in full color, the others faint.

    Args:
        shown: the mechanism.
        q: positions, shape (N, n).
        width: width of the picture [pixels].
        height: height of the picture [pixels].
    """
    X = shown.poses(q)
    X = X[np.isfinite(X).all(axis=(1, 2))]
    if not len(X):
        return ""
    room = Room(shown, X, width / height)
    pen = _Pen(room.eye(X[-1]), width, height, palette("light"), room.size)
    layers = []
    for k, pose in enumerate(X):
        pieces = sorted(pen.pieces(shown.scene, pose), key=lambda piece: piece.nearness)
        faint = "" if k == len(X) - 1 else f' opacity="{FAINT}"'
        layers.append(f"<g{faint}>{''.join(piece.text for piece in pieces)}</g>")
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg {size} role="img" aria-label="the mechanism">{"".join(layers)}</svg>'


class _Pen:
    """Draws visuals of a scene as SVG elements."""

    def __init__(self, eye: Eye, width: int, height: int, colors: Palette, size: float) -> None:
        self._eye, self._width, self._height = eye, width, height
        self._colors, self._size = colors, size

    def pieces(self, scene: Mapping[str, Any], X: Array) -> Iterator[_Piece]:
        """Elements of all bodies at poses X."""
        groups = [(GROUND, scene["ground"], self._colors["ground"])]
        groups += [
            (k, body["shapes"], self._colors.body(k)) for k, body in enumerate(scene["bodies"])
        ]
        for body, looks, color in groups:
            p, R = np.zeros(3), np.eye(3)
            if body != GROUND:
                p, R = X[body, :3], X[body, 3:].reshape(3, 3)
            for look in looks:
                p_WS, R_WS = p + R @ np.array(look["position"]), R @ np.array(look["rotation"])
                piece = self._piece(look, p_WS, R_WS, color, corners_of(look) @ R.T + p)
                if piece is not None:
                    yield piece
        for name, line, radius in tubes(scene, X, self._size):
            yield self._stroke(line, self._colors[name], radius)

    def _piece(
        self, look: Mapping[str, Any], p: Array, R: Array, color: str, corners: Array
    ) -> _Piece | None:
        shape, kind = look["shape"], look["shape"]["kind"]
        if look["color"] is not None:
            red, green, blue = (round(255 * x) for x in look["color"][:3])
            color = f"#{red:02x}{green:02x}{blue:02x}"
        if kind == "sphere":
            return self._circle(p, shape["radius"], color)
        if kind in ("capsule", "segment"):
            axis = np.array(shape["axis" if kind == "capsule" else "along"])
            half = 0.5 * shape["length"] * (R @ axis)
            return self._stroke(np.array([p - half, p + half]), color, shape.get("radius", 0.0))
        if kind in ("cylinder", "cone"):
            low, high = _rings(shape)
            return self._polygon(p + np.vstack([low, high]) @ R.T, color, hull=True)
        if kind in ("torus", "circle", "rim"):
            ring = _ring(shape["axis"], shape["radius"])
            closed = np.vstack([ring, ring[:1]])
            return self._stroke(p + closed @ R.T, color, shape.get("tube", 0.0))
        if kind == "line":
            return self._stroke(p + np.array(shape["points"]) @ R.T, color, 0.0)
        if kind == "plate":
            return self._plate(shape, p, R, color)
        if kind == "plane":
            return None
        return self._polygon(corners, color, hull=True)

    def _plate(self, shape: Mapping[str, Any], p: Array, R: Array, color: str) -> _Piece:
        a, b, across = PLANES[shape["plane"]]
        corners = np.zeros((len(shape["corners"]), 3))
        corners[:, [a, b]] = shape["corners"]
        half = np.zeros(3)
        half[across] = 0.5 * shape["thickness"]
        if abs(R[:, across] @ self._eye.axes[2]) > 0.999:
            return self._polygon(p + corners @ R.T, color, hull=False)
        return self._polygon(
            p + np.vstack([corners - half, corners + half]) @ R.T, color, hull=True
        )

    def _on_paper(self, points: Array) -> Array:
        return self._eye.project(points, self._height, self._width)

    def _scale(self, point: Array) -> float:
        """Pixels per meter at a point."""
        ends = self._on_paper(np.array([point, point + self._eye.axes[0]]))
        return float(ends[1, 0] - ends[0, 0])

    def _circle(self, center: Array, radius: float, color: str) -> _Piece:
        x, y, near = self._on_paper(center)
        size = max(radius * self._scale(center), 0.8)
        text = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" fill="{color}" {EDGE}/>'
        return _Piece(float(near), text)

    def _polygon(self, points: Array, color: str, hull: bool) -> _Piece:
        on_paper = self._on_paper(points)
        corners = on_paper[:, :2]
        if hull:
            with contextlib.suppress(scipy.spatial.QhullError):  # seen edge-on
                corners = corners[scipy.spatial.ConvexHull(corners).vertices]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
        text = f'<path d="M{path}Z" fill="{color}" stroke-linejoin="round" {EDGE}/>'
        return _Piece(float(on_paper[:, 2].mean()), text)

    def _stroke(self, points: Array, color: str, radius: float) -> _Piece:
        """A round bar: its color over a slightly wider line of ink."""
        on_paper = self._on_paper(points)
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in on_paper[:, :2])
        wide = max(2.0 * radius * self._scale(points.mean(axis=0)), 1.2)
        common = f'd="{path}" fill="none" stroke-linecap="round" stroke-linejoin="round"'
        inside = f'<path {common} stroke="{color}" stroke-width="{wide:.1f}"/>'
        if wide < 2.5:
            text = inside
        else:
            text = f'<path {common} {EDGE} stroke-width="{wide + 1.6:.1f}"/>{inside}'
        return _Piece(float(on_paper[:, 2].mean()), text)


def _ring(axis: Any, radius: float) -> Array:
    """Points of a circle about an axis through the origin."""
    z = np.array(axis, dtype=np.float64)
    x = np.cross(z, (0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0))
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    return np.asarray(radius * (np.cos(CIRCLE)[:, None] * x + np.sin(CIRCLE)[:, None] * y))


def _rings(shape: Mapping[str, Any]) -> tuple[Array, Array]:
    """Rims of a cylinder; for a cone, its base and its tip."""
    half = 0.5 * shape["length"] * np.array(shape["axis"])
    ring = _ring(shape["axis"], shape["radius"])
    return ring - half, (half[None] if shape["kind"] == "cone" else ring + half)
