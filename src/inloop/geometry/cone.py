"""A cone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inloop.geometry.axial import across_and_along, axial_solid, radial_and_height, round_bounds
from inloop.geometry.mass import MassProperties
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, Axis, Triple, direction, number, rotation_to, size
from inloop.geometry.surface import AROUND, Surface, revolved


@dataclass(frozen=True)
class Cone(Shape):
    """A cone about an axis through the origin of its frame, which is at half its height.

    Attributes:
        radius: radius of its base [m].
        length: from base to tip [m].
        axis: unit vector, from base to tip.
    """

    kind: ClassVar[str] = "cone"
    radius: float
    length: float
    axis: Triple = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        for name in ("radius", "length"):
            what = f"the {name} of a cone"
            object.__setattr__(self, name, number(size(getattr(self, name), what), what))
        object.__setattr__(self, "axis", direction(self.axis, "the axis of a cone"))

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return math.pi * self.radius**2 * self.length / 3.0

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        base = round_bounds(self.radius, -0.5 * self.length, -0.5 * self.length, self.axis)
        tip = 0.5 * self.length * np.array(self.axis)
        return np.array([np.minimum(base[0], tip), np.maximum(base[1], tip)])

    def _solid(self, density: float) -> MassProperties:
        mass, r, l = density * self.volume, self.radius, self.length
        across = mass * (0.15 * r * r + 0.0375 * l * l)
        return axial_solid(mass, -0.25 * l, across, 0.3 * mass * r * r, self.axis)

    def support(self, direction: Array) -> Array:
        """The extreme point in a direction: the tip or a point of the base's rim [m]."""
        d, a = np.asarray(direction, dtype=np.float64), np.array(self.axis)
        across, _ = across_and_along(d, self.axis)
        tip, rim = 0.5 * self.length * a, self.radius * across - 0.5 * self.length * a
        return tip if d @ tip > d @ rim else rim

    def distance(self, point: Array) -> float:
        """Signed distance of a point from the surface, negative inside [m]."""
        radial, z = radial_and_height(point, self.axis)
        r, half = self.radius, 0.5 * self.length
        # in the plane of axis and point: the base, and the line from its rim to the tip
        p, rim, tip = np.array([radial, z]), np.array([r, -half]), np.array([0.0, half])
        along = tip - rim
        share = min(max(float((p - rim) @ along / (along @ along)), 0.0), 1.0)
        slant = float(np.linalg.norm(p - rim - share * along))
        base = math.hypot(max(radial - r, 0.0), z + half)
        inside = z > -half and radial * 2.0 * half < r * (half - z)
        return -min(slant, base) if inside else min(slant, base)

    def surface(self, around: int = AROUND) -> Surface:
        """Triangles of the lateral surface and the base."""
        half = 0.5 * self.length
        profile = np.array([[0.0, -half], [self.radius, -half], [0.0, half]])
        return revolved(profile, around).turned(rotation_to(self.axis))


def cone(radius: float, length: float, axis: Axis = "z") -> Cone:
    """A cone about an axis through the origin of its frame, which is at half its height.

    Args:
        radius: radius of its base [m].
        length: from base to tip [m].
        axis: from base to tip: "x", "-z", ... or three numbers, in the axes of the frame.
    """
    return Cone(radius, length, axis)  # type: ignore[arg-type]
