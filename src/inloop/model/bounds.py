"""Bounds of the numbers of a model; expressions are checked at the default parameters.

A parameter that is used directly as such a number keeps to the bound while the model runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from inloop.symbolic import Expr

FIX = "Check its sign and its unit."


@dataclass(frozen=True)
class Bound:
    """Admissible values of a number.

    Attributes:
        words: the condition as text.
        holds: the condition as a test.
        stand_in: a value that passes the test.
        least, most: admissible interval.
    """

    words: str
    holds: Callable[[float], bool]
    stand_in: float = 1.0
    least: float = 0.0
    most: float = math.inf

    @property
    def inner(self) -> tuple[float, float]:
        """The least and the largest number that passes the test: an open end is not among them."""
        least = self.least if self.holds(self.least) else math.nextafter(self.least, math.inf)
        most = self.most if self.holds(self.most) else math.nextafter(self.most, -math.inf)
        return least, most


@dataclass(frozen=True)
class Bounded:
    """An expression with a bound.

    Attributes:
        value: the expression.
        bound: its admissible values.
        what: element and quantity, such as "spring 'pad': stiffness".
        where: file and line.
    """

    value: Expr
    bound: Bound
    what: str
    where: str
