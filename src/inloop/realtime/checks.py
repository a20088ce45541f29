"""Validation of user input before it is used."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from inloop.errors import InputError

MOST_COUNT = 2**63 - 1  # what 64 bits hold


def is_finite(value: Any) -> bool:
    """Whether it is a finite real number that fits a double. Booleans are rejected."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def is_whole(value: Any) -> bool:
    """Whether it is an integer. Booleans are rejected."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_flag(value: Any) -> bool:
    """Whether it is True or False."""
    return isinstance(value, (bool, np.bool_))


def is_text(value: Any) -> bool:
    """Whether it is a string."""
    return isinstance(value, str)


def need(good: bool, what: str, fix: str) -> None:
    """Raise InputError unless a condition holds.

    Args:
        good: the condition.
        what: what is invalid, and its value.
        fix: what to do.
    """
    if not good:
        raise InputError(f"{what} makes no sense", fix=fix)


def whole_of(value: Any, what: str) -> int:
    """An integer, also one that is written as 3.0; an InputError for anything else.

    It stays exact, as numbers of records and times in ns must: `plant.arguments.whole` is a float
    in between.
    """
    whole = is_whole(value) or (is_finite(value) and float(value).is_integer())
    need(whole and abs(value) <= MOST_COUNT, f"{what} {shown(value)}", "Give a whole number.")
    return int(value)


def timeout_of(value: Any) -> float:
    """The longest time to wait [s], which may be infinite; an InputError for anything else."""
    endless = isinstance(value, Real) and value == math.inf
    need(endless or is_finite(value), f"a wait of {shown(value)} s", "Give a number of seconds.")
    return max(0.0, float(value))


def need_mapping(what: str, value: Any, fits: Callable[[Any], bool], fix: str) -> None:
    """Raise InputError unless it is a mapping by name with valid values.

    Args:
        what: name of the option.
        value: the given value.
        fits: checks one value.
        fix: what to do.
    """
    need(isinstance(value, Mapping), f"{what} = {shown(value)}", fix)
    for name, entry in value.items():
        good = is_text(name) and fits(entry)
        need(good, f"{what}: {shown(name)} = {shown(entry)}", fix)


def need_state(what: str, value: Any) -> None:
    """Raise InputError unless it is a vector of numbers, or a mapping by name."""
    fix = "Give numbers by name, such as {'shoulder': 0.3}, or a vector of them."
    if isinstance(value, Mapping):
        need_mapping(what, value, is_finite, fix)
    elif value is not None:
        try:
            good = bool(np.isfinite(np.asarray(value, dtype=np.float64)).all())
        except (TypeError, ValueError, OverflowError):
            good = False
        need(good and not is_text(value), f"{what} = {shown(value)}", fix)


def shown(value: Any) -> str:
    """A value for messages, shortened."""
    try:
        text = repr(value)
    except ValueError:  # an integer with too many digits
        text = "a number with thousands of digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
