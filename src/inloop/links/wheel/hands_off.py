"""Detect whether somebody holds the wheel, from its response to the force.

If nobody holds the wheel, the force goes into its own inertia and friction: J a + b w = force, a
moment later. A hand, or a stop, takes most of it. So the fraction

    s = <force (J a + b w)> / <force²>,

with means over a short time, is about 1 without and about 0 with a hand.
"""

from __future__ import annotations

import math
from collections import deque

from inloop.links.wheel.profile import WheelProfile

MEAN = 0.15  # time constant of the means [s]
LEAST = 0.05  # smaller forces (rms) are not used [N·m]
FREE, HELD = 0.5, 0.25  # fractions above which it is free, and below which it is held


class HandsOff:
    """Watches one wheel.

    Attributes:
        free: whether nobody holds it.
        share: fraction of the force that moves the wheel.
    """

    def __init__(self, profile: WheelProfile, period: float) -> None:
        """Of a wheel whose force is sent each `period` [s]."""
        self._inertia, self._friction, self._period = profile.inertia, profile.friction, period
        self._weight = 1.0 - math.exp(-period / MEAN)
        # a force sent now acts after the delay; the second difference belongs to one period ago
        self._sent: deque[float] = deque(maxlen=round(profile.delay / period) + 2)
        self._angles: deque[float] = deque(maxlen=3)
        self.rest()

    def rest(self) -> None:
        """Reset: somebody holds it."""
        self._sent.clear()
        self._angles.clear()
        self._power = self._moved = self.share = 0.0
        self.free = False

    def see(self, force: float, angle: float) -> bool:
        """One period; True if nobody holds the wheel.

        Args:
            force: force sent now, left positive [N·m].
            angle: current angle of the wheel [rad].
        """
        self._angles.append(angle)
        if len(self._sent) == self._sent.maxlen and len(self._angles) == 3:
            acted = self._sent[0]
            older, old, now = self._angles
            rate = (now - older) / (2.0 * self._period)
            acceleration = (now - 2.0 * old + older) / self._period**2
            moved = self._inertia * acceleration + self._friction * rate
            self._power += self._weight * (acted * acted - self._power)
            self._moved += self._weight * (acted * moved - self._moved)
            self._judge()
        self._sent.append(force)
        return self.free

    def _judge(self) -> None:
        if self._power < LEAST**2:
            return  # as it was
        self.share = self._moved / self._power
        if self.share > FREE:
            self.free = True
        elif self.share < HELD:
            self.free = False
