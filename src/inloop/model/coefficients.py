"""Laws as data: coefficients with bounds, read and checked when the law is used.

A law is a frozen dataclass whose fields have the types of this file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_type_hints

from inloop.model.geometry import Scalar
from inloop.model.intake import Intake
from inloop.symbolic import Expr

Spec = TypeVar("Spec", bound=Any)


@dataclass(frozen=True)
class Bound:
    """What a coefficient must be: in words, as a test, and a value that passes it."""

    words: str
    holds: Callable[[float], bool]
    stand_in: float = 1.0


NotNegative: TypeAlias = Annotated[Scalar, Bound(">= 0", lambda x: x >= 0.0)]
Positive: TypeAlias = Annotated[Scalar, Bound("> 0", lambda x: x > 0.0)]
AtLeastOne: TypeAlias = Annotated[Scalar, Bound(">= 1", lambda x: x >= 1.0)]
Share: TypeAlias = Annotated[Scalar, Bound(">= 0 and < 1", lambda x: 0.0 <= x < 1.0, 0.5)]


def read_coefficients(read: Intake, spec: Spec) -> Spec:
    """Read the coefficients of a law and report those out of bounds; expressions pass."""
    hints = get_type_hints(type(spec), include_extras=True)
    bounds = {name: get_args(hint)[-1] for name, hint in hints.items()}
    found = {name: _read(read, getattr(spec, name), name, bounds[name]) for name in bounds}
    return replace(spec, **found)


def _read(read: Intake, value: object, name: str, bound: Bound) -> Scalar:
    number = read.scalar(value, name, fallback=bound.stand_in)
    if isinstance(number, Expr) or bound.holds(number):
        return number
    read.complain(f"{name} must be {bound.words}, got {number:g}", "Check its sign and its unit.")
    return bound.stand_in
