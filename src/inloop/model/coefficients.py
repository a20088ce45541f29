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
    """What a coefficient must be: in words, and as a test of a number."""

    words: str
    holds: Callable[[float], bool]


NotNegative: TypeAlias = Annotated[Scalar, Bound(">= 0", lambda x: x >= 0.0)]
Positive: TypeAlias = Annotated[Scalar, Bound("> 0", lambda x: x > 0.0)]
AtLeastOne: TypeAlias = Annotated[Scalar, Bound(">= 1", lambda x: x >= 1.0)]
Share: TypeAlias = Annotated[Scalar, Bound(">= 0 and < 1", lambda x: 0.0 <= x < 1.0)]


def read_coefficients(read: Intake, spec: Spec) -> Spec:
    """Read the coefficients of a law and report those out of bounds; expressions pass."""
    hints = get_type_hints(type(spec), include_extras=True)
    found = {name: read.scalar(getattr(spec, name), name) for name in hints}
    for name, value in found.items():
        bound = get_args(hints[name])[-1]
        if not isinstance(value, Expr) and not bound.holds(value):
            read.complain(
                f"{name} must be {bound.words}, got {value:g}", "Check its sign and its unit."
            )
            found[name] = 0.5 if bound is get_args(Share)[-1] else 1.0
    return replace(spec, **found)
