"""What an estimator is for whoever uses it."""

from __future__ import annotations

from typing import Protocol

from inloop.devices.estimators.differences import Motion
from inloop.devices.estimators.linear_filter import LinearFilter


class Estimator(Protocol):
    """Makes a motion of readings of a position."""

    def update(self, position: float, /) -> Motion:
        """Take a reading; position, velocity and acceleration now."""

    def linear(self) -> LinearFilter:
        """The same as matrices."""
