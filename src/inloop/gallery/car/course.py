"""Lines on the ground that drivers follow: lanes of a road, a track."""

from __future__ import annotations

import math

import numpy as np


class Course:
    """A line to be followed: points that follow each other.

    Who asks for a place is expected to have moved little since: the search begins at the last one.
    """

    def __init__(self, points: np.ndarray, *, closed: bool = False) -> None:
        """Take points in order, (n, 2) [m]; a closed course begins anew behind the last."""
        self.points, self.closed, self._at = np.asarray(points, float)[:, :2], closed, 0
        self._apart = float(np.median(np.hypot(*np.diff(self.points, axis=0).T)))

    def reset(self) -> None:
        """Begin at the first point."""
        self._at = 0

    def place(self, x: float, y: float) -> tuple[float, float]:
        """How far a place is to the left of the course [m], and heading of the course there."""
        self._find(x, y)
        before, behind = self.points[self._numbers(self._at + np.array([-1, 1]))]
        ahead = behind - before
        heading = math.atan2(ahead[1], ahead[0])
        ex, ey = x - self.points[self._at, 0], y - self.points[self._at, 1]
        return ey * math.cos(heading) - ex * math.sin(heading), heading

    def ahead(self, x: float, y: float, yaw: float, ways: np.ndarray) -> np.ndarray:
        """Where the course runs ahead of a place, to the left of a straight line there.

        Args:
            x: of the place [m].
            y: likewise.
            yaw: direction of the line [rad], within 1 rad of the course as far as it is looked at.
            ways: along the line, growing [m].

        Returns:
            to the left of it [m]; behind the end of an open course, as at its end.
        """
        self._find(x, y)
        count = int(1.3 * ways[-1] / self._apart) + 5
        near = self.points[self._numbers(self._at + np.arange(-2, count))] - (x, y)
        c, s = math.cos(yaw), math.sin(yaw)
        along, aside = near @ (c, s), near @ (-s, c)
        return np.asarray(np.interp(ways, np.maximum.accumulate(along), aside))

    def _find(self, x: float, y: float) -> None:
        """The nearest point, not far from the last one."""
        near = self._numbers(self._at + np.arange(-10, 40))
        away = np.hypot(*(self.points[near] - (x, y)).T)
        self._at = int(near[int(np.argmin(away))])

    def _numbers(self, numbers: np.ndarray) -> np.ndarray:
        """Numbers of points that are there: an open course ends, a closed one begins anew."""
        count = len(self.points)
        return numbers % count if self.closed else np.clip(numbers, 0, count - 1)
