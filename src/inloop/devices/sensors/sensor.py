"""What a sensor is for whoever reads it."""

from __future__ import annotations

from typing import Protocol


class Sensor(Protocol):
    """Reads a quantity, as it can: an encoder, Hall sensors, a coil."""

    def read(self, quantity: float, /) -> float:
        """What it tells."""
