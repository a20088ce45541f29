"""Torque felt at the wheel: that of the plant, limited to safe values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

FILTER = 40.0  # filter of the wheel's velocity [Hz]
YIELD, RETURN = 0.1, 0.5  # time in which the gain falls when the wheel is released, and returns [s]


@dataclass(frozen=True)
class Feel:
    """Mapping of the plant's torque to that of a wheel.

    Attributes:
        gain: factor of the plant's torque [1].
        limit: largest torque [N·m].
        damping: additional damping [N·m·s/rad].
        stop: position of the end stops, on either side [rad].
        stop_stiffness: of the end stops [N·m/rad].
        stop_damping: likewise [N·m·s/rad].
        ramp: time in which the torque rises after it was zero [s].
        calm: fraction of the gain that remains when nobody holds the wheel.
    """

    gain: float = 0.1
    limit: float = 2.0
    damping: float = 0.05
    stop: float = math.inf
    stop_stiffness: float = 6.0
    stop_damping: float = 0.05
    ramp: float = 1.0
    calm: float = 0.3


class Felt(NamedTuple):
    """One period."""

    torque: float  # on the wheel, left positive [N·m]
    clipped: bool  # the limit was exceeded


class Hand:
    """Tracks the wheel and computes its torque, which is zero in any unusual situation.

    After it was zero it rises along a ramp.
    """

    def __init__(self, feel: Feel, period: float) -> None:
        """The wheel at rest; `period` is the time between two calls [s]."""
        self.feel = feel
        self._period = period
        self._share = 1.0 - math.exp(-2.0 * math.pi * FILTER * period)
        self.rest()

    def rest(self) -> None:
        """Reset: the wheel is not held."""
        self._angle: float | None = None
        self._rate = 0.0
        self._ramp = 0.0
        self._held = 1.0

    def torque(self, plant: float | None, angle: float, *, free: bool = False) -> Felt:
        """The torque for this period.

        Args:
            plant: torque shown by the plant [N·m], left positive; None: unknown.
            angle: angle of the wheel [rad], left positive.
            free: whether nobody holds the wheel.
        """
        if plant is None or not math.isfinite(plant) or not math.isfinite(angle):
            self.rest()
            return Felt(0.0, False)
        feel = self.feel
        before = angle if self._angle is None else self._angle
        self._angle = angle
        self._rate += self._share * ((angle - before) / self._period - self._rate)
        goal, pace = (feel.calm, YIELD) if free else (1.0, RETURN)
        way = self._period / pace
        self._held += max(-way, min(goal - self._held, way))
        wanted = feel.gain * self._held * plant - feel.damping * self._rate
        beyond = abs(angle) - feel.stop
        if beyond > 0.0:
            side = math.copysign(1.0, angle)
            spring = -side * feel.stop_stiffness * beyond
            # a stop pushes back and never pulls
            push = spring - feel.stop_damping * self._rate
            wanted += push if push * side < 0.0 else 0.0
        wanted *= self._ramp
        step = self._period / feel.ramp if feel.ramp > 0.0 else 1.0
        self._ramp = min(1.0, self._ramp + step)
        held = max(-feel.limit, min(wanted, feel.limit))
        return Felt(held, held != wanted)
