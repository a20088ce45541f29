"""A motor with delay, lag and force limit."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from inloop.errors import InputError


@dataclass
class Actuator:
    """Force = command, limited, delayed, and through a first-order lag.

    Attributes:
        period: step size [s].
        limit: largest force [N].
        lag: time constant [s].
        delay: dead time [s]; rounded to whole periods.
        force: current force [N].
    """

    period: float
    limit: float = math.inf
    lag: float = 0.0
    delay: float = 0.0
    force: float = 0.0
    waiting: deque[float] = field(init=False)

    def __post_init__(self) -> None:
        if not (self.period > 0.0 and self.limit > 0.0 and self.lag >= 0.0 and self.delay >= 0.0):
            raise InputError(
                "an actuator needs a period and a limit above zero, and no negative lag or delay",
                fix="Leave out what the motor does not have.",
            )
        self.waiting = deque([self.force] * round(self.delay / self.period))
        # fraction of the way to the command: at the end of a period, and on average within it
        ratio = self.period / self.lag if self.lag > 0.0 else math.inf
        self._left = math.exp(-ratio)
        self._mean_left = -math.expm1(-ratio) / ratio

    def step(self, command: float) -> float:
        """One period with a held command; returns the mean force within it [N]."""
        self.waiting.append(min(max(command, -self.limit), self.limit))
        wanted = self.waiting.popleft()
        missing = self.force - wanted
        self.force = wanted + self._left * missing
        return wanted + self._mean_left * missing
