"""Interface of sensors."""

from __future__ import annotations

from typing import Protocol


class Sensor(Protocol):
    """Measures a quantity: an encoder, Hall sensors, a coil."""

    def read(self, quantity: float, /) -> float:
        """The reading."""
