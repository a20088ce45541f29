"""Stanley's driver (Hoffmann et al. 2007): heading and offset of the front axle, no look ahead.

    angle = (heading of the course - yaw) - atan(k offset / (V + V0)),

with the offset of the front axle to the left of the course.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inloop.gallery.car.drivers import STEERING, speed_of


class Course:
    """A line to be followed: points that follow each other.

    Who asks for a place is expected to have moved little since: the search begins at the last one.
    """

    def __init__(self, points: np.ndarray, *, closed: bool = False) -> None:
        """Take points in order, (n, 2) [m]; a closed course begins anew behind the last."""
        self.points, self.closed, self._at = np.asarray(points, float)[:, :2], closed, 0

    def reset(self) -> None:
        """Begin at the first point."""
        self._at = 0

    def place(self, x: float, y: float) -> tuple[float, float]:
        """How far a place is to the left of the course [m], and heading of the course there."""
        count = len(self.points)
        near = self._at + np.arange(-10, 40)
        near = near % count if self.closed else np.clip(near, 0, count - 1)
        away = np.hypot(*(self.points[near] - (x, y)).T)
        self._at = int(near[int(np.argmin(away))])
        ends = (self._at - 1, self._at + 1)
        if self.closed:
            before, behind = (self.points[k % count] for k in ends)
        else:
            before, behind = (self.points[min(max(k, 0), count - 1)] for k in ends)
        ahead = behind - before
        heading = math.atan2(ahead[1], ahead[0])
        ex, ey = x - self.points[self._at, 0], y - self.points[self._at, 1]
        return ey * math.cos(heading) - ex * math.sin(heading), heading


@dataclass
class Stanley:
    """Follows a course.

    Attributes:
        course: the line.
        gain: k [1/s].
        softness: V0 [m/s].
        most: largest angle of the steering wheel [rad].
    """

    course: Course
    gain: float = 1.5
    softness: float = 1.0
    most: float = 6.0

    def reset(self) -> None:
        """Begin at the first point of the course."""
        self.course.reset()

    def __call__(self, outputs: Mapping[str, float]) -> float:
        """Angle of the steering wheel [rad]."""
        # the frame of the chassis is at the front axle
        offset, heading = self.course.place(outputs["chassis_tx.q"], outputs["chassis_ty.q"])
        turn = math.remainder(heading - outputs["chassis_rz.q"], 2.0 * math.pi)
        angle = turn - math.atan(self.gain * offset / (speed_of(outputs) + self.softness))
        return min(max(angle / STEERING, -self.most), self.most)
