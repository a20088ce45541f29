"""NumPy functions on traced values: `np.sin(q)` in a force law is `il.sin(q)`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inloop.errors import ExpressionError
from inloop.symbolic import functions
from inloop.symbolic.expression import Expr, Scalar


def _both(a: Scalar, b: Scalar) -> Scalar:
    return functions.where(a, functions.where(b, 1.0, 0.0), 0.0)


def _either(a: Scalar, b: Scalar) -> Scalar:
    return functions.where(a, 1.0, functions.where(b, 1.0, 0.0))


# by name of the ufunc
TRACED: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "negative": operator.neg,
    "positive": operator.pos,
    "reciprocal": lambda x: 1.0 / x,
    "square": lambda x: x * x,
    "power": functions.power,
    "float_power": functions.power,
    "sqrt": functions.sqrt,
    "hypot": lambda x, y: functions.sqrt(x * x + y * y),
    "exp": functions.exp,
    "log": functions.log,
    "log2": lambda x: functions.log(x) / math.log(2.0),
    "log10": lambda x: functions.log(x) / math.log(10.0),
    "sin": functions.sin,
    "cos": functions.cos,
    "tan": functions.tan,
    "arcsin": functions.asin,
    "arccos": functions.acos,
    "arctan": functions.atan,
    "arctan2": functions.atan2,
    "tanh": functions.tanh,
    "sinh": lambda x: 0.5 * (functions.exp(x) - functions.exp(-x)),
    "cosh": lambda x: 0.5 * (functions.exp(x) + functions.exp(-x)),
    "deg2rad": lambda x: math.radians(1.0) * x,
    "radians": lambda x: math.radians(1.0) * x,
    "rad2deg": lambda x: math.degrees(1.0) * x,
    "degrees": lambda x: math.degrees(1.0) * x,
    "absolute": functions.absolute,
    "fabs": functions.absolute,
    "sign": functions.sign,
    "minimum": functions.minimum,
    "fmin": functions.minimum,
    "maximum": functions.maximum,
    "fmax": functions.maximum,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "logical_and": _both,
    "logical_or": _either,
    "logical_not": lambda x: functions.where(x, 0.0, 1.0),
}


def apply_ufunc(
    ufunc: np.ufunc, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """Apply a NumPy ufunc with at least one expression argument; arrays are processed elementwise.

    Raises:
        ExpressionError: the ufunc cannot be traced, or `out` cannot hold the result.
    """
    function = TRACED.get(ufunc.__name__)
    if function is None or method != "__call__" or not set(options) <= {"out"}:
        raise ExpressionError(
            f"NumPy's {ufunc.__name__} cannot be used on a symbolic value while a law is traced",
            fix="Use the functions of inloop, such as il.sin, il.where, il.maximum or il.table.",
        )
    # for object arrays NumPy does not dispatch to the expressions inside
    arrays = [np.array(x, dtype=object) if isinstance(x, Expr) else x for x in inputs]
    found = np.frompyfunc(function, len(arrays), 1)(*arrays)
    if "out" not in options:
        return found
    (target,) = options["out"]
    if target.dtype != object:
        raise ExpressionError(
            "an array of numbers cannot hold a symbolic value while a law is traced",
            fix="Make it with dtype=object, or write a + b instead of a += b.",
        )
    target[...] = found
    return target
