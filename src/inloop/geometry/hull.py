"""The convex hull of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from inloop.errors import InputError
from inloop.geometry.mass import MassProperties, of_surface
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, table
from inloop.geometry.surface import AROUND, Surface


@dataclass(frozen=True, eq=False)
class ConvexHull(Shape):
    """The smallest convex solid that contains the points.

    Attributes:
        points: rows of coordinates [m]; interior points are optional.
    """

    kind: ClassVar[str] = "convex_hull"
    points: Array

    def __post_init__(self) -> None:
        points = table(self.points, "the points of a convex hull", 3, 4)
        object.__setattr__(self, "points", points)
        _ = self._surface  # raises if all points lie in a plane

    @cached_property
    def _surface(self) -> Surface:
        from scipy.spatial import ConvexHull as Qhull
        from scipy.spatial import QhullError

        try:
            found = Qhull(self.points)
        except QhullError:
            raise InputError(
                f"the {len(self.points)} points of a convex hull lie in a plane",
                fix="Give points that enclose a volume.",
            ) from None
        triangles = found.simplices.astype(np.int64)
        a, b, c = (self.points[triangles[:, k]] for k in range(3))
        inward = np.einsum("ni,ni->n", np.cross(b - a, c - a), found.equations[:, :3]) < 0.0
        triangles[inward] = triangles[inward][:, ::-1]
        used, numbers = np.unique(triangles, return_inverse=True)
        return Surface(self.points[used], numbers.reshape(-1, 3))

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return self._solid(1.0).mass

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        return self._surface.bounds

    def _solid(self, density: float) -> MassProperties:
        return of_surface(self._surface.vertices, self._surface.triangles, density)

    def support(self, direction: Array) -> Array:
        """An extreme corner in a direction [m]."""
        vertices = self._surface.vertices
        return np.array(vertices[int(np.argmax(vertices @ np.asarray(direction)))])

    def surface(self, around: int = AROUND) -> Surface:
        """Its triangles."""
        return self._surface


def convex_hull(points: Sequence[Sequence[float]] | Array) -> ConvexHull:
    """The convex hull of points [m]."""
    return ConvexHull(points)  # type: ignore[arg-type]
