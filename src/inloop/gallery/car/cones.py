"""Lanes between cones: the double lane changes of ISO 3888, and which cones a car hits.

Lanes are given by length, width and the position of the right edge; the right edges of the first
and the last lane are aligned. Widths depend on the width of the car.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WIDTH, FRONT, BACK = 1.7, 0.7, -3.4  # of the car, and its ends ahead of the front axle [m]
HALF = 0.5 * WIDTH
RADIUS = 0.14  # of the foot of a cone [m]
SPARE, INTO = 0.4, 0.1  # clearance that a driver keeps [m]; fraction of a gap, into lanes
APART = 3.0  # maximum distance of the cones of a lane [m]


@dataclass(frozen=True)
class Lane:
    """A lane between cones: x of its start and end, y of its right and left edge [m]."""

    begin: float
    end: float
    right: float
    left: float

    @property
    def middle(self) -> float:
        """y between its edges [m]."""
        return 0.5 * (self.right + self.left)


@dataclass(frozen=True)
class LaneChange:
    """Successive lanes."""

    name: str
    lanes: tuple[Lane, ...]

    @property
    def cones(self) -> np.ndarray:
        """Positions of all cones, (n, 2) [m]: their feet touch the lanes from outside."""
        positions = []
        for lane in self.lanes:
            count = int(np.ceil((lane.end - lane.begin) / APART)) + 1
            for x in np.linspace(lane.begin, lane.end, count):
                positions += [(x, lane.right - RADIUS), (x, lane.left + RADIUS)]
        return np.array(positions)

    @property
    def aims(self) -> tuple[float, ...]:
        """Target y in each lane: as little lateral motion as the clearance allows [m]."""
        aims = [self.lanes[0].middle]
        for lane in self.lanes[1:]:
            low, high = lane.right + HALF + SPARE, lane.left - HALF - SPARE
            aims.append(min(max(aims[-1], low), high) if low < high else lane.middle)
        return tuple(aims)

    def path(self, x: np.ndarray) -> np.ndarray:
        """y over x: half cosines from lane to lane that begin and end within the lanes [m]."""
        x = np.asarray(x, float)
        y = np.full(x.shape, self.aims[0])
        pairs = zip(self.lanes, self.lanes[1:], np.diff(self.aims), strict=False)
        for before, lane, aside in pairs:
            gap = lane.begin - before.end
            share = (x - before.end + INTO * gap) / ((1.0 + 2.0 * INTO) * gap)
            y = y + 0.5 * aside * (1.0 - np.cos(np.pi * np.clip(share, 0.0, 1.0)))
        return y

    def hit(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray) -> np.ndarray:
        """Indices of the cones that a car hits, from positions of its front axle."""
        touched = np.zeros(len(self.cones), bool)
        for k, cone in enumerate(self.cones):
            dx, dy = cone[0] - x, cone[1] - y
            ahead = np.cos(yaw) * dx + np.sin(yaw) * dy
            aside = np.cos(yaw) * dy - np.sin(yaw) * dx
            # nearest point of the car's outline
            out = ahead - np.clip(ahead, BACK, FRONT), aside - np.clip(aside, -HALF, HALF)
            far = np.hypot(*out)
            touched[k] = bool((far < RADIUS).any())
        return np.flatnonzero(touched)


def _lanes(begin: float, *sizes: tuple[float, float, float, float]) -> tuple[Lane, ...]:
    """Lanes by the gap before each, its length, width and right edge [m]."""
    lanes, x = [], begin
    for gap, length, width, right in sizes:
        lanes.append(Lane(x + gap, x + gap + length, right, right + width))
        x += gap + length
    return tuple(lanes)


def iso_3888_1(begin: float) -> LaneChange:
    """Severe lane change: 125 m, to the left by 3.5 m and back."""
    a, b, c = 1.1 * WIDTH + 0.25, 1.2 * WIDTH + 0.25, 1.3 * WIDTH + 0.25
    edge = -0.5 * a
    return LaneChange(
        "ISO 3888-1",
        _lanes(begin, (0.0, 15.0, a, edge), (30.0, 25.0, b, edge + 3.5), (25.0, 30.0, c, edge)),
    )


def iso_3888_2(begin: float) -> LaneChange:
    """Obstacle avoidance: 61 m, lateral gap of 1 m between the first two lanes."""
    a, b, c = 1.1 * WIDTH + 0.25, WIDTH + 1.0, 3.0
    edge = -0.5 * a
    return LaneChange(
        "ISO 3888-2",
        _lanes(begin, (0.0, 12.0, a, edge), (13.5, 11.0, b, edge + a + 1.0), (12.5, 12.0, c, edge)),
    )
