"""An analog-to-digital converter: noise, quantization, saturation."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from inloop.errors import InputError


@dataclass
class Converter:
    """Quantizes a voltage to 2^bits values.

    Attributes:
        low: lowest voltage [V].
        high: end of its range [V].
        bits: resolution in bits.
        noise: standard deviation of the noise added before quantization [V].
        seed: random seed of the noise.
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
        """Quantization step [V]."""
        return (self.high - self.low) / (1 << self.bits)

    def read(self, voltage: float) -> float:
        """The nearest value [V], saturated at the ends of the range."""
        if self.noise:
            voltage += self.source.gauss(0.0, self.noise)
        count = round((voltage - self.low) / self.step)
        return self.low + self.step * min(max(count, 0), (1 << self.bits) - 1)
