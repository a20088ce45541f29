"""A value that is passed on at certain times and held in between."""

from __future__ import annotations

import math
from dataclasses import dataclass

ROUNDING = 1e-9  # of a period, by which a time may be early


@dataclass
class ZeroOrderHold:
    """What a digital-to-analog converter does: it takes a value each period and holds it.

    Attributes:
        period: [s].
        value: held now.
        due: when the next value is taken [s].
    """

    period: float
    value: float = 0.0
    due: float = 0.0

    def ready(self, t: float) -> bool:
        """Tell whether a new value is due at time t [s]."""
        return t >= self.due - ROUNDING * self.period

    def take(self, t: float, value: float) -> float:
        """Take a value at time t and hold it until the next multiple of the period."""
        self.value = value
        self.due = (math.floor(t / self.period + ROUNDING) + 1.0) * self.period
        return value
