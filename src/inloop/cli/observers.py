"""Observers defined in a Python file given on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import inloop as il

FIX = "Define it in the file: an il.observer(...), or a function that returns one."


def named_observer(name: str, names: Mapping[str, Any]) -> Any:
    """The object that a file defines under the name of an observer; nothing is called.

    Raises:
        InputError: unknown name; the message lists the observers of the file.
    """
    if name not in names:
        known = [k for k, v in names.items() if isinstance(v, il.observers.Observer)]
        listed = f" It defines {', '.join(known)}." if known else ""
        raise il.InputError(f"the mechanism has no observer {name[:60]!a}", fix=FIX + listed)
    return names[name]


def observer_of_file(name: str, names: Mapping[str, Any]) -> il.observers.Observer:
    """The observer of this name, or the one returned by a function of this name.

    Args:
        name: name in the file.
        names: all global names of the file.

    Raises:
        InputError: unknown name, or not an observer.
    """
    found = named_observer(name, names)
    if callable(found) and not isinstance(found, il.observers.Observer):
        found = found()
    if not isinstance(found, il.observers.Observer):
        raise il.InputError(f"`{name}` is, or returns, a {type(found).__name__}", fix=FIX)
    return found
