"""Shapes that touch: planes, segments, cylinders, circles, rims, spheres, points.

A shape sits at the origin of the frame that carries it; its direction (the normal of a plane,
the axis of a cylinder or of a circle) is given in the axes of that frame. All numbers but the
direction may be expressions of parameters. Shapes are read and checked when a contact uses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inloop.joints import Axis
from inloop.model.geometry import Scalar
from inloop.model.intake import Intake
from inloop.model.names import quoted
from inloop.model.rotations import read_axis
from inloop.symbolic import Expr

ShapeKind = Literal["plane", "segment", "cylinder", "circle", "rim", "sphere"]
Direction = tuple[float, float, float]


@dataclass(frozen=True)
class Shape:
    """A shape as written.

    Attributes:
        kind: what it is; a point is a sphere without radius.
        radius: [m]; nothing for a plane.
        direction: normal of a plane, axis of a cylinder, a circle or a rim, line of a segment.
        length: of a segment, or between the centers of a cylinder's round ends [m]; None if there
            are no ends.
        hollow: True if it is touched from inside.
    """

    kind: ShapeKind
    radius: Scalar = 0.0
    direction: Axis = "z"
    length: Scalar | None = None
    hollow: bool = False

    def __str__(self) -> str:
        name = "point" if self.kind == "sphere" and self.radius == 0.0 else self.kind
        return f"hollow {name}" if self.hollow else name


@dataclass(frozen=True)
class ReadShape:
    """A shape that was read: its direction is a unit vector in the axes of its frame."""

    kind: ShapeKind
    radius: Scalar
    direction: Direction
    length: Scalar | None
    hollow: bool


def plane(normal: Axis = "z") -> Shape:
    """A plane through the origin of its frame; the other shape is on the side of its normal.

    Args:
        normal: "x", "-z", ... or three numbers, in the axes of the frame.
    """
    return Shape("plane", direction=normal)


def sphere(radius: Scalar, *, hollow: bool = False) -> Shape:
    """A sphere about the origin of its frame.

    Args:
        radius: [m].
        hollow: touched from inside, such as a socket.
    """
    return Shape("sphere", radius, hollow=hollow)


def point() -> Shape:
    """The origin of its frame: a sphere without radius."""
    return Shape("sphere", 0.0)


def circle(radius: Scalar, axis: Axis = "z", *, hollow: bool = False) -> Shape:
    """A circle about the origin of its frame, for planar contacts.

    The contact is that of the outlines in the plane of the circle: what it touches has its axis
    parallel to that of the circle (a plane: its normal across it), offsets along the axis do not
    matter, and friction acts in the plane.

    Args:
        radius: [m].
        axis: "x", "-z", ... or three numbers, in the axes of the frame.
        hollow: touched from inside, such as a ring.
    """
    return Shape("circle", radius, axis, hollow=hollow)


def segment(length: Scalar, along: Axis = "x", radius: Scalar = 0.0) -> Shape:
    """A straight edge with two ends, for planar contacts with circles.

    Seen from the side it is a line of this length whose middle is the origin of its frame; a
    circle may rest on it, roll over its end and slip off. It has no inside: a circle whose
    center gets across the line is pushed out on the other side.

    Args:
        length: [m].
        along: direction of the line: "x", "-z", ... or three numbers, in the axes of the frame.
        radius: of its rounded ends, which is also half its thickness [m].
    """
    return Shape("segment", radius, along, length)


def rim(radius: Scalar, axis: Axis = "z") -> Shape:
    """A circle in space about the origin of its frame, such as the edge of a coin, on planes.

    Where it lies flat on the plane it has no lowest point; it must stay tilted.

    Args:
        radius: [m].
        axis: "x", "-z", ... or three numbers, in the axes of the frame.
    """
    return Shape("rim", radius, axis)


def cylinder(
    radius: Scalar, length: Scalar | None = None, axis: Axis = "z", *, hollow: bool = False
) -> Shape:
    """A cylinder about an axis through the origin of its frame.

    Args:
        radius: [m].
        length: between the centers of its two ends [m], half of it on either side of the origin.
            The ends are round: half spheres with the radius of the cylinder. A cylinder without
            a length goes on for ever.
        axis: "x", "-z", ... or three numbers, in the axes of the frame.
        hollow: touched from inside, such as a bore.
    """
    return Shape("cylinder", radius, axis, length, hollow)


def read_shape(read: Intake, shape: object, role: str) -> ReadShape | None:
    """Read a shape as written and report what is wrong with it."""
    if not isinstance(shape, Shape):
        read.complain(
            f"{role} must be a shape, got {quoted(shape)}",
            "Write plane(), sphere(radius), circle(radius), cylinder(radius), point(), ...",
        )
        return None
    length = shape.length
    return ReadShape(
        shape.kind,
        _read_size(read, shape.radius, f"the radius of {role}"),
        read_axis(read, shape.direction),
        None if length is None else _read_size(read, length, f"the length of {role}"),
        shape.hollow is True,
    )


def _read_size(read: Intake, value: object, quantity: str) -> Scalar:
    size = read.scalar(value, quantity)
    if not isinstance(size, Expr) and size < 0.0:
        read.complain(
            f"{quantity} must be >= 0 m, got {size:g}",
            "For a contact from inside write hollow=True.",
        )
        return 0.0
    return size
