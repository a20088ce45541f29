"""Times of samples: the number of periods passed, and checks of the times."""

from __future__ import annotations

import math

from inloop.errors import InputError

WRONG = 1e-3  # relative drift of the period: that of real clocks is smaller
LONG = 1e9  # periods: longer gaps are truncated to this


class SampleClock:
    """Counts periods by the time stamps of samples.

    Times are those of the measurement. From sample to sample they may be off by less than half a
    period; errors do not accumulate, as each time is compared with the previous one.

    Attributes:
        last: time of the last sample [s]; None before the first one with a time.
    """

    def __init__(self, period: float) -> None:
        """Create a clock before the first sample; the period is in seconds."""
        self._period = period
        self.last: float | None = None
        self._counted, self._ahead = 0, 0.0  # periods counted, and accumulated rounding of them

    @property
    def mean(self) -> float | None:
        """Mean time between samples [s] if it clearly differs from the period; else None."""
        if abs(self._ahead) <= max(1.0, WRONG * self._counted):
            return None
        return self._period * (1.0 + self._ahead / self._counted)

    def pass_to(self, t: float) -> int:
        """Periods from the last sample to this one: 0: the same time, < 0: the time was set back.

        A sample without a time (NaN) is one period after the last one.

        Raises:
            InputError: the time differs from the last one, but rounds to zero periods.
        """
        if not math.isfinite(t):
            self.last = None if self.last is None else self.last + self._period
            return 1
        passed = 1
        if self.last is not None and t != self.last:
            apart = (t - self.last) / self._period
            passed = round(min(max(apart, -LONG), LONG))
            if passed == 0:
                raise InputError(
                    f"a sample came {t - self.last:.3g} s after the last one, but the period of "
                    f"the observer is {self._period:g} s",
                    fix="Give the observer the period at which it is called, and the times of the "
                    "measurements.",
                )
            self._counted += passed
            self._ahead += apart - passed
        elif self.last is not None:
            passed = 0
        self.last = t
        return passed
