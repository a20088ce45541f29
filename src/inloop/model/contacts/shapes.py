"""Shapes of contacts: sizes that are expressions of parameters are read with the model."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar

from inloop.geometry import Shape
from inloop.model.geometry import Scalar
from inloop.model.intake import Intake
from inloop.model.laws.coefficients import NOT_NEGATIVE
from inloop.model.names import quoted
from inloop.symbolic import Expr

Read = TypeVar("Read", bound=Shape)


def read_shape(read: Intake, shape: object, role: str) -> Shape | None:
    """Return a shape whose sizes belong to this model; report what is wrong with it."""
    if not isinstance(shape, Shape):
        read.complain(
            f"{role} must be a shape, got {quoted(shape)}",
            "Write plane(), sphere(radius), circle(radius), cylinder(radius), point(), ...",
        )
        return None
    return _with_sizes_of_model(read, shape, role)


def _with_sizes_of_model(read: Intake, shape: Read, role: str) -> Read:
    names = [field.name for field in fields(shape)]  # type: ignore[arg-type]
    symbolic = {name: x for name in names if isinstance(x := getattr(shape, name), Expr)}
    sizes = {name: _read_size(read, x, f"the {name} of {role}") for name, x in symbolic.items()}
    return replace(shape, **sizes) if sizes else shape  # type: ignore[type-var]


def _read_size(read: Intake, value: Expr, quantity: str) -> Scalar:
    size = read.scalar(value, quantity)
    if isinstance(size, Expr):
        read.bound(size, quantity, NOT_NEGATIVE)
    elif size < 0.0:
        read.complain(
            f"{quantity} must be >= 0 m, got {size:g}",
            "For a contact from inside write hollow=True.",
        )
        return 1.0
    return size
