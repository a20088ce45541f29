"""Figures that are known from elsewhere, and how far a plant is from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il


@dataclass(frozen=True)
class Comparison:
    """A figure computed here beside a figure known from elsewhere.

    Attributes:
        reference: the known figure.
        found: what the plant gives, shape as the reference's value.
    """

    reference: Reference
    found: tuple[float, ...]

    @property
    def error(self) -> float:
        """Largest difference, in the unit of the figure."""
        return float(np.max(np.abs(np.subtract(self.found, self.reference.value))))

    @property
    def ok(self) -> bool:
        """True if the difference is within the tolerance of the reference."""
        return self.error <= self.reference.tolerance


@dataclass(frozen=True)
class Reference:
    """A figure that is known independently of inloop, and how to compute it with a plant.

    It holds for the default options and parameters.

    Attributes:
        what: the quantity, in words.
        value: its entries.
        unit: unit of the entries.
        tolerance: accuracy of the known figure together with the default step.
        source: where the figure comes from.
        measure: computes the quantity.
    """

    what: str
    value: tuple[float, ...]
    unit: str
    tolerance: float
    source: str
    measure: Callable[[il.Plant], Any]

    def compare(self, plant: il.Plant) -> Comparison:
        """Compute the figure with a plant and set it beside the known one."""
        found = np.atleast_1d(np.asarray(self.measure(plant), dtype=np.float64))
        return Comparison(self, tuple(float(x) for x in found))
