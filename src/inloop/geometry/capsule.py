"""A capsule: a cylinder with hemispherical ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inloop.geometry.axial import axial_solid, radial_and_height
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
class Capsule(Shape):
    """A cylinder with round ends about an axis through the origin of its frame.

    Attributes:
        radius: [m].
        length: between the centers of its ends, centered at the origin [m].
        axis: unit vector.
        hollow: whether contacts act on its inside.
    """

    kind: ClassVar[str] = "capsule"
    radius: Size
    length: Size
    axis: Triple = (0.0, 0.0, 1.0)
    hollow: bool = False

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "radius", size(self.radius, "the radius of a capsule", zero=True))
        set_(self, "length", size(self.length, "the length of a capsule", zero=True))
        set_(self, "axis", direction(self.axis, "the axis of a capsule"))
        set_(self, "hollow", flag(self.hollow, "hollow"))

    @property
    def _numbers(self) -> tuple[float, float]:
        what = "the {} of a capsule"
        return number(self.radius, what.format("radius")), number(
            self.length, what.format("length")
        )

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        r, l = self._numbers
        return math.pi * r * r * (l + 4.0 / 3.0 * r)

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        r, l = self._numbers
        reach = 0.5 * l * np.abs(self.axis) + r
        return np.array([-reach, reach])

    def _solid(self, density: float) -> MassProperties:
        r, l = self._numbers
        middle, ends = density * math.pi * r * r * l, density * 4.0 / 3.0 * math.pi * r**3
        about = (0.5 * middle + 0.4 * ends) * r * r
        across = middle * (3.0 * r * r + l * l) / 12.0
        # hemispheres: own inertia, plus Steiner from their centers of mass, 3/8 r out
        across += ends * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r)
        return axial_solid(middle + ends, 0.0, across, about, self.axis)

    def support(self, direction_: Array) -> Array:
        """The extreme point in a direction [m]."""
        r, l = self._numbers
        d, a = np.array(direction(direction_, "a direction")), np.array(self.axis)
        return r * d + math.copysign(0.5 * l, float(d @ a)) * a

    def distance(self, point: Array) -> float:
        """Signed distance of a point from the surface, negative inside [m]."""
        r, l = self._numbers
        radial, z = radial_and_height(point, self.axis)
        found = math.hypot(radial, max(abs(z) - 0.5 * l, 0.0)) - r
        return -found if self.hollow else found

    def surface(self, around: int = AROUND) -> Surface:
        """Triangles of the lateral surface and the two hemispheres."""
        r, l = self._numbers
        latitude = np.linspace(0.0, 0.5 * math.pi, around // 4 + 1)
        upper = np.stack([r * np.cos(latitude), 0.5 * l + r * np.sin(latitude)], axis=1)
        upper[-1, 0] = 0.0
        lower = upper[::-1] * [1.0, -1.0]
        return revolved(np.vstack([lower, upper]), around).turned(rotation_to(self.axis))


def capsule(radius: Size, length: Size, axis: Axis = "z", *, hollow: bool = False) -> Capsule:
    """A cylinder with round ends about an axis through the origin of its frame.

    Args:
        radius: [m].
        length: between the centers of its ends, centered at the origin [m].
        axis: "x", "-z", ... or three numbers, in the axes of the frame.
        hollow: contacts act on its inside.
    """
    return Capsule(radius, length, axis, hollow)  # type: ignore[arg-type]
