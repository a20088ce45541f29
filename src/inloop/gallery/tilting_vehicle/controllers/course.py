"""Closed curves on the ground, and the driver of the tilting vehicle, who follows them.

The driver aims at a point ahead on the curve and demands the curvature of the circle that leads
there (pure pursuit).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]
CORNERS = 480  # points of a curve
LENGTH, WIDTH = 2.1, 0.68  # half sizes of the figure eight [m]
STRAIGHT, BEND, AROUND = 3.2, 0.85, 0.12  # of the weave: length, radius, amplitude [m]
ABOVE = 0.01  # height above the road at which paths are drawn [m]
LOOK = 0.4  # preview time of the driver [s]
NEAREST = 0.3  # minimum preview distance [m]
CONES = tuple((3.0 + 2.2 * k, 0.0) for k in range(9))  # of the slalom [m]
ASIDE = 0.25  # lateral distance from them [m]


def circle(radius: float = 0.9) -> Reals:
    """A circle to the left, about the origin [m]."""
    a = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
    return radius * np.stack([np.cos(a), np.sin(a)], axis=1)


def figure_eight(length: float = LENGTH, width: float = WIDTH) -> Reals:
    """A horizontal figure eight (Gerono's lemniscate) through the origin [m]."""
    a = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
    return np.stack([length * np.sin(a), width * np.sin(2.0 * a)], axis=1)


def weave() -> Reals:
    """Two straights, each weaving around three cones, joined by half circles [m]."""
    x = np.linspace(0.0, STRAIGHT, CORNERS // 3, endpoint=False)
    ends = np.clip(np.minimum(x, STRAIGHT - x) / (0.17 * STRAIGHT), 0.0, 1.0)
    wave = AROUND * np.sin(3.0 * np.pi * x / STRAIGHT) * ends**2 * (3.0 - 2.0 * ends)
    turn = np.linspace(0.0, np.pi, CORNERS // 6, endpoint=False)
    bend = np.stack([STRAIGHT + BEND * np.sin(turn), BEND * (1.0 - np.cos(turn))], axis=1)
    half = np.concatenate([np.stack([x, wave], axis=1), bend])
    there = half - np.array([0.5 * STRAIGHT, BEND])
    return np.concatenate([there, -there])


def weave_cones() -> list[tuple[float, float]]:
    """Positions of the cones of `weave` [m]."""
    return [(x * STRAIGHT / 3.0, y) for x in (-1.0, 0.0, 1.0) for y in (-BEND, BEND)]


def slalom() -> Reals:
    """Straight, then around cones in a row, then straight [m]; not a closed curve."""
    gap = CONES[1][0] - CONES[0][0]
    x = np.arange(-1.0, 80.0, 0.05)
    first, last = CONES[0][0] - 0.5 * gap, CONES[-1][0] + 0.5 * gap
    inside = np.clip((x - first) / gap, 0.0, 1.0) * np.clip((last - x) / gap, 0.0, 1.0)
    wave = ASIDE * np.cos(np.pi * (x - CONES[0][0]) / gap) * np.sin(0.5 * np.pi * inside) ** 2
    return np.stack([x, wave], axis=1)


PATHS: Mapping[str, Reals] = {"figure eight": figure_eight(), "weave": weave(), "circle": circle()}


def drawn(path: Reals) -> list[tuple[float, float, float]]:
    """Points of a closed curve slightly above the road, for drawing [m]."""
    return [(float(x), float(y), ABOVE) for x, y in (*path, path[0])]


class Driver:
    """Follows a curve, or drives to a point.

    Attributes:
        aim: the point that he aims at [m].
        off: distance of the vehicle from the curve [m].
    """

    def __init__(self, path: Reals, *, closed: bool = True) -> None:
        self.path, self.closed = path, closed
        self.aim, self.off = (0.0, 0.0), 0.0
        self._at: int | None = None

    def reset(self) -> None:
        """Search the whole curve at the next call."""
        self._at = None

    def along(self, place: tuple[float, float], yaw: float, speed: float) -> float:
        """Desired curvature [1/m] at a position [m], with a yaw [rad] and a speed [m/s]."""
        path, here = self.path, np.array(place)
        count = len(path)
        if self._at is None:
            self._at = int(np.argmin(np.sum((path - here) ** 2, axis=1)))
        # the nearest point is slightly further than the previous one
        near = self._at + np.arange(-2, 12)
        near = near % count if self.closed else np.clip(near, 0, count - 1)
        gaps = np.hypot(*(path[near] - here).T)
        self._at = int(near[int(np.argmin(gaps))])
        self.off = float(gaps.min())
        if self.off > 3.0 * NEAREST:
            self._at = None  # the vehicle was moved
            return self.towards(tuple(path[int(near[-1])]), place, yaw)
        look, k = max(NEAREST, LOOK * speed), self._at
        for _ in range(count):
            if math.dist(path[k], place) > look:
                break
            k = (k + 1) % count if self.closed else min(k + 1, count - 1)
        return self.towards((float(path[k][0]), float(path[k][1])), place, yaw)

    def towards(self, aim: tuple[float, float], place: tuple[float, float], yaw: float) -> float:
        """Curvature [1/m] of the circle through a point [m]."""
        self.aim = aim
        x, y = aim[0] - place[0], aim[1] - place[1]
        far = max(math.hypot(x, y), 1e-6)
        sine = (-math.sin(yaw) * x + math.cos(yaw) * y) / far
        behind = math.cos(yaw) * x + math.sin(yaw) * y < 0.0
        return 2.0 * (math.copysign(1.0, sine) if behind else sine) / far
