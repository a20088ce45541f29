"""Base class of all shapes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, NoReturn

import numpy as np

from inloop.errors import InputError
from inloop.geometry.mass import MassProperties, density_of
from inloop.geometry.sizes import Array, is_symbolic
from inloop.geometry.surface import AROUND, Surface

KINDS: dict[str, type[Shape]] = {}


class Shape(ABC):
    """A shape in its own frame: located at the origin, with its axis given in that frame.

    Shapes are validated on construction. A quantity that a kind of shape does not have, such as the
    volume of a line, raises an InputError.
    """

    kind: ClassVar[str] = ""
    hollow: bool = False

    def __init_subclass__(cls) -> None:
        KINDS[cls.kind] = cls

    def __str__(self) -> str:
        return f"hollow {self.kind}" if self.hollow else self.kind

    @property
    @abstractmethod
    def volume(self) -> float:
        """Volume [m³]."""

    @abstractmethod
    def _solid(self, density: float) -> MassProperties:
        """Mass properties for a validated density [kg/m³]."""

    @property
    @abstractmethod
    def bounds(self) -> Array:
        """Minimum and maximum coordinates, shape (2, 3) [m]."""

    @abstractmethod
    def surface(self, around: int = AROUND) -> Surface:
        """Triangles for drawing; `around` is the number of corners of a circle."""

    def mass_properties(self, density: float) -> MassProperties:
        """Mass, center of mass and inertia of the solid.

        Args:
            density: [kg/m³].
        """
        found = density_of(density)
        if self.hollow:
            self.refuse("volume: it is hollow")
        return self._solid(found)

    def support(self, direction: Array) -> Array:
        """The extreme point in a direction [m]."""
        self.refuse("support point")

    def distance(self, point: Array) -> float:
        """Signed distance of a point from the surface, negative inside [m]."""
        self.refuse("distance in closed form")

    def data(self) -> dict[str, Any]:
        """Plain data, for files and for the page; read by `shape_from`."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        if any(is_symbolic(value) for value in told.values()):
            self.refuse("plain data: a size is an expression of parameters")
        return {"kind": self.kind, **{name: _plain(value) for name, value in told.items()}}

    def refuse(self, what: str) -> NoReturn:
        """Raise an error because this shape does not have something."""
        raise InputError(f"a {self} has no {what}", fix="Use another shape.")


def shape_from(data: Mapping[str, Any]) -> Shape:
    """The shape described by `Shape.data`."""
    known = dict(data)
    kind = KINDS.get(str(known.pop("kind", "")))
    if kind is None:
        raise InputError(
            f"there is no shape of kind {str(data.get('kind'))[:40]!a}",
            fix=f"Kinds are: {', '.join(sorted(KINDS))}.",
        )
    try:
        return kind(**known)
    except TypeError as error:
        raise InputError(
            f"the data of a {kind.kind} is wrong: {error}", fix="See Shape.data."
        ) from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
