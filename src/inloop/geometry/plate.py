"""A plate: a polygon with a thickness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inloop.errors import InputError
from inloop.geometry.mass import MassProperties
from inloop.geometry.polygon import cut_into_triangles, polygon_moments
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, number, shown, size, table
from inloop.geometry.surface import AROUND, Surface

# axes of the two coordinates of the corners, and of the thickness
PLANES = {"xy": (0, 1, 2), "xz": (0, 2, 1), "yz": (1, 2, 0)}


@dataclass(frozen=True, eq=False)
class Plate(Shape):
    """A flat plate with a polygonal outline, centered on a plane.

    Attributes:
        corners: in the plane, in order, shape (n, 2) [m].
        thickness: across the plane [m].
        plane: "xy", "xz" or "yz" of its frame.
    """

    kind: ClassVar[str] = "plate"
    corners: Array
    thickness: float
    plane: str = "xy"

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners", table(self.corners, "the corners of a plate", 2, 3))
        what = "the thickness of a plate"
        object.__setattr__(self, "thickness", number(size(self.thickness, what), what))
        if self.plane not in PLANES:
            raise InputError(
                f"the plane of a plate is {shown(self.plane)}", fix='Write "xy", "xz" or "yz".'
            )

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return abs(polygon_moments(self.corners)[0]) * self.thickness

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        half = 0.5 * self.thickness
        low, high = self.corners.min(axis=0), self.corners.max(axis=0)
        return self._placed(np.array([[*low, -half], [*high, half]]))

    def _solid(self, density: float) -> MassProperties:
        area, center, second = polygon_moments(self.corners)
        mass = density * abs(area) * self.thickness
        if mass == 0.0:
            self.refuse("area: its corners lie on a line")
        # ∫ x xᵀ dm about the center of mass, in (first, second, across)
        spread = np.zeros((3, 3))
        spread[:2, :2] = mass * (second / area - np.outer(center, center))
        spread[2, 2] = mass * self.thickness**2 / 12.0
        order = np.argsort(PLANES[self.plane])
        spread = spread[np.ix_(order, order)]
        com = self._placed(np.array([[*center, 0.0]]))[0]
        return MassProperties(mass, com, np.trace(spread) * np.eye(3) - spread)

    def support(self, direction: Array) -> Array:
        """The extreme point in a direction [m]."""
        d = np.asarray(direction, dtype=np.float64)[list(PLANES[self.plane])]
        corner = self.corners[int(np.argmax(self.corners @ d[:2]))]
        across = np.copysign(0.5 * self.thickness, d[2])
        return np.asarray(self._placed(np.array([[*corner, across]]))[0])

    def surface(self, around: int = AROUND) -> Surface:
        """Triangles of both faces and of the edge."""
        corners = self.corners if polygon_moments(self.corners)[0] > 0.0 else self.corners[::-1]
        count, half = len(corners), 0.5 * self.thickness
        flat = np.array(cut_into_triangles(corners)).reshape(-1, 3)
        low = np.column_stack([corners, np.full(count, -half)])
        high = np.column_stack([corners, np.full(count, half)])
        here, there = np.arange(count), (np.arange(count) + 1) % count
        sides = [
            np.stack([here, there, there + count], 1),
            np.stack([here, there + count, here + count], 1),
        ]
        triangles = np.vstack([flat[:, ::-1], flat + count, *sides])
        if self.plane == "xz":  # x, z, y is left-handed
            triangles = triangles[:, ::-1]
        return Surface(self._placed(np.vstack([low, high])), triangles)

    def _placed(self, points: Array) -> Array:
        """From (first, second, across) to x, y, z."""
        return points[:, np.argsort(PLANES[self.plane])]


def plate(corners: Sequence[Sequence[float]], thickness: float, plane: str = "xy") -> Plate:
    """A flat plate with a polygonal outline.

    Args:
        corners: in the plane, in order [m].
        thickness: across the plane, half on either side [m].
        plane: "xy", "xz" or "yz" of its frame.
    """
    return Plate(corners, thickness, plane)  # type: ignore[arg-type]
