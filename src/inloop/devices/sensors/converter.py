"""An analog-to-digital converter behind a sensor: noise, steps, ends of its range."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from inloop.errors import InputError


@dataclass
class Converter:
    """Turns a voltage into one of 2^bits values.

    Attributes:
        low: lowest voltage that it gives [V].
        high: end of its range [V].
        bits: of a value.
        noise: standard deviation of what is added before [V].
        seed: of the noise; the same seed gives the same noise.
    """

    low: float
    high: float
    bits: int
    noise: float = 0.0
    seed: int = 0
    source: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not (self.low < self.high and 1 <= self.bits <= 32 and self.noise >= 0.0):
            raise InputError(
                f"no converter has {self.bits} bits between {self.low:g} and {self.high:g} V "
                f"with a noise of {self.noise:g} V",
                fix="Give 1 to 32 bits, low < high, and a noise of at least 0 V.",
            )
        self.source = random.Random(self.seed)

    @property
    def step(self) -> float:
        """Between two values [V]."""
        return (self.high - self.low) / (1 << self.bits)

    def read(self, voltage: float) -> float:
        """The nearest value [V]; beyond the range, the last one."""
        if self.noise:
            voltage += self.source.gauss(0.0, self.noise)
        count = round((voltage - self.low) / self.step)
        return self.low + self.step * min(max(count, 0), (1 << self.bits) - 1)
