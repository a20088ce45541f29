"""Tracing: a law is called once with symbols; what it returns is the law."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import Parameter as Argument
from typing import Any

from inloop.errors import ExpressionError, near_names
from inloop.model.geometry import Scalar
from inloop.model.intake import Intake, as_tuple
from inloop.model.names import quoted, suggestion
from inloop.model.source import definition_line, failing_line
from inloop.symbolic import Expr

Law = Callable[..., Any]


_NEEDS = {
    1: "1 number",
    3: "3 components (x, y, z)",
    6: "a force and a torque, 3 components each",
}
FAILED = object()


def trace(
    read: Intake, law: object, offered: Mapping[str, object], size: int
) -> tuple[Scalar, ...]:
    """Call a law with symbols and return its components.

    Args:
        read: reports mistakes; its place becomes the law's own line.
        law: the user's function; takes any of the offered arguments by name.
        offered: symbols by argument name.
        size: 1 for a law that returns a number, 3 for one that returns three components, 6 for
            one that returns a force and a torque.

    Returns:
        The components, zeros where the law cannot be used.
    """
    result = call_law(read, law, offered)
    return (0.0,) * size if result is FAILED else read_value(read, result, size)


def trace_rows(read: Intake, law: object, offered: Mapping[str, object]) -> tuple[Scalar, ...]:
    """Call a law that returns any number of scalars, at least one, and return them."""
    result = call_law(read, law, offered)
    if result is FAILED:
        return ()
    if result is None:
        return read_value(read, result, 1)
    items = as_tuple(result)
    rows = (result,) if items is None else items
    if not rows:
        read.complain(
            "the law returns no rows", "Return one or more expressions that must be zero."
        )
    return tuple(read.scalar(row, "a row of the law's result") for row in rows)


def trace_values(read: Intake, law: object, offered: Mapping[str, object]) -> dict[str, Scalar]:
    """Call a law that returns numbers by name and return them."""
    result = call_law(read, law, offered)
    if result is FAILED:
        return {}
    if not isinstance(result, Mapping) or not all(isinstance(name, str) for name in result):
        read.complain("the law must return values by name", 'Return {"ball.qd": 0.0}, for example.')
        return {}
    return {
        name: read.scalar(value, f"the value of {quoted(name)}") for name, value in result.items()
    }


def symbols_in(values: Iterable[object]) -> Iterator[Expr]:
    """Yield the placeholders of a law, whatever tuples they stand in."""
    for value in values:
        if isinstance(value, Expr):
            yield value
        elif isinstance(value, tuple):
            yield from symbols_in(value)


def call_law(read: Intake, law: object, offered: Mapping[str, object]) -> object:
    """Return what a law returns, or FAILED after reporting why there is nothing."""
    if not callable(law):
        read.complain(
            f"the law must be a function, got {quoted(law)}",
            f"Write it as lambda {', '.join(offered)}: ...; any of the arguments may be left out.",
        )
        return FAILED
    read.where = definition_line(law) or read.where
    arguments = _match_arguments(read, law, offered)
    if arguments is None:
        return FAILED
    try:
        return law(*arguments[0], **arguments[1])
    except Exception as error:  # whatever the user's code raises is the user's mistake
        read.where = failing_line(error.__traceback__) or read.where
        read.complain(*what_failed(error))
        return FAILED


def _match_arguments(
    read: Intake, law: Law, offered: Mapping[str, object]
) -> tuple[list[object], dict[str, object]] | None:
    """Return positional and keyword arguments for a law, or None if it asks for unknown ones."""
    try:
        wanted = inspect.signature(law).parameters.values()
    except (TypeError, ValueError):
        read.complain("the law's arguments cannot be read", "Wrap it in a lambda.")
        return None
    positional: list[object] = []
    named: dict[str, object] = {}
    fits = True
    for argument in wanted:
        if argument.kind is Argument.VAR_POSITIONAL:
            continue
        if argument.kind is Argument.VAR_KEYWORD:
            # the last argument of all: it takes what no other one asked for
            asked = {other.name for other in wanted}
            named |= {name: value for name, value in offered.items() if name not in asked}
            continue
        if argument.name not in offered:
            # an argument with a default is the user's own, as in lambda q, k=k: -k*q
            if argument.default is Argument.empty:
                fits = False
                read.complain(
                    f"the law has an unknown argument {quoted(argument.name)}",
                    _argument_hint(argument.name, offered),
                )
        elif argument.kind is Argument.POSITIONAL_ONLY:
            positional.append(offered[argument.name])
        else:
            named[argument.name] = offered[argument.name]
    return (positional, named) if fits else None


def _argument_hint(wrong: str, offered: Mapping[str, object]) -> str:
    """A similar argument; otherwise it may be a parameter or an input of the model."""
    hint = suggestion(wrong, offered)
    if near_names(wrong, sorted(offered)):
        return hint
    return (
        f"{hint} A parameter or an input is not an argument: write what m.parameter(...) or "
        "m.input(...) returned, as in lambda q: -k*q."
    )


def what_failed(error: Exception) -> tuple[str, str]:
    """Return (what is wrong, what to do) for an exception that a law raised."""
    if isinstance(error, ExpressionError):
        mistake = error.mistakes[0]
        return mistake.what, mistake.fix
    text = " ".join(str(error).split())[:200]
    fix = "A law is called once with symbols; use inloop's sin, sqrt, where, ... on them."
    if isinstance(error, NameError):
        fix = "A law is called when it is declared: define the name before."
    elif isinstance(error, TypeError) and re.search(r"\b(sequence|tuple|list)\b", text):
        fix = "Vectors are tuples (x, y, z): use np.array(v), or components such as v[0]."
    return f"the law failed with {type(error).__name__}: {text}", fix


def read_value(
    read: Intake, result: object, size: int, needs: str | None = None
) -> tuple[Scalar, ...]:
    """Read what a law returned.

    Args:
        read: reports mistakes.
        result: what it returned.
        size: number of components.
        needs: what it should return, in words; then the components stand in one row.
    """
    items = as_tuple(result)
    count = 1 if items is None else len(items)
    if result is None:
        read.complain("the law returns nothing", "Add a return statement.")
    elif items is not None and any(isinstance(item, Mapping) for item in items):
        read.complain(
            "the law returns rates or outputs that were not declared",
            'Declare them with states={"z": 0.0} or outputs={"gap": "m"}.',
        )
    elif size == 1 and items is None:
        return (read.scalar(result, "the law's result"),)
    elif items is not None and len(flat := _flat(items, size, needs)) == size and size > 1:
        return tuple(read.scalar(item, "a component of the law's result") for item in flat)
    else:
        got = "1 number" if items is None else f"{count} components"
        needs = needs or _NEEDS[size]
        read.complain(f"the law returns {got}, needs {needs}", f"Return {needs}.")
    return (0.0,) * size


def _flat(items: tuple[object, ...], size: int, needs: str | None) -> tuple[object, ...]:
    """Return the components of a force and a torque in one row; anything else as it is."""
    halves = [as_tuple(item) for item in items]
    if size != 6 or needs is not None:
        return items
    if len(halves) != 2 or any(half is None or len(half) != 3 for half in halves):
        return ()
    return tuple(component for half in halves for component in half or ())
