"""A torus: a ring with a round cross-section."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inloop.errors import InputError
from inloop.geometry.axial import across_and_along, axial_solid, radial_and_height, round_bounds
from inloop.geometry.mass import MassProperties
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, Axis, Triple, direction, number, rotation_to, size
from inloop.geometry.surface import AROUND, Surface, revolved


@dataclass(frozen=True)
class Torus(Shape):
    """A ring about an axis through the origin of its frame.

    Attributes:
        radius: radius of the center circle of the tube [m].
        tube: radius of the tube [m].
        axis: unit vector.
    """

    kind: ClassVar[str] = "torus"
    radius: float
    tube: float
    axis: Triple = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        for name in ("radius", "tube"):
            what = f"the {name} of a torus"
            object.__setattr__(self, name, number(size(getattr(self, name), what), what))
        if self.tube >= self.radius:
            raise InputError(
                f"a torus of radius {self.radius:g} m with a tube of {self.tube:g} m has no hole",
                fix="Make the tube smaller than the radius.",
            )
        object.__setattr__(self, "axis", direction(self.axis, "the axis of a torus"))

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return 2.0 * math.pi**2 * self.radius * self.tube**2

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        ring = round_bounds(self.radius, 0.0, 0.0, self.axis)
        return ring + self.tube * np.array([[-1.0], [1.0]])

    def _solid(self, density: float) -> MassProperties:
        mass, r, a = density * self.volume, self.radius**2, self.tube**2
        across, about = mass * (0.5 * r + 0.625 * a), mass * (r + 0.75 * a)
        return axial_solid(mass, 0.0, across, about, self.axis)

    def support(self, direction_: Array) -> Array:
        """The extreme point in a direction [m]."""
        d = np.array(direction(direction_, "a direction"))
        across, _ = across_and_along(d, self.axis)
        return self.radius * across + self.tube * d

    def distance(self, point: Array) -> float:
        """Signed distance of a point from the surface, negative inside [m]."""
        radial, z = radial_and_height(point, self.axis)
        return math.hypot(radial - self.radius, z) - self.tube

    def surface(self, around: int = AROUND) -> Surface:
        """Triangles of the ring."""
        turn = 2.0 * math.pi * np.arange(around // 2) / (around // 2)
        circle = self.tube * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        return revolved(circle + np.array([self.radius, 0.0]), around).turned(
            rotation_to(self.axis)
        )


def torus(radius: float, tube: float, axis: Axis = "z") -> Torus:
    """A ring about an axis through the origin of its frame.

    Args:
        radius: radius of the center circle of the tube [m].
        tube: radius of the tube [m].
        axis: "x", "-z", ... or three numbers, in the axes of the frame.
    """
    return Torus(radius, tube, axis)  # type: ignore[arg-type]
