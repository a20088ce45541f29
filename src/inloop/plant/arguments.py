"""Arguments of a user's call: numbers, vectors and names, or an error that tells what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.model.intake import as_tuple
from inloop.model.names import quoted
from inloop.plant.engine import Array


def real(value: Any, name: str) -> float:
    """A real number, which may still be NaN or infinite.

    Raises:
        InputError: it is none; True, False and text are none.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        raise InputError(f"{name} is {quoted(value)}, not a number", fix="Give a real number.")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{name} is too large", fix="Give a number up to 1e308.") from None


def reals(value: Any, name: str) -> Array:
    """An array of real numbers, which may still be NaN or infinite: a view where it is one already.

    Raises:
        InputError: what is given is none.
    """
    try:
        if not np.iscomplexobj(value):
            return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(
        f"{name} cannot be read as real numbers: {quoted(value)}",
        fix="Give a list or an array of numbers.",
    )


def read_names(value: Any, what: str) -> str | tuple[str, ...]:
    """One name or several.

    Raises:
        InputError: it is neither a string nor a list of strings.
    """
    if isinstance(value, str):
        return value
    found = as_tuple(value)
    found_names = tuple(name for name in found or () if isinstance(name, str))
    if found is None or len(found_names) < len(found):
        raise InputError(f"{what} is {quoted(value)}", fix="Give a name or a list of names.")
    return found_names


def by_name(value: Any, what: str) -> Mapping[str, Any]:
    """Values by name; None stands for none.

    Raises:
        InputError: it is no dictionary, or a key is no name.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InputError(f"{what} is {quoted(value)}", fix="Give a dictionary: {name: value}.")
    return value
