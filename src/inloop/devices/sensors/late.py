"""Delayed readings, and sensors slower than their reader."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from inloop.errors import InputError


@dataclass
class Delay:
    """Delays readings; until the first delayed one arrives, returns the first reading.

    Attributes:
        readings: delay in readings, i.e. periods of the reader.
    """

    readings: int
    waiting: deque[float] = field(init=False, repr=False, default_factory=deque)

    def __post_init__(self) -> None:
        _check(self.readings, 0, "delay")

    def read(self, quantity: float) -> float:
        """The delayed quantity."""
        self.waiting.append(quantity)
        return self.waiting.popleft() if len(self.waiting) > self.readings else self.waiting[0]


@dataclass
class SampledEvery:
    """Takes a new value at every n-th reading, beginning with the first, and holds it.

    Attributes:
        readings: readings per value; 10 for a sensor of 100 Hz that is read at 1 kHz.
    """

    readings: int
    count: int = field(init=False, repr=False, default=0)
    kept: float = field(init=False, repr=False, default=0.0)

    def __post_init__(self) -> None:
        _check(self.readings, 1, "rate")

    def read(self, quantity: float) -> float:
        """The last value taken."""
        if self.count % self.readings == 0:
            self.kept = quantity
        self.count += 1
        return self.kept


def _check(readings: object, least: int, what: str) -> None:
    if not isinstance(readings, int) or isinstance(readings, bool) or readings < least:
        raise InputError(
            f"the {what} of a sensor cannot be {readings!r:.40} readings",
            fix=f"Give a whole number of at least {least}.",
        )
