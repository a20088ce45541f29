"""A controller that is written in C, as a person names it: `il.c_controller`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import MappingProxyType

from inloop.errors import InputError
from inloop.model.controllers.controller import CFunction
from inloop.model.names import name_problem, quoted

MOST_TEXT = 1_000_000  # characters of a file
MOST_STATES = 10_000


def c_controller(
    path: str | PathLike[str],
    *,
    function: str,
    outputs: Sequence[str],
    inputs: Sequence[str],
    states: int | Sequence[float] = 0,
    parameters: Mapping[str, float] | None = None,
) -> CFunction:
    """A controller written in C99, compiled into the plant: `m.controller(it, period=...)`.

    Its function has this prototype, and no others are called:

        int pd(const double *parameters, double t, const double *y, double *states,
               double *values);

    It reads parameters and y, keeps what it needs in states, writes values and returns 0; anything
    else, or a number that is not finite, counts as a failure. It must not allocate, lock, print or
    keep anything outside `states`: it runs inside the step, in any number of instances.

    Args:
        path: of the file.
        function: name of the function.
        outputs: names of what it reads as y, in this order.
        inputs: names of what it writes as values, in this order.
        states: how many numbers it keeps from sample to sample, at 0 to begin with, or their first
            values.
        parameters: numbers by name, in the order in which it gets them: live parameters
            "controller.<name>"; `il.gain(...)` gives them a unit and a range.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"{str(file)!a} cannot be read: {error}", fix="Name a C file.") from None
    if len(text) > MOST_TEXT:
        raise InputError(f"{str(file)!a} is longer than {MOST_TEXT} characters", fix="Split it.")
    given = dict(parameters or {})
    for name in (function, *given):
        problem = name_problem(name)
        if problem is not None:
            raise InputError(f"{quoted(name)}: {problem[0]}", str(file), problem[1])
    first = (0.0,) * states if isinstance(states, int) else tuple(map(float, states))
    if len(first) > MOST_STATES:
        raise InputError(f"{len(first)} states", str(file), f"Use at most {MOST_STATES}.")
    for names, what in ((outputs, "outputs"), (inputs, "inputs")):
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise InputError(f"{what} must be a list of names", str(file), 'Write ["crank.q"].')
    if len(set(inputs)) < len(inputs):
        raise InputError("an input is named twice", str(file), "Name each once.")
    return CFunction(
        text, function, tuple(outputs), tuple(inputs), first, MappingProxyType(given), str(file)
    )
