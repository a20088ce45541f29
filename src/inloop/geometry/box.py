"""A box along the axes of its frame."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np

from inloop.geometry.mass import MassProperties, solid
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, Triple, number, size, triple
from inloop.geometry.surface import AROUND, Surface

# corners in the order of `product`; two triangles for each of the six faces
_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


@dataclass(frozen=True)
class Box(Shape):
    """A box centered at the origin of its frame.

    Attributes:
        size: edges along x, y, z [m].
    """

    kind: ClassVar[str] = "box"
    size: Triple

    def __post_init__(self) -> None:
        what = "an edge of a box"
        edges = tuple(number(size(x, what), what) for x in triple(self.size, "the size of a box"))
        object.__setattr__(self, "size", edges)

    @property
    def _half(self) -> Array:
        return 0.5 * np.array(self.size)

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        x, y, z = self.size
        return x * y * z

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        return np.array([-self._half, self._half])

    def _solid(self, density: float) -> MassProperties:
        mass = density * self.volume
        x, y, z = (edge * edge for edge in self.size)
        return solid(
            mass, (0.0, 0.0, 0.0), [mass * (b + c) / 12.0 for b, c in ((y, z), (x, z), (x, y))]
        )

    def support(self, direction: Array) -> Array:
        """An extreme corner in a direction [m]."""
        return np.copysign(self._half, direction)

    def distance(self, point: Array) -> float:
        """Signed distance of a point from the surface, negative inside [m]."""
        beyond = np.abs(point) - self._half
        return float(np.linalg.norm(np.maximum(beyond, 0.0)) + min(float(beyond.max()), 0.0))

    def surface(self, around: int = AROUND) -> Surface:
        """Twelve triangles."""
        corners = np.array(list(product((-1.0, 1.0), repeat=3))) * self._half
        triangles = [t for a, b, c, d in _FACES for t in ((a, b, c), (a, c, d))]
        return Surface(corners, np.array(triangles))


def box(size: Triple) -> Box:
    """A box centered at the origin of its frame, with edges along x, y, z [m]."""
    return Box(size)
