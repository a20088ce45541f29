"""Lines and outlines: for contacts and drawing, without volume."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inloop.geometry.axial import round_bounds
from inloop.geometry.mass import MassProperties
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, Axis, Size, Triple, direction, flag, number, size, table
from inloop.geometry.surface import AROUND, Surface


class Outline(Shape):
    """A shape without an inside."""

    kind: ClassVar[str] = "outline"

    @property
    def volume(self) -> float:
        """None: raises an error."""
        return 0.0

    def _solid(self, density: float) -> MassProperties:
        self.refuse("volume")

    def surface(self, around: int = AROUND) -> Surface:
        """None: raises an error."""
        self.refuse("surface")

    @property
    @abstractmethod
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""


@dataclass(frozen=True)
class Circle(Outline):
    """A circle about the origin of its frame, for planar contacts.

    Attributes:
        radius: [m].
        axis: unit vector across its plane.
        hollow: whether contacts act on its inside, such as a ring.
    """

    kind: ClassVar[str] = "circle"
    radius: Size
    axis: Triple = (0.0, 0.0, 1.0)
    hollow: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", size(self.radius, "the radius of a circle", zero=True))
        object.__setattr__(self, "axis", direction(self.axis, "the axis of a circle"))
        object.__setattr__(self, "hollow", flag(self.hollow, "hollow"))

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        return round_bounds(number(self.radius, "the radius"), 0.0, 0.0, self.axis)


@dataclass(frozen=True)
class Rim(Outline):
    """A circle in space about the origin of its frame, such as the edge of a coin.

    Attributes:
        radius: [m].
        axis: unit vector across its plane.
    """

    kind: ClassVar[str] = "rim"
    radius: Size
    axis: Triple = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", size(self.radius, "the radius of a rim", zero=True))
        object.__setattr__(self, "axis", direction(self.axis, "the axis of a rim"))

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        return round_bounds(number(self.radius, "the radius"), 0.0, 0.0, self.axis)


@dataclass(frozen=True)
class Segment(Outline):
    """A straight edge whose middle is the origin of its frame, for planar contacts.

    Attributes:
        length: [m].
        along: unit vector.
        radius: of its rounded ends, which is also half its thickness [m].
    """

    kind: ClassVar[str] = "segment"
    length: Size
    along: Triple = (1.0, 0.0, 0.0)
    radius: Size = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", size(self.length, "the length of a segment", zero=True))
        object.__setattr__(self, "along", direction(self.along, "the direction of a segment"))
        object.__setattr__(self, "radius", size(self.radius, "the radius of a segment", zero=True))

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        reach = 0.5 * number(self.length, "the length") * np.abs(self.along)
        reach = reach + number(self.radius, "the radius")
        return np.array([-reach, reach])


@dataclass(frozen=True, eq=False)
class Line(Outline):
    """A thin line through points: a string, a rail.

    Attributes:
        points: rows of coordinates [m].
    """

    kind: ClassVar[str] = "line"
    points: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", table(self.points, "the points of a line", 3, 2))

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        return np.array([self.points.min(axis=0), self.points.max(axis=0)])


def circle(radius: Size, axis: Axis = "z", *, hollow: bool = False) -> Circle:
    """A circle about the origin of its frame, for planar contacts.

    The contact is that of the outlines in the plane of the circle: the axis of the other shape must
        be parallel to that of the circle (for a plane: its normal perpendicular to it), offsets
        along the axis are ignored, and friction acts in the plane.

    Args:
        radius: [m].
        axis: "x", "-z", ... or three numbers, in the axes of the frame.
        hollow: contacts act on its inside, such as a ring.
    """
    return Circle(radius, axis, hollow)  # type: ignore[arg-type]


def rim(radius: Size, axis: Axis = "z") -> Rim:
    """A circle in space about the origin of its frame, such as the edge of a coin, on planes.

    It must stay tilted: lying flat on the plane, it has no lowest point.

    Args:
        radius: [m].
        axis: "x", "-z", ... or three numbers, in the axes of the frame.
    """
    return Rim(radius, axis)  # type: ignore[arg-type]


def segment(length: Size, along: Axis = "x", radius: Size = 0.0) -> Segment:
    """A straight edge with two ends, for planar contacts with circles.

    Seen from the side it is a line of this length centered at the origin of its frame; a circle may
    rest on it, roll over its end and slip off. It has no inside: a circle whose center crosses the
    line is pushed out on the other side.

    Args:
        length: [m].
        along: direction of the line: "x", "-z", ... or three numbers, in the axes of the frame.
        radius: of its rounded ends, which is also half its thickness [m].
    """
    return Segment(length, along, radius)  # type: ignore[arg-type]


def line(points: Sequence[Sequence[float]]) -> Line:
    """A thin line through points [m]: a string, a rail."""
    return Line(points)  # type: ignore[arg-type]
