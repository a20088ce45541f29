"""Observers that a Python file defines beside its model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import inloop as il


def observer_of_file(name: str, names: Mapping[str, Any]) -> il.observers.Observer:
    """The observer of this name, or what a function of this name returns.

    Args:
        name: in the file.
        names: all global names of the file.

    Raises:
        InputError: there is none, or it is something else.
    """
    fix = "Let the file define it: an il.observer(...), or a function that returns one."
    found = names.get(name)
    if found is None:
        raise il.InputError(f"the mechanism comes with no observer {name[:60]!a}", fix=fix)
    if callable(found) and not isinstance(found, il.observers.Observer):
        found = found()
    if not isinstance(found, il.observers.Observer):
        raise il.InputError(f"`{name}` is or makes a {type(found).__name__}", fix=fix)
    return found
