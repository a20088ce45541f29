"""Interface of estimators."""

from __future__ import annotations

from typing import Protocol

from inloop.devices.estimators.differences import Motion
from inloop.devices.estimators.linear_filter import LinearFilter


class Estimator(Protocol):
    """Estimates motion from readings of a position."""

    def update(self, position: float, /) -> Motion:
        """Process a reading; returns position, velocity and acceleration."""

    def linear(self) -> LinearFilter:
        """The same as matrices."""
