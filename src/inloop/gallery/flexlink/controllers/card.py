"""The input card of a controller: noise and quantization of encoder and strain gauge."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

RANGE = 10.0  # of the converter, ± [V]


class Card:
    """Adds sensor noise and rounds to counts, with the parameters of the plant.

    The same seed gives the same noise.
    """

    def __init__(self, parameters: Mapping[str, float], seed: int = 1) -> None:
        self._random = np.random.default_rng(seed)
        self.tune(parameters)

    def tune(self, parameters: Mapping[str, float]) -> None:
        """Update noise and resolutions, which may change while the plant runs."""
        counts = parameters["encoder_counts"]
        self._count = 2.0 * math.pi / counts if counts else 0.0
        self._quantum = parameters["strain_quantum"]
        self._noise = (parameters["encoder_noise"], parameters["strain_noise"])

    def read(self, angle: float, strain: float) -> tuple[float, float]:
        """Angle [rad] and strain [V] as a controller receives them."""
        of_angle, of_strain = self._noise * self._random.standard_normal(2)
        volts = min(max(strain + of_strain, -RANGE), RANGE)
        return _rounded(angle + of_angle, self._count), _rounded(volts, self._quantum)


def _rounded(value: float, step: float) -> float:
    return step * round(value / step) if step else value
