"""Validate user input for shapes: lengths, directions, points, colors.

A size is a number, or an expression of a model's parameters: contacts accept expressions, and code
that needs a number calls `number`.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from inloop.errors import InputError

Array: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.int64]
Size: TypeAlias = Any  # a number [m], or an expression of parameters
Triple: TypeAlias = tuple[float, float, float]
Axis: TypeAlias = "str | Sequence[float]"
Color: TypeAlias = tuple[float, float, float, float]

LARGEST = 1e9  # [m]: products of such sizes are still far from overflow
_AXES: dict[str, Triple] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_HEX = re.compile(r"#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})?")
_SHOWN = 40  # characters of an invalid value in a message


def is_symbolic(value: object) -> bool:
    """True for an expression of parameters; only a model knows its value."""
    return hasattr(value, "is_constant")


def shown(value: object) -> str:
    """An invalid value as shown in messages: shortened if it is long."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def number(value: object, what: str) -> float:
    """Return a finite number of plausible size.

    Raises:
        InputError: it is not a number, or is an expression of parameters.
    """
    if is_symbolic(value):
        raise InputError(
            f"{what} is an expression of parameters, which is not supported here",
            fix="Write the number itself; only contacts can use expressions.",
        )
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise InputError(f"{what} must be a number, got {shown(value)}", fix="Write a number.")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not abs(found) <= LARGEST:
        raise InputError(
            f"{what} is {found:g}", fix=f"Write a finite number in SI units, up to {LARGEST:g}."
        )
    return found


def size(value: object, what: str, *, zero: bool = False) -> Size:
    """Return a length [m] that is > 0, or >= 0; expressions are left to contacts."""
    if is_symbolic(value):
        return value
    found = number(value, what)
    if found < 0.0 or (found == 0.0 and not zero):
        bound = ">= 0" if zero else "> 0"
        fix = "For a contact from inside write hollow=True." if found < 0.0 else "Write a length."
        raise InputError(f"{what} must be {bound} m, got {found:g}", fix=fix)
    return found


def flag(value: object, what: str) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{what} must be True or False, got {shown(value)}", fix="Write one.")
    return bool(value)


def direction(value: object, what: str) -> Triple:
    """Return a unit vector from "x", "-z", ... or three numbers."""
    if isinstance(value, str):
        if value.lstrip("+-") not in _AXES or len(value) > len("-x"):
            raise InputError(
                f"{what} is {shown(value)}", fix='Write "x", "y", "z", "-x", ... or three numbers.'
            )
        x, y, z = _AXES[value[-1]]
        return (x, y, z) if value[0] != "-" else (0.0 - x, 0.0 - y, 0.0 - z)
    x, y, z = triple(value, what)
    length = math.hypot(x, y, z)
    if length == 0.0:
        raise InputError(f"{what} has length zero", fix="Write a direction such as (0, 0, 1).")
    return x / length, y / length, z / length


def triple(value: object, what: str) -> Triple:
    """Return three numbers."""
    x, y, z = items(value, what, 3)
    return number(x, what), number(y, what), number(z, what)


def items(value: object, what: str, count: int) -> tuple[object, ...]:
    """Return the items of a list, tuple or array of known length."""
    found: tuple[object, ...] | None = None
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | dict):
        try:
            found = tuple(value)
        except TypeError:  # an array without dimensions
            found = None
    if found is None or len(found) != count:
        got = shown(value) if found is None else f"{len(found)} components"
        raise InputError(f"{what} needs {count} components, got {got}", fix="Write them in (...).")
    return found


def table(value: object, what: str, columns: int, least: int) -> Array:
    """Return rows of finite numbers, read-only."""
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0)
    if found.ndim != 2 or found.shape[1] != columns or len(found) < least:
        raise InputError(
            f"{what} must be at least {least} rows of {columns} numbers",
            fix="Write a list of rows.",
        )
    if not np.all(np.abs(found) <= LARGEST):
        row = int(np.argmin(np.all(np.abs(found) <= LARGEST, axis=1)))
        raise InputError(
            f"row {row} of {what} is {found[row].tolist()}",
            fix=f"Every number must be finite and at most {LARGEST:g}.",
        )
    found.flags.writeable = False
    return found


def color(value: object) -> Color | None:
    """Return red, green, blue, opacity in 0..1 from "#rrggbb" or numbers; None stays None."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        match = _HEX.fullmatch(value)
        if match is None:
            raise InputError(f"a color cannot be {shown(value)}", fix='Write "#rrggbb".')
        parts = [int(part, 16) / 255.0 for part in match.groups("ff")]
    else:
        count = len(value) if isinstance(value, Sequence | np.ndarray) else 3
        parts = [number(x, "a color") for x in items(value, "a color", 4 if count == 4 else 3)]
        parts = [*parts, 1.0][:4]
    if not all(0.0 <= part <= 1.0 for part in parts):
        raise InputError(f"a color cannot be {shown(value)}", fix="Write numbers from 0 to 1.")
    red, green, blue, opacity = parts
    return red, green, blue, opacity


def rotation_to(axis: Triple) -> Array:
    """Return the shortest rotation that takes z to a unit vector: its third column."""
    x, y, z = axis
    if z < -1.0 + 1e-12:  # half a turn about x
        return np.diag([1.0, -1.0, -1.0])
    # Rodrigues with v = z × axis: 1 + [v]× + [v]×² / (1 + c)
    k = 1.0 / (1.0 + z)
    return np.array(
        [[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]]
    )
