"""The C library for translated code: Python's functions, with C semantics for NaN and 0."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

from inloop.native.translated.c_types import DOUBLE, INT, LONG, VOID, CType, Pointer

_NAN, _INF = math.nan, math.inf


def quotient(a: float, b: float) -> float:
    """a / b of floating-point numbers."""
    if b:
        return a / b
    return _NAN if a == 0.0 or a != a else math.copysign(_INF, a) * math.copysign(1.0, b)


def whole_quotient(a: int, b: int) -> int:
    """a / b of integers, rounded towards zero."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def remainder(a: int, b: int) -> int:
    """a % b of integers: with the sign of a."""
    return a - b * whole_quotient(a, b)


def truncated(a: float) -> int:
    """Conversion to an integer; out-of-range values become what they do on most machines."""
    return int(a) if -9.3e18 < a < 9.3e18 else -(1 << 63)


def wrapped(a: int, bits: int) -> int:
    """Wrap to a signed integer of `bits` bits."""
    half = 1 << (bits - 1)
    return (a + half & (1 << bits) - 1) - half


def _guarded(function: Callable[[float], float]) -> Callable[[float], float]:
    """Domain errors give NaN, overflow gives infinity."""

    def call(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return -_INF if x == 0.0 else _NAN  # log 0; everything else
        except OverflowError:
            return _INF

    return call


def _sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0.0 else _NAN


def _floor(x: float) -> float:
    return float(math.floor(x)) if abs(x) < 4.6e15 else x


def _ceil(x: float) -> float:
    return float(math.ceil(x)) if abs(x) < 4.6e15 else x


def _round(x: float) -> float:
    """Halves are rounded away from zero."""
    return math.copysign(_floor(abs(x) + 0.5), x)


def _pow(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except ValueError:
        return _INF if x == 0.0 else _NAN
    except OverflowError:
        odd = y == math.floor(y) and math.fmod(y, 2.0) != 0.0
        return -_INF if x < 0.0 and odd else _INF


def _fmax(a: float, b: float) -> float:
    return b if a != a or b > a else a


def _fmin(a: float, b: float) -> float:
    return b if a != a or b < a else a


def _frexp(x: float, exponent: int) -> float:
    part, found = math.frexp(x)
    ctypes.c_int.from_address(exponent).value = found
    return part


def _ldexp(x: float, exponent: int) -> float:
    try:
        return math.ldexp(x, exponent)
    except OverflowError:
        return math.copysign(_INF, x)


def _memcmp(a: int, b: int, size: int) -> int:
    left, right = ctypes.string_at(a, size), ctypes.string_at(b, size)
    return (left > right) - (left < right)


def _strcmp(a: int, b: int) -> int:
    left, right = ctypes.string_at(a), ctypes.string_at(b)
    return (left > right) - (left < right)


_ONE: dict[str, Callable[[float], float]] = {
    "sqrt": _sqrt,
    "fabs": abs,
    "floor": _floor,
    "ceil": _ceil,
    "round": _round,
    **{name: _guarded(getattr(math, name)) for name in
       ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "expm1",
        "log1p")},
}  # fmt: skip
_TWO: dict[str, Callable[[float, float], float]] = {
    "atan2": math.atan2,
    "pow": _pow,
    "fmax": _fmax,
    "fmin": _fmin,
    "hypot": math.hypot,
    "copysign": math.copysign,
}
_ADDRESS = Pointer(VOID)

# name → result and argument types, and the Python expression
FUNCTIONS: dict[str, tuple[CType, tuple[CType, ...], Callable[..., Any]]] = {
    **{name: (DOUBLE, (DOUBLE,), function) for name, function in _ONE.items()},
    **{name: (DOUBLE, (DOUBLE, DOUBLE), function) for name, function in _TWO.items()},
    **{f"{name}f": (DOUBLE, (DOUBLE,), function) for name, function in _ONE.items()},
    **{f"{name}f": (DOUBLE, (DOUBLE, DOUBLE), function) for name, function in _TWO.items()},
    "isfinite": (INT, (DOUBLE,), math.isfinite),
    "isnan": (INT, (DOUBLE,), math.isnan),
    "frexp": (DOUBLE, (DOUBLE, _ADDRESS), _frexp),
    "ldexp": (DOUBLE, (DOUBLE, INT), _ldexp),
    "memcpy": (_ADDRESS, (_ADDRESS, _ADDRESS, LONG), ctypes.memmove),
    "memmove": (_ADDRESS, (_ADDRESS, _ADDRESS, LONG), ctypes.memmove),
    "memset": (_ADDRESS, (_ADDRESS, INT, LONG), ctypes.memset),
    "memcmp": (INT, (_ADDRESS, _ADDRESS, LONG), _memcmp),
    "strcmp": (INT, (_ADDRESS, _ADDRESS), _strcmp),
}

# macros of the standard headers
CONSTANTS: dict[str, str] = {
    "NULL": "((void *)0)",
    "DBL_EPSILON": "2.2204460492503131e-16",
    "DBL_MAX": "1.7976931348623157e308",
    "DBL_MIN": "2.2250738585072014e-308",
    "INT64_MAX": "9223372036854775807l",
    "INT64_MIN": "(-9223372036854775807l - 1l)",
    "INT32_MAX": "2147483647",
}
# constants that have no C literal
SPECIAL: dict[str, str] = {"NAN": "L_nan", "INFINITY": "L_inf", "HUGE_VAL": "L_inf"}


def names() -> dict[str, Any]:
    """All names that translated code uses."""
    own = (quotient, whole_quotient, remainder, truncated, wrapped)
    return {
        "L_nan": _NAN,
        "L_inf": _INF,
        **{f"L_{function.__name__}": function for function in own},
        **{f"L_{name}": entry[2] for name, entry in FUNCTIONS.items()},
    }
