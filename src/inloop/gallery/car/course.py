"""Lines on the ground that drivers follow: lanes of a road, a track."""

from __future__ import annotations

import math

import numpy as np


class Course:
    """A line to follow, given by successive points.

    Queries are expected to move little from one to the next: the search starts at the last point.
    """

    def __init__(self, points: np.ndarray, *, closed: bool = False) -> None:
        """Take points in order, (n, 2) [m]; on a closed course the first follows the last."""
        self.points, self.closed, self._at = np.asarray(points, float)[:, :2], closed, 0
        self._apart = float(np.median(np.hypot(*np.diff(self.points, axis=0).T)))

    def reset(self) -> None:
        """Start the search at the first point."""
        self._at = 0

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Offset of a position to the left of the course [m], and heading of the course there."""
        self._find(x, y)
        before, behind = self.points[self._numbers(self._at + np.array([-1, 1]))]
        ahead = behind - before
        heading = math.atan2(ahead[1], ahead[0])
        ex, ey = x - self.points[self._at, 0], y - self.points[self._at, 1]
        return ey * math.cos(heading) - ex * math.sin(heading), heading

    def ahead(self, x: float, y: float, yaw: float, ways: np.ndarray) -> np.ndarray:
        """Lateral offsets of the course ahead of a position, relative to a straight line.

        Args:
            x: of the position [m].
            y: of the position [m].
            yaw: direction of the line [rad], within 1 rad of the course over the preview distance.
            ways: distances along the line, increasing [m].

        Returns:
            offsets to the left of the line [m]; beyond the end of an open course, that of its end.
        """
        self._find(x, y)
        count = int(1.3 * ways[-1] / self._apart) + 5
        near = self.points[self._numbers(self._at + np.arange(-2, count))] - (x, y)
        c, s = math.cos(yaw), math.sin(yaw)
        along, aside = near @ (c, s), near @ (-s, c)
        return np.asarray(np.interp(ways, np.maximum.accumulate(along), aside))

    def _find(self, x: float, y: float) -> None:
        """Find the nearest point in the neighborhood of the last one."""
        near = self._numbers(self._at + np.arange(-10, 40))
        away = np.hypot(*(self.points[near] - (x, y)).T)
        self._at = int(near[int(np.argmin(away))])

    def _numbers(self, numbers: np.ndarray) -> np.ndarray:
        """Valid indices of points: clipped on an open course, wrapped on a closed one."""
        count = len(self.points)
        return numbers % count if self.closed else np.clip(numbers, 0, count - 1)
