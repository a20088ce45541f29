"""Renders a mechanism frame by frame, as the studio does: shaded, with outlines."""

from __future__ import annotations

from typing import Any

import numpy as np

from inloop.pictures.canvas import SMOOTH, Bytes, Canvas
from inloop.pictures.eye import Eye
from inloop.pictures.palette import Palette
from inloop.pictures.room import Room
from inloop.pictures.shown import GROUND, Shown
from inloop.pictures.solids import solids
from inloop.pictures.tubes import tube, tubes
from inloop.plant import Array

AMBIENT, LAMP = 0.56, 0.5  # ambient light, and a lamp above the viewer's shoulder
SHOULDER = np.array([-0.35, 0.55, 1.0]) / np.linalg.norm([-0.35, 0.55, 1.0])
GAMMA = 2.2  # of a screen
OUTLINE, GRID = 1.1, 1.0  # line widths [pixels]
LINES = 2e-3  # offset of lines in front of their surface, relative to the visible height
BEHIND = 1e-4  # offset from body to body, relative to the visible height
PIECES = 40  # of a grid line, some of which may be behind the camera


class Renderer:
    """Renders pictures of one mechanism.

    Args:
        shown: the mechanism.
        X: poses that will be drawn, shape (N, bodies, 12): they determine the camera.
        width, height: size of the pictures [pixels].
        colors: colors of a theme.
    """

    def __init__(self, shown: Shown, X: Array, *, width: int, height: int, colors: Palette) -> None:
        self._shown, self._colors = shown, colors
        self._room = Room(shown, X, width / height)
        self._solids = solids(shown.scene, shown.meshes, colors)
        self._canvas = Canvas(width, height, colors.rgb("stage"))
        if not self._room.follows:
            self._draw_grid(self._room.eye(X[0]))
            self._canvas.keep()

    def picture(self, X: Array) -> Bytes:
        """A picture of poses X, shape (bodies, 12)."""
        canvas, eye = self._canvas, self._room.eye(X)
        canvas.clear()
        if self._room.follows:
            self._draw_grid(eye)
            canvas.push_back()
        light = eye.axes.T @ SHOULDER
        clear = []
        for solid in self._solids:
            p_WB, R_WB = np.zeros(3), np.eye(3)
            if solid.body != GROUND:
                p_WB, R_WB = X[solid.body, :3], X[solid.body, 3:].reshape(3, 3)
            facing = solid.normals @ (R_WB.T @ light)
            shade = _shade(np.abs(facing) if solid.both_sides else facing)
            # of coincident shapes, the first one is visible
            behind = -BEHIND * (solid.body + 1)
            vertices = eye.pulled(p_WB + solid.vertices @ R_WB.T, behind)
            corners = self._corners(vertices, solid.triangles, shade[..., None] * solid.colors, eye)
            if solid.opacity < 1.0:
                clear.append((corners, solid.opacity))
            else:
                canvas.triangles(corners)
            lines = eye.pulled(p_WB + solid.lines @ R_WB.T, LINES + behind)
            self._draw_lines(lines, solid.line_color, OUTLINE, eye)
        for name, curve, radius in tubes(self._shown.scene, X, self._room.size):
            vertices, triangles, normals = tube(curve, radius)
            color = _shade(normals @ light)[..., None] * np.array(self._colors.rgb(name))
            canvas.triangles(self._corners(vertices, triangles, color, eye))
        # translucent parts come last
        for corners, opacity in clear:
            canvas.triangles(corners, opacity)
        return canvas.picture()

    def _draw_grid(self, eye: Eye) -> None:
        ends = self._room.grid(eye)
        part = np.linspace(0.0, 1.0, PIECES + 1)[:, None, None]
        points = ends[:, 0] + part * (ends[:, 1] - ends[:, 0])
        pieces = np.stack([points[:-1], points[1:]], axis=2).reshape(-1, 2, 3)
        self._draw_lines(pieces, np.array(self._colors.rgb("grid")), GRID, eye)

    def _draw_lines(self, lines: Array, color: Array, width: float, eye: Eye) -> None:
        """Draw lines in a color, as narrow quads in front of their surface."""
        if not len(lines):
            return
        ends = eye.project(lines, self._canvas.height, self._canvas.width)
        along = ends[:, 1, :2] - ends[:, 0, :2]
        length = np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
        aside = np.zeros((len(ends), 3))
        aside[:, :2] = 0.5 * SMOOTH * width * np.stack([-along[:, 1], along[:, 0]], axis=1) / length
        a, b = ends[:, 0], ends[:, 1]
        quads = np.stack([a - aside, b - aside, b + aside, a - aside, b + aside, a + aside], axis=1)
        corners = np.empty((2 * len(ends), 3, 6), dtype=np.float32)
        corners[..., :3] = quads.reshape(-1, 3, 3)
        corners[..., 3:] = color
        self._canvas.triangles(corners)

    def _corners(self, vertices: Array, triangles: Any, colors: Array, eye: Eye) -> Any:
        """Corners on the screen, in the format of a canvas."""
        found = np.empty((len(triangles), 3, 6), dtype=np.float32)
        on_screen = eye.project(vertices, self._canvas.height, self._canvas.width)
        found[..., :3] = on_screen[triangles]
        found[..., 3:] = colors
        return found


def _shade(facing: Array) -> Array:
    """Brightness of a surface on a screen, from the cosine of its angle to the light."""
    return np.asarray((AMBIENT + LAMP * np.maximum(facing, 0.0)) ** (1.0 / GAMMA))
