"""The table of operations: how each is evaluated on numbers and on arrays, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

COMMUTATIVE = frozenset({"min", "max"})


@dataclass(frozen=True)
class Operation:
    """One kind of node.

    Attributes:
        scalar: evaluation on Python floats.
        array: evaluation on NumPy arrays.
        kind: the class under which operation counts list it.
    """

    scalar: Callable[..., float]
    array: Callable[..., Any]
    kind: str


def _sign(x: float) -> float:
    return float(x > 0) - float(x < 0)


OPERATIONS: dict[str, Operation] = {
    "add": Operation(lambda a, b: a + b, np.add, "add"),
    "sub": Operation(lambda a, b: a - b, np.subtract, "add"),
    "neg": Operation(lambda a: -a, np.negative, "add"),
    "mul": Operation(lambda a, b: a * b, np.multiply, "mul"),
    "div": Operation(lambda a, b: a / b, np.divide, "div"),
    "sin": Operation(math.sin, np.sin, "sincos"),
    "cos": Operation(math.cos, np.cos, "sincos"),
    "tan": Operation(math.tan, np.tan, "function"),
    "asin": Operation(math.asin, np.arcsin, "function"),
    "acos": Operation(math.acos, np.arccos, "function"),
    "atan": Operation(math.atan, np.arctan, "function"),
    "atan2": Operation(math.atan2, np.arctan2, "function"),
    "sqrt": Operation(math.sqrt, np.sqrt, "function"),
    "exp": Operation(math.exp, np.exp, "function"),
    "log": Operation(math.log, np.log, "function"),
    "tanh": Operation(math.tanh, np.tanh, "function"),
    "pow": Operation(math.pow, np.power, "function"),
    "abs": Operation(abs, np.abs, "function"),
    "sign": Operation(_sign, np.sign, "function"),
    "min": Operation(min, np.minimum, "function"),
    "max": Operation(max, np.maximum, "function"),
    "lt": Operation(lambda a, b: float(a < b), lambda a, b: np.less(a, b) * 1.0, "function"),
    "le": Operation(lambda a, b: float(a <= b), lambda a, b: np.less_equal(a, b) * 1.0, "function"),
    "where": Operation(
        lambda c, a, b: a if c != 0.0 else b,
        lambda c, a, b: np.where(np.not_equal(c, 0.0), a, b),
        "function",
    ),
}
