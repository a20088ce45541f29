"""The space that a motion takes: determines the camera and the floor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inloop.pictures.eye import Eye, eye_for
from inloop.pictures.shown import Shown
from inloop.plant import Array
from inloop.studio.drawing.hull_points import hull_points

FOLLOW = 2.5  # times its own size: the camera follows motions beyond that
MOST_SEEN = 60  # positions that determine the camera
SMALLEST = 1e-3  # [m]
NOTHING = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])  # bounds of an empty scene [m]
ACROSS = {"xy": 2, "xz": 1, "yz": 0}  # the normal axis of a plane


class Room:
    """Space of a moving mechanism.

    Args:
        shown: the mechanism.
        X: poses that will be drawn, shape (N, bodies, 12).
        aspect: width / height of the pictures.

    Attributes:
        size: size of the visible content [m].
        follows: whether the camera follows the mechanism.
    """

    def __init__(self, shown: Shown, X: Array, aspect: float) -> None:
        self._shown = shown
        corners = shown.corners(X[:: max(1, len(X) // MOST_SEEN)])
        corners = corners[np.isfinite(corners).all(axis=(1, 2))]
        whole = np.vstack([corners.reshape(-1, 3), shown.ground_corners])
        if not len(whole):
            whole = NOTHING
        # its size at the start, including the ground
        bounds = shown.scene["bounds"]
        own = float(np.max(np.subtract(bounds["max"], bounds["min"])))
        self.follows = bool(corners.size and np.max(np.ptp(whole, axis=0)) > FOLLOW * own)
        seen = whole
        if self.follows:
            seen = (corners - corners.mean(axis=1, keepdims=True)).reshape(-1, 3)
        scene = shown.scene
        self._eye = eye_for(scene["planar"], scene["up"], seen, aspect)
        self.size = max(float(np.linalg.norm(np.ptp(seen, axis=0))), SMALLEST)
        self._seen = seen if not self.follows else seen + self.eye(X[0]).target
        self._low, self._high = whole.min(axis=0), whole.max(axis=0)

    def eye(self, X: Array) -> Eye:
        """The camera for poses X, shape (bodies, 12)."""
        if not self.follows:
            return self._eye
        center = self._shown.corners(X[None])[0].mean(axis=0)
        return self._eye.moved(center) if np.isfinite(center).all() else self._eye

    def bounds(self, margin: float) -> dict[str, Any]:
        """A bounding box of everything visible, with a relative margin, and points [m]."""
        low, high = self._seen.min(axis=0), self._seen.max(axis=0)
        room = margin * float(np.max(high - low))
        points = hull_points(self._seen).tolist()
        return {"min": (low - room).tolist(), "max": (high + room).tolist(), "points": points}

    def grid(self, eye: Eye) -> Array:
        """Grid lines of a floor, or behind a planar mechanism, shape (k, 2, 3) [m]."""
        scene = self._shown.scene
        cell = 10.0 ** math.floor(math.log10(self.size / 4.0))
        cells = math.ceil(1.6 * self.size / cell)
        level = ACROSS[scene["planar"]] if scene["planar"] else "xyz".index(scene["up"])
        middle = np.round(eye.target / cell) * cell
        if scene["planar"]:
            away = float(eye.axes[2][level])
            middle[level] = (self._low if away > 0.0 else self._high)[level] - away * self.size
        else:
            middle[level] = self._low[level]
        a, b = (np.eye(3)[k] for k in range(3) if k != level)
        reach, steps = cells * cell, np.arange(-cells, cells + 1)[:, None] * cell
        lines = [
            np.stack([middle + steps * u - reach * v, middle + steps * u + reach * v], axis=1)
            for u, v in ((a, b), (b, a))
        ]
        return np.concatenate(lines)
