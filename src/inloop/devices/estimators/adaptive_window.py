"""Velocity from an adaptive window, as long as a straight line fits the noise band."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from inloop.devices.estimators.differences import BackwardDifferences, Motion
from inloop.devices.estimators.linear_filter import LinearFilter
from inloop.errors import InputError


@dataclass
class AdaptiveWindow:
    """First-order adaptive windowing (Janabi-Sharifi, Hayward and Chen, 2000).

    The velocity is the slope of a line through the newest sample, over the longest window in which
    no sample is off the line by more than the noise band: long and smooth in slow motion, short and
    fast in quick motion. A line with slope v stays within the band at the sample i periods ago if v
    lies between (y_0 - y_i ± band)/(i T); the bounds of all samples so far are kept, so that each
    further sample has constant cost.

    Attributes:
        period: time between samples T [s].
        band: maximum error between two samples [m or rad]: the resolution of an encoder.
        longest: maximum window in periods.
        best_fit: slope by least squares, else that of the chord between first and last sample.
        window: current window in periods.
    """

    period: float
    band: float
    longest: int = 15
    best_fit: bool = True
    window: int = 0
    samples: deque[float] = field(init=False)
    velocity: float = 0.0

    def __post_init__(self) -> None:
        if self.longest < 1 or self.band < 0.0:
            raise InputError(
                f"a window of {self.longest} periods with a band of {self.band:g} makes no sense",
                fix="Use at least one period, and a band of at least 0 m or rad.",
            )
        self.samples = deque(maxlen=self.longest + 1)

    def update(self, position: float) -> Motion:
        """Process a sample; returns position, velocity, and the change of the velocity."""
        self.samples.appendleft(position)
        before, T, band = self.velocity, self.period, self.band
        velocity, self.window = 0.0, 0
        low, high = -float("inf"), float("inf")
        total, moment = position, 0.0  # Σ y_i and Σ i y_i
        for i, y in enumerate(self.samples):
            if i == 0:
                continue
            low = max(low, (position - y - band) / (i * T))
            high = min(high, (position - y + band) / (i * T))
            if self.best_fit:
                total += y
                moment += i * y
                slope = 6.0 * (i * total - 2.0 * moment) / (T * i * (i + 1) * (i + 2))
            else:
                slope = (position - y) / (i * T)
            # the first window is taken as it is
            if i > 1 and not low <= slope <= high:
                break
            velocity, self.window = slope, i
        self.velocity = velocity
        # the first sample is taken as a state of rest
        return position, velocity, (velocity - before) / T

    def linear(self) -> LinearFilter:
        """Its linear equivalent in fast motion, with the shortest window: backward differences."""
        return BackwardDifferences(self.period).linear()
