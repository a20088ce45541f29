"""How a controller comes into a model, as a method of `Model`: its gains, its period."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter as Argument
from typing import Any

from inloop.model.controllers.controller import PREFIX, CFunction, Gain
from inloop.model.draft import ControllerDraft, HasDraft
from inloop.model.intake import Intake, is_number
from inloop.model.names import quoted
from inloop.model.parameters import Parameter, read_parameter
from inloop.model.source import definition_line
from inloop.symbolic import Expr

EXAMPLE = 'def pd(t, outputs, kp=90.0): return {"crank.tau": -kp * outputs["crank.q"]}'


def controller(model: HasDraft, function: Callable[..., Any], *, period: float) -> None:
    """Compile a controller into the plant: sampled inside the loop, held in between.

        def pd(t, outputs, kp=90.0, kd=14.0):
            return {"rail.tau": -kp * outputs["rail.q"] - kd * outputs["rail.qd"]}

        m.controller(pd, period=5e-3)

    The function is called once, with symbols, when the model is built. Arguments with numbers for
    defaults are gains: live parameters "controller.kp", "controller.kd".

    Args:
        function: of time [s] and outputs, returns inputs by name; or an object with `__call__`
            whose `states`, a dict of names and first values, are attributes that it reads and
            writes; or `il.c_controller(...)`.
        period: between two samples [s], a whole number of steps.
    """
    draft = model._draft
    name = str(getattr(function, "__name__", type(function).__name__))
    read = draft.intake(f"controller {quoted(name)}")
    where = read.where
    seconds = read.number(period, "period", fallback=1e-3)
    if seconds <= 0.0:
        read.complain(f"period = {seconds:g} s makes no sense", "Use a positive number.")
    if draft.controller is not None:
        read.complain(
            f"the model already has a controller, {quoted(draft.controller.name)}",
            "Call both from one function.",
        )
    if isinstance(function, type) or not callable(function):
        read.complain(f"{quoted(function)} is not a controller", f"Write a function: {EXAMPLE}.")
        return
    if not isinstance(function, CFunction):
        where = definition_line(code_owner(function)) or where
    gains: dict[str, Parameter] = {}
    for gain, default in declared_gains(function):
        read.where = where
        gains[gain] = parameter = _gain(read, gain, default)
        draft.parameters.append(parameter)
    draft.controller = ControllerDraft(name, function, seconds, gains, where)


def code_owner(function: Any) -> Any:
    """What has the code of a controller: the function, or the method that is called."""
    if isinstance(function, functools.partial):
        return code_owner(function.func)
    if inspect.isfunction(function) or inspect.ismethod(function):
        return function
    return getattr(type(function), "__call__", function)  # noqa: B004


def declared_gains(function: Any) -> Iterator[tuple[str, float]]:
    """Gains of a controller by name: arguments whose default is a number."""
    if isinstance(function, CFunction):
        yield from function.parameters.items()
        return
    try:
        arguments = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return
    for argument in arguments[2:]:
        named = argument.kind in (Argument.POSITIONAL_OR_KEYWORD, Argument.KEYWORD_ONLY)
        if named and is_number(argument.default):
            yield argument.name, argument.default


def declared_states(function: Any) -> Mapping[str, float]:
    """States of a controller with their first values; none of a plain function."""
    states = getattr(function, "states", None)
    return states if isinstance(states, Mapping) else {}


def _gain(read: Intake, name: str, default: float) -> Parameter:
    """The parameter of a gain."""
    unit, limits = (default.unit, default.range) if isinstance(default, Gain) else ("", None)
    found = read_parameter(read, name, float(default), unit, limits, "gain of the controller")
    symbol: Expr = read.graph.symbol(f"controller:gain:{name}", static=True)
    full = f"{PREFIX}.{name}"
    return Parameter(full, found.default, found.unit, found.range, found.doc, symbol, found.where)
