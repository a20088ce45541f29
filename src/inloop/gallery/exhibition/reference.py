"""Independently known values, and the deviation of a plant from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il


@dataclass(frozen=True)
class Comparison:
    """A value computed by a plant, compared with an independently known one.

    Attributes:
        reference: the known value.
        found: value computed by the plant, same shape as the reference's value.
    """

    reference: Reference
    found: tuple[float, ...]

    @property
    def error(self) -> float:
        """Largest difference, in the unit of the reference."""
        return float(np.max(np.abs(np.subtract(self.found, self.reference.value))))

    @property
    def ok(self) -> bool:
        """True if the difference is within the tolerance of the reference."""
        return self.error <= self.reference.tolerance


@dataclass(frozen=True)
class Reference:
    """A value that is known independently of inloop, and how to compute it with a plant.

    It is valid for the default options and parameters.

    Attributes:
        what: the quantity, in words.
        value: its entries.
        unit: unit of the entries.
        tolerance: accuracy of the known value together with the default step.
        source: origin of the value.
        measure: computes the quantity.
    """

    what: str
    value: tuple[float, ...]
    unit: str
    tolerance: float
    source: str
    measure: Callable[[il.Plant], Any]

    def compare(self, plant: il.Plant) -> Comparison:
        """Compute the value with a plant and compare it with the known one."""
        found = np.atleast_1d(np.asarray(self.measure(plant), dtype=np.float64))
        return Comparison(self, tuple(float(x) for x in found))
