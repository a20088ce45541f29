"""The scene as sent to the page: plain data, positions in meters."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

Vector = tuple[float, float, float]
Plane = Literal["xy", "xz", "yz"]
Material = Literal["plastic", "metal", "paint", "rubber", "wood", "felt", "leather", "glass"]


class Sphere(TypedDict):
    """About the origin."""

    kind: Literal["sphere"]
    radius: float
    hollow: bool


class Box(TypedDict):
    """About the origin, along the axes."""

    kind: Literal["box"]
    size: Vector


class Capsule(TypedDict):
    """A cylinder with round ends."""

    kind: Literal["capsule"]
    radius: float
    length: Annotated[float, "without the ends"]
    axis: Vector
    hollow: bool


class Cylinder(TypedDict):
    """About the origin."""

    kind: Literal["cylinder"]
    radius: float
    length: float
    axis: Vector
    hollow: bool


class Cone(TypedDict):
    """A cone with its tip along the axis."""

    kind: Literal["cone"]
    radius: float
    length: float
    axis: Vector


class Torus(TypedDict):
    """A ring about its axis."""

    kind: Literal["torus"]
    radius: float
    tube: Annotated[float, "radius of the section"]
    axis: Vector


class Plate(TypedDict):
    """An outline in a plane of the body."""

    kind: Literal["plate"]
    corners: list[tuple[float, float]]
    thickness: float
    plane: Plane


class Line(TypedDict):
    """Through points."""

    kind: Literal["line"]
    points: list[Vector]


class Segment(TypedDict):
    """A straight line about the origin."""

    kind: Literal["segment"]
    length: float
    along: Vector
    radius: float


class Circle(TypedDict):
    """A circle that touches others from outside or inside."""

    kind: Literal["circle"]
    radius: float
    axis: Vector
    hollow: bool


class Rim(TypedDict):
    """The edge of a wheel."""

    kind: Literal["rim"]
    radius: float
    axis: Vector


class HalfSpace(TypedDict):
    """The space below a plane; not drawn."""

    kind: Literal["plane"]
    normal: Vector


class Packed(TypedDict):
    """A mesh that the page requests by name."""

    kind: Literal["packed"]
    name: str
    scale: Vector
    bounds: tuple[Vector, Vector]


Shape = (
    Sphere | Box | Capsule | Cylinder | Cone | Torus | Plate | Line | Segment | Circle | Rim
    | HalfSpace | Packed
)  # fmt: skip


class Look(TypedDict):
    """A shape on a body."""

    shape: Shape
    position: Vector
    rotation: Annotated[tuple[Vector, Vector, Vector], "rows: axes of the body"]
    color: Annotated[list[float] | None, "red, green, blue and perhaps opacity, 0 to 1"]
    material: Material
    picture: NotRequired[Annotated[str, "on it, requested by name"]]


class Body(TypedDict):
    """A body; bodies are in the order of the poses."""

    name: str
    parent: Annotated[int, "index of the body that carries it; -1: the ground"]
    shapes: list[Look]


class End(TypedDict):
    """A point of a body."""

    body: Annotated[str, '"ground" for the world']
    p: Vector


class FlexibleNode(TypedDict):
    """A body along a flexible link."""

    body: int
    rest: Annotated[float, "distance along the undeformed link"]


class Flexible(TypedDict):
    """A flexible link."""

    name: str
    body: Annotated[int, "that carries its root; -1: the ground"]
    p: Vector
    axes: Annotated[tuple[Vector, Vector, Vector], "x along it, z the axis of bending"]
    along: Annotated[Vector, "in axes of the nodes"]
    nodes: list[FlexibleNode]
    looped: Annotated[bool, "its tip is held by a loop"]
    radius: float


class Bounds(TypedDict):
    """Corners of a box around everything that may be seen, and points around the visible part."""

    min: Vector
    max: Vector
    points: Annotated[list[Vector], "if there are none, the corners of the box apply"]


# `from` is a keyword of Python
Connector = TypedDict(
    "Connector", {"name": str, "look": Literal["spring", "line"], "from": End, "to": End}
)


class Scene(TypedDict):
    """The parts to draw."""

    planar: Annotated[Plane | None, "plane of all motion"]
    up: Literal["y", "z"]
    bounds: Bounds
    bodies: list[Body]
    ground: list[Look]
    connectors: list[Connector]
    flexible: list[Flexible]
