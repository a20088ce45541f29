"""Numbers of OpenDRIVE: attributes, and piecewise cubics along a road."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from inloop.io.xml import Element
from inloop.symbolic.charts import Reals

LARGEST = 1e7
"""Maximum magnitude of numbers in a file: map coordinates are smaller."""


def number(element: Element, name: str, default: float | None = None) -> float:
    """A numeric attribute."""
    if default is not None and name not in element.attributes:
        return default
    text = element.attribute(name)
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST:
        element.fail(f"{element.label}: {name} = {text[:40]!r} is not a usable number",
                     "Write a number.")  # fmt: skip
    return value


def positive(element: Element, name: str) -> float:
    """A positive numeric attribute."""
    value = number(element, name)
    if not value > 0.0:
        element.fail(f"{element.label}: {name} = {value:g} must be more than 0", "Correct it.")
    return value


@dataclass(frozen=True, eq=False)
class Cubics:
    """A piecewise cubic function along a road: each from its station on; 0 before the first.

    Attributes:
        begins: start stations, increasing [m].
        rows: coefficients (a, b, c, d) of each.
    """

    begins: tuple[float, ...]
    rows: tuple[tuple[float, float, float, float], ...]

    def __call__(self, s: Reals) -> Reals:
        """Values at stations."""
        s = np.asarray(s, float)
        if not self.rows:
            return np.zeros(s.shape)
        begins = np.array(self.begins)
        k = np.searchsorted(begins, s, side="right") - 1
        a, b, c, d = np.array(self.rows)[np.maximum(k, 0)].T
        x = s.T - begins[np.maximum(k, 0)].T
        return np.where(k < 0, 0.0, (a + x * (b + x * (c + x * d))).T)

    @property
    def is_zero(self) -> bool:
        """Whether it is 0 everywhere."""
        return not np.any(np.array(self.rows))


def read_cubics(elements: Iterable[Element], station: str = "s", begin: float = 0.0) -> Cubics:
    """Cubics with coefficients a, b, c, d.

    Args:
        elements: one per cubic.
        station: name of the attribute with its start station.
        begin: offset added to the stations [m].
    """
    found = sorted(
        (
            (begin + number(e, station), tuple(number(e, name, 0.0) for name in "abcd"))
            for e in elements
        ),
        key=lambda item: item[0],
    )
    return Cubics(tuple(s for s, _ in found), tuple(row for _, row in found))  # type: ignore[misc]
