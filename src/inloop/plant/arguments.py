"""Arguments of a user's call: numbers, vectors and names, or an error that tells what is wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.model.intake import as_tuple, is_number
from inloop.model.names import quoted
from inloop.plant.engine import Array
from inloop.symbolic import Program

MOST = 1e18  # of a count
STATE = ("q", "qd", "qdd", "tau", "lam")
OPTIONAL = ("u", "z", "t")  # zero when not given; states of laws: as at the start


def real(value: Any, name: str) -> float:
    """A real number, which may still be NaN or infinite.

    Raises:
        InputError: it is none; True, False and text are none.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not is_number(value):
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


def name_list(value: Any, what: str) -> tuple[str, ...]:
    """Names; one alone counts as a list of one.

    Raises:
        InputError: it is neither a string nor a list of strings.
    """
    found = read_names(value, what)
    return (found,) if isinstance(found, str) else found


def one_name(value: Any, what: str) -> str:
    """A name.

    Raises:
        InputError: it is no string.
    """
    if not isinstance(value, str):
        raise InputError(f"{what} is {quoted(value)}, not a name", fix="Give a string.")
    return value


def names_or_functions(value: Any, what: str) -> tuple[Any, ...]:
    """Names and functions; one alone counts as a list of one.

    Raises:
        InputError: something else is among them.
    """
    found = (value,) if isinstance(value, str) or callable(value) else as_tuple(value)
    if found is None or not all(isinstance(item, str) or callable(item) for item in found):
        raise useless(value, what, "Give names, or functions.")
    return found


def useless(value: Any, what: str, fix: str) -> InputError:
    """The error of an argument that is something else than it should be."""
    return InputError(f"{what} is {quoted(value)}", fix=fix)


def whole(value: Any, name: str) -> int:
    """A whole number that 64 bits can hold.

    Raises:
        InputError: it is none.
    """
    found = real(value, name)
    if not found.is_integer() or abs(found) >= MOST:
        raise useless(value, name, "Give a whole number below 1e18.")
    return int(found)


def file_path(value: Any, name: str) -> Path:
    """Where a file is, or shall be.

    Raises:
        InputError: it is neither a string nor a path, or no system takes it as one.
    """
    if not isinstance(value, str | os.PathLike) or "\0" in str(value):
        raise InputError(f"{name} is {quoted(value)}, not a file name", fix="Give a path.")
    return Path(value)


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


def check_names(function: str, program: Program, arrays: Mapping[str, Any]) -> None:
    """All that the function needs must be there, and nothing that no function knows."""
    needed = [block.name for block in program.inputs[1:]]
    missing = [n for n in needed if n not in OPTIONAL and arrays.get(n) is None]
    unknown = [n for n in arrays if n not in (*STATE, *OPTIONAL, *needed)]
    for names, what in ((missing, "needs"), (unknown, "does not take")):
        if names:
            raise InputError(
                f"{function} {what} {', '.join(names)}", fix=f"It takes {', '.join(needed)}."
            )


def row_count(arrays: Mapping[str, Any]) -> int | None:
    """Number of states in a call for many of them; None for one state."""
    rows: int | None = None
    for name, array in arrays.items():
        if array is None:
            continue
        shape = np.shape(array)
        if len(shape) > 2:
            raise InputError(
                f"{name} has shape {shape}", fix="Give one state (n,) or many, one per row: (N, n)."
            )
        if len(shape) == 2:
            if rows not in (None, shape[0]):
                raise InputError(
                    f"{name} has {shape[0]} rows, another argument has {rows}",
                    fix="Give all arguments the same number of rows, or one row for all.",
                )
            rows = shape[0]
    return rows
