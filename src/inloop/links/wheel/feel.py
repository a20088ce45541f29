"""What a hand is to feel at the wheel: the torque of the plant, made safe."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

FILTER = 40.0  # of the wheel's rate [Hz]
YIELD, RETURN = 0.1, 0.5  # in which the gain falls when the wheel is let go, and comes back [s]


@dataclass(frozen=True)
class Feel:
    """How the torque of a plant becomes that of a wheel.

    Attributes:
        gain: of the plant's torque [1].
        limit: largest torque [N·m].
        damping: added [N·m·s/rad].
        stop: where the end stops begin, on either side [rad].
        stop_stiffness: of the end stops [N·m/rad].
        stop_damping: likewise [N·m·s/rad].
        ramp: time in which the torque comes in after it was zero [s].
        calm: part of the gain that is left when nobody holds the wheel.
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
    clipped: bool  # more was wanted than the limit


class Hand:
    """Follows the wheel and tells the torque on it; anything unusual makes it zero.

    Whenever it was zero it comes in again by a ramp.
    """

    def __init__(self, feel: Feel, period: float) -> None:
        """The wheel at rest; `period` is the time between two calls [s]."""
        self.feel = feel
        self._period = period
        self._share = 1.0 - math.exp(-2.0 * math.pi * FILTER * period)
        self.rest()

    def rest(self) -> None:
        """The wheel is not held: forget what was."""
        self._angle: float | None = None
        self._rate = 0.0
        self._ramp = 0.0
        self._held = 1.0

    def torque(self, plant: float | None, angle: float, *, free: bool = False) -> Felt:
        """The torque for this period.

        Args:
            plant: torque that the plant shows [N·m], left positive; None: nobody knows it.
            angle: of the wheel [rad], left positive.
            free: nobody holds the wheel.
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
