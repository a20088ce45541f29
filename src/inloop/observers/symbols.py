"""Observers need numbers: they cannot be traced symbolically into a plant."""

from __future__ import annotations

from numbers import Real

from inloop.errors import InputError


def refuse_symbols(t: object) -> None:
    """Check that the time of a sample is a number: `m.controller(...)` passes symbols.

    Raises:
        InputError: it is not a number.
    """
    if not isinstance(t, Real):
        raise InputError(
            "an observer cannot be compiled into a plant",
            fix="Pass it to a run instead: plant.simulate(..., "
            "controller=observer.leading(law)), il.run or il.start.",
        )
