"""What a number of a model must be: a number as it is written, an expression at the defaults.

A parameter that is itself such a number keeps to its bound while the model runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from inloop.symbolic import Expr

FIX = "Check its sign and its unit."


@dataclass(frozen=True)
class Bound:
    """What a number must be.

    Attributes:
        words: in words.
        holds: as a test.
        stand_in: a value that passes it.
        least, most: between which it passes.
    """

    words: str
    holds: Callable[[float], bool]
    stand_in: float = 1.0
    least: float = 0.0
    most: float = math.inf


@dataclass(frozen=True)
class Bounded:
    """An expression that has a bound.

    Attributes:
        value: the expression.
        bound: what it must be.
        what: element and quantity, such as "spring 'pad': stiffness".
        where: file and line.
    """

    value: Expr
    bound: Bound
    what: str
    where: str
