"""The camera: a side view for planar mechanisms, else slightly from above, as in the studio."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from inloop.plant import Array

FIELD = math.radians(32.0)  # vertical field of view
TURN, LIFT = -0.62, 0.32  # azimuth, elevation [rad]
MARGIN = 1.12  # around the visible content
SIDES = {  # right, up and towards the camera
    "xy": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "xz": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
    "yz": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
}


@dataclass(frozen=True)
class Eye:
    """A camera.

    Attributes:
        axes: right, up and towards the camera in world axes, as rows.
        target: point at the center of the picture [m].
        high: visible height at the target [m].
        flat: orthographic projection; else perspective, at the distance given by the field of view.
    """

    axes: Array
    target: Array
    high: float
    flat: bool

    @property
    def distance(self) -> float:
        """Distance from the camera to the target [m]."""
        return 0.5 * self.high / math.tan(0.5 * FIELD)

    def project(self, points: Array, height: int, width: int) -> Array:
        """Project points to the screen: x, y [pixels] and nearness, shape as the points.

        Points behind the camera become NaN.
        """
        seen = (points - self.target) @ self.axes.T
        found = np.empty_like(seen)
        if self.flat:
            scale: Array | float = height / self.high
            found[..., 2] = seen[..., 2]
        else:
            away = self.distance - seen[..., 2]
            away = np.where(away > 1e-3 * self.distance, away, np.nan)
            scale = height / self.high * self.distance / away
            found[..., 2] = 1.0 / away
        found[..., 0] = 0.5 * width + scale * seen[..., 0]
        found[..., 1] = 0.5 * height - scale * seen[..., 1]
        return found

    def pulled(self, points: Array, part: float) -> Array:
        """Points moved towards the camera by a fraction of the visible height."""
        return np.asarray(points + part * self.high * self.axes[2])

    def moved(self, target: Array) -> Eye:
        """The same camera with a different target."""
        return replace(self, target=target)


def eye_for(planar: str | None, up: str, points: Array, aspect: float) -> Eye:
    """A camera that sees all points.

    Args:
        planar: plane of a planar mechanism, None for a spatial one.
        up: "y" or "z".
        points: points that must be visible [m], shape (count, 3).
        aspect: width / height of the picture.
    """
    flat = planar is not None
    axes = np.array(SIDES[planar]) if planar is not None else _from_above(up)
    low, high = points.min(axis=0), points.max(axis=0)
    size = float(np.max(high - low)) or 1.0
    seen = points @ axes.T
    # the center of the picture, then the required height
    middle = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
    seen -= middle
    half = np.maximum(np.abs(seen[:, 1]), np.abs(seen[:, 0]) / aspect)
    if not flat:
        half = half + np.maximum(seen[:, 2], 0.0) * math.tan(0.5 * FIELD)
    needed = 2.0 * MARGIN * max(float(half.max(initial=0.0)), 0.05 * size)
    return Eye(axes, middle @ axes, needed, flat)


def _from_above(up: str) -> Array:
    """Right, up and towards the camera, for a spatial mechanism."""
    s, c = math.sin(TURN), math.cos(TURN)
    level, above = math.cos(LIFT), math.sin(LIFT)
    towards = np.array(
        [level * s, above, level * c] if up == "y" else [level * s, -level * c, above]
    )
    vertical = np.array([0.0, 1.0, 0.0] if up == "y" else [0.0, 0.0, 1.0])
    right = np.cross(vertical, towards)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(towards, right), towards])
