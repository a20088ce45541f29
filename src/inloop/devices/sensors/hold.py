"""Zero-order hold."""

from __future__ import annotations

import math
from dataclasses import dataclass

ROUNDING = 1e-9  # fraction of a period by which a sample may be early


@dataclass
class ZeroOrderHold:
    """Samples a value each period and holds it, like a digital-to-analog converter.

    Attributes:
        period: [s].
        value: the held value.
        due: time of the next sample [s].
    """

    period: float
    value: float = 0.0
    due: float = 0.0

    def ready(self, t: float) -> bool:
        """Whether a new value is due at time t [s]."""
        return t >= self.due - ROUNDING * self.period

    def take(self, t: float, value: float) -> float:
        """Sample a value at time t and hold it until the next multiple of the period."""
        self.value = value
        self.due = (math.floor(t / self.period + ROUNDING) + 1.0) * self.period
        return value
