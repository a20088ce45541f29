"""A cylinder with flat ends, or an infinite one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inloop.geometry.axial import (
    across_and_along,
    axial_solid,
    radial_and_height,
    round_bounds,
)
from inloop.geometry.mass import MassProperties
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import (
    Array,
    Axis,
    Size,
    Triple,
    direction,
    flag,
    number,
    rotation_to,
    size,
)
from inloop.geometry.surface import AROUND, Surface, revolved


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder about an axis through the origin of its frame.

    Attributes:
        radius: [m].
        length: between its flat ends, centered at the origin [m]; None if it is infinite.
        axis: unit vector.
        hollow: whether contacts act on its inside, such as a bore.
    """

    kind: ClassVar[str] = "cylinder"
    radius: Size
    length: Size | None = None
    axis: Triple = (0.0, 0.0, 1.0)
    hollow: bool = False

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "radius", size(self.radius, "the radius of a cylinder", zero=True))
        if self.length is not None:
            set_(self, "length", size(self.length, "the length of a cylinder"))
        set_(self, "axis", direction(self.axis, "the axis of a cylinder"))
        set_(self, "hollow", flag(self.hollow, "hollow"))

    @property
    def _numbers(self) -> tuple[float, float]:
        if self.length is None:
            self.refuse("ends: give its length")
        what = "the {} of a cylinder"
        return number(self.radius, what.format("radius")), number(
            self.length, what.format("length")
        )

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        r, l = self._numbers
        return math.pi * r * r * l

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        r, l = self._numbers
        return round_bounds(r, -0.5 * l, 0.5 * l, self.axis)

    def _solid(self, density: float) -> MassProperties:
        r, l = self._numbers
        mass = density * self.volume
        across = mass * (3.0 * r * r + l * l) / 12.0
        return axial_solid(mass, 0.0, across, 0.5 * mass * r * r, self.axis)

    def support(self, direction: Array) -> Array:
        """An extreme point of the rims in a direction [m]."""
        r, l = self._numbers
        across, side = across_and_along(direction, self.axis)
        return r * across + 0.5 * l * side * np.array(self.axis)

    def distance(self, point: Array) -> float:
        """Signed distance of a point from the surface, negative inside [m]."""
        radial, z = radial_and_height(point, self.axis)
        if self.length is None:
            found = radial - number(self.radius, "the radius of a cylinder")
        else:
            r, l = self._numbers
            beyond = (radial - r, abs(z) - 0.5 * l)
            found = min(max(beyond), 0.0) + math.hypot(*(max(x, 0.0) for x in beyond))
        return -found if self.hollow else found

    def surface(self, around: int = AROUND) -> Surface:
        """Triangles of the lateral surface and the two ends."""
        r, l = self._numbers
        profile = np.array([[0.0, -0.5 * l], [r, -0.5 * l], [r, 0.5 * l], [0.0, 0.5 * l]])
        return revolved(profile, around).turned(rotation_to(self.axis))


def cylinder(
    radius: Size, length: Size | None = None, axis: Axis = "z", *, hollow: bool = False
) -> Cylinder:
    """A cylinder about an axis through the origin of its frame.

    Args:
        radius: [m].
        length: between its flat ends [m], centered at the origin. In contacts a cylinder has no
            length and is infinite; use a capsule for one with round ends.
        axis: "x", "-z", ... or three numbers, in the axes of the frame.
        hollow: contacts act on its inside, such as a bore.
    """
    return Cylinder(radius, length, axis, hollow)  # type: ignore[arg-type]
