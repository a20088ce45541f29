"""The half-space below a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inloop.geometry.mass import MassProperties
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, Axis, Triple, direction
from inloop.geometry.surface import AROUND, Surface


@dataclass(frozen=True)
class HalfSpace(Shape):
    """The half-space below a plane through the origin of its frame.

    Attributes:
        normal: unit vector; other shapes touch the plane from this side.
    """

    kind: ClassVar[str] = "plane"
    normal: Triple = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", direction(self.normal, "the normal of a plane"))

    @property
    def volume(self) -> float:
        """Infinite: raises an error."""
        self.refuse("finite volume")

    @property
    def bounds(self) -> Array:
        """Infinite: raises an error."""
        self.refuse("finite bounds")

    def _solid(self, density: float) -> MassProperties:
        self.refuse("finite mass")

    def surface(self, around: int = AROUND) -> Surface:
        """Infinite: cannot be drawn."""
        self.refuse("finite surface")

    def distance(self, point: Array) -> float:
        """Signed height of a point above the plane [m]."""
        return float(np.asarray(point, dtype=np.float64) @ np.array(self.normal))


def plane(normal: Axis = "z") -> HalfSpace:
    """A plane through the origin of its frame; the other shape is on the side of its normal.

    Args:
        normal: "x", "-z", ... or three numbers, in the axes of the frame.
    """
    return HalfSpace(normal)  # type: ignore[arg-type]
