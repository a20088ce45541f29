"""A sphere; with zero radius a point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inloop.geometry.mass import MassProperties, solid
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, Size, direction, flag, number, size
from inloop.geometry.surface import AROUND, Surface, revolved


@dataclass(frozen=True)
class Sphere(Shape):
    """A sphere centered at the origin of its frame.

    Attributes:
        radius: [m]; 0 for a point.
        hollow: whether contacts act on its inside, such as a socket.
    """

    kind: ClassVar[str] = "sphere"
    radius: Size
    hollow: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", size(self.radius, "the radius of a sphere", zero=True))
        object.__setattr__(self, "hollow", flag(self.hollow, "hollow"))

    def __str__(self) -> str:
        return "point" if self.radius == 0.0 else super().__str__()

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return 4.0 / 3.0 * math.pi * self._r**3

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        return np.array([[-self._r] * 3, [self._r] * 3])

    @property
    def _r(self) -> float:
        return number(self.radius, "the radius of a sphere")

    def _solid(self, density: float) -> MassProperties:
        mass = density * self.volume
        return solid(mass, (0.0, 0.0, 0.0), [0.4 * mass * self._r**2] * 3)

    def support(self, direction_: Array) -> Array:
        """The extreme point in a direction [m]."""
        return self._r * np.array(direction(direction_, "a direction"))

    def distance(self, point: Array) -> float:
        """Signed distance of a point from the surface, negative inside [m]."""
        found = math.hypot(*point) - self._r
        return -found if self.hollow else found

    def surface(self, around: int = AROUND) -> Surface:
        """Triangles between circles of latitude."""
        latitude = np.linspace(-0.5 * math.pi, 0.5 * math.pi, around // 2 + 1)
        profile = self._r * np.stack([np.cos(latitude), np.sin(latitude)], axis=1)
        profile[[0, -1], 0] = 0.0
        return revolved(profile, around)


def sphere(radius: Size, *, hollow: bool = False) -> Sphere:
    """A sphere centered at the origin of its frame.

    Args:
        radius: [m].
        hollow: contacts act on its inside, such as a socket.
    """
    return Sphere(radius, hollow)


def point() -> Sphere:
    """The origin of its frame: a sphere of zero radius."""
    return Sphere(0.0)
