"""Laws as data: coefficients with bounds, read and checked when the law is used.

A law is a frozen dataclass whose fields have the types of this file; those of a user's own law may
also be of other types, which are taken as they are. A law that is no dataclass has no coefficients.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_type_hints

from inloop.model.bounds import FIX, Bound
from inloop.model.geometry import Scalar
from inloop.model.intake import Intake
from inloop.symbolic import Expr

Spec = TypeVar("Spec", bound=Any)


NOT_NEGATIVE = Bound(">= 0", lambda x: x >= 0.0, 0.0)
POSITIVE = Bound("> 0", lambda x: x > 0.0)
RESTITUTION = Bound(">= 0 and <= 1", lambda x: 0.0 <= x <= 1.0, 0.0, most=1.0)

NotNegative: TypeAlias = Annotated[Scalar, NOT_NEGATIVE]
Positive: TypeAlias = Annotated[Scalar, POSITIVE]
AtLeastOne: TypeAlias = Annotated[Scalar, Bound(">= 1", lambda x: x >= 1.0, least=1.0)]
Restitution: TypeAlias = Annotated[Scalar, RESTITUTION]
Share: TypeAlias = Annotated[Scalar, Bound(">= 0 and < 1", lambda x: 0.0 <= x < 1.0, 0.5, most=1.0)]


def read_coefficients(read: Intake, spec: Spec) -> Spec:
    """Read the coefficients of a law and report those out of bounds; None passes."""
    given = {name: (getattr(spec, name), bound) for name, bound in _bounds(read, spec).items()}
    found = {
        name: read_bounded(read, value, name, bound)
        for name, (value, bound) in given.items()
        if value is not None
    }
    return replace(spec, **found) if found else spec


def read_bounded(read: Intake, value: object, quantity: str, bound: Bound) -> Scalar:
    """Read a number and report one out of bounds; an expression is looked at when all is known."""
    number = read.scalar(value, quantity, fallback=bound.stand_in)
    if isinstance(number, Expr):
        read.bound(number, quantity, bound)
        return number
    if bound.holds(number):
        return number
    problem = f"{quantity} must be {bound.words}, got {number:g}"
    read.complain(problem, FIX)
    return bound.stand_in


def coefficients(law: object) -> dict[str, object]:
    """Names and values of the coefficients of a law."""
    if not is_dataclass(law):
        return {}
    return {field.name: getattr(law, field.name) for field in fields(law)}


def _bounds(read: Intake, spec: object) -> dict[str, Bound]:
    """The fields of a law that have a bound."""
    if not is_dataclass(spec):
        return {}
    kind = type(spec)
    # code that is run from a text has no module, but its functions know what they see
    methods = (getattr(item, "__globals__", {}) for item in vars(kind).values())
    seen = {name: value for names in methods for name, value in names.items()}
    try:
        hints = get_type_hints(kind, localns=seen, include_extras=True)
    except NameError as error:
        read.complain(
            f"the types of the coefficients of {kind.__name__} cannot be read: {error}",
            "Import these types at the top of the file in which the law is written.",
        )
        return {}
    found = {field.name: _bound_of(hints[field.name]) for field in fields(spec) if field.init}
    return {name: bound for name, bound in found.items() if bound is not None}


def _bound_of(hint: object) -> Bound | None:
    """The bound of a type, or of the one that may be None."""
    args = get_args(hint)
    inner = (_bound_of(item) for item in args)
    own = (item for item in args if isinstance(item, Bound))
    return next(own, None) or next((bound for bound in inner if bound), None)
