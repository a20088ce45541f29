"""Tracing: a force law is called once with symbols; what it returns is the law."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from inspect import Parameter as Argument
from typing import Any

from inloop.errors import ExpressionError
from inloop.model.geometry import Scalar
from inloop.model.intake import Intake, as_tuple
from inloop.model.names import quoted, suggestion
from inloop.model.source import definition_line, failing_line

Law = Callable[..., Any]


def trace(
    read: Intake, law: object, offered: Mapping[str, object], size: int
) -> tuple[Scalar, ...]:
    """Call a law with symbols and return its components.

    Args:
        read: reports mistakes; its place becomes the law's own line.
        law: the user's function; takes any of the offered arguments by name.
        offered: symbols by argument name.
        size: 1 for a law that returns a number, 3 for one that returns three components.

    Returns:
        The components, zeros where the law cannot be used.
    """
    nothing = (0.0,) * size
    if not callable(law):
        read.complain(
            f"the law must be a function, got {quoted(law)}",
            f"Write it as lambda {', '.join(offered)}: ...; any of the arguments may be left out.",
        )
        return nothing
    read.where = definition_line(law) or read.where
    arguments = _match_arguments(read, law, offered)
    if arguments is None:
        return nothing
    try:
        result = law(*arguments[0], **arguments[1])
    except Exception as error:  # whatever the user's code raises is the user's mistake
        read.where = failing_line(error.__traceback__) or read.where
        read.complain(*_what_failed(error))
        return nothing
    return _read_result(read, result, size)


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
        if argument.kind in (Argument.VAR_POSITIONAL, Argument.VAR_KEYWORD):
            continue
        if argument.name not in offered:
            # an argument with a default is the user's own, as in lambda q, k=k: -k*q
            if argument.default is Argument.empty:
                fits = False
                read.complain(
                    f"the law has an unknown argument {quoted(argument.name)}",
                    suggestion(argument.name, offered),
                )
        elif argument.kind is Argument.POSITIONAL_ONLY:
            positional.append(offered[argument.name])
        else:
            named[argument.name] = offered[argument.name]
    return (positional, named) if fits else None


def _what_failed(error: Exception) -> tuple[str, str]:
    """Return (what is wrong, what to do) for an exception that a law raised."""
    if isinstance(error, ExpressionError):
        mistake = error.mistakes[0]
        return mistake.what, mistake.fix
    text = " ".join(str(error).split())[:200]
    return (
        f"the law failed with {type(error).__name__}: {text}",
        "A law is called once with symbols; use inloop's sin, sqrt, where, ... on them.",
    )


def _read_result(read: Intake, result: object, size: int) -> tuple[Scalar, ...]:
    """Read what a law returned."""
    items = as_tuple(result)
    count = 1 if items is None else len(items)
    if result is None:
        read.complain("the law returns nothing", "Write return in front of the result.")
    elif size == 1 and items is None:
        return (read.scalar(result, "the law's result"),)
    elif size == 3 and items is not None and count == 3:
        return tuple(read.scalar(item, "a component of the law's result") for item in items)
    else:
        wanted = "1 number" if size == 1 else "3 components (x, y, z)"
        got = "1 number" if items is None else f"{count} components"
        read.complain(f"the law returns {got}, needs {wanted}", f"Return {wanted}.")
    return (0.0,) * size
