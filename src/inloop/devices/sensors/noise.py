"""Noise and bias of a sensor."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from inloop.errors import InputError


@dataclass
class Noise:
    """Adds white noise to each reading, in the unit of the reading.

    Attributes:
        deviation: standard deviation.
        bias: constant added to every reading.
        seed: random seed of the noise.
    """

    deviation: float
    bias: float = 0.0
    seed: int = 0
    source: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not (0.0 <= self.deviation < math.inf and math.isfinite(self.bias)):
            raise InputError(
                f"noise cannot have a deviation of {self.deviation:g} and a bias of {self.bias:g}",
                fix="Give a deviation of at least 0 and a finite bias.",
            )
        self.source = random.Random(self.seed)

    def read(self, quantity: float) -> float:
        """The quantity with bias and noise."""
        return quantity + self.bias + self.source.gauss(0.0, self.deviation)
