"""A visual: a shape drawn on a body, with its pose and appearance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeAlias

import numpy as np

from inloop.errors import InputError
from inloop.geometry.capsule import Capsule
from inloop.geometry.cylinder import Cylinder
from inloop.geometry.mass import MassProperties
from inloop.geometry.material import Material, material_of
from inloop.geometry.mesh_files.picture import Picture
from inloop.geometry.shape import Shape, shape_from
from inloop.geometry.sizes import Array, Color, color, is_symbolic, items, number, shown, triple

Vector: TypeAlias = tuple[Any, Any, Any]  # numbers [m], or expressions of parameters
Matrix: TypeAlias = tuple[Vector, Vector, Vector]
Point: TypeAlias = "Sequence[float] | Array"
Place: TypeAlias = "Point | str"  # coordinates [m], or the name of a point of the body
Paintable: TypeAlias = "str | Sequence[float] | None"
UPRIGHT: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ORTHOGONAL = 1e-6  # how far R Rᵀ may be from the unit matrix


@dataclass(frozen=True)
class Visual:
    """A shape on a body, for drawing only: no influence on the motion.

    Attributes:
        shape: what to draw.
        position: origin of the shape in body axes [m], or the name of a point of the body, which it
            follows when parameters change.
        rotation: axes of the shape in axes of the body.
        color: red, green, blue, opacity in 0..1; None if the renderer may choose.
        picture: image on its surface, or None. Meshes show it if they have texture coordinates.
        material: surface material; see `MATERIALS`.
        until: end of a capsule or cylinder that starts at `position`: sets its length and axis.
            None for shapes with a length of their own.
    """

    shape: Shape
    position: Vector | str = (0.0, 0.0, 0.0)
    rotation: Matrix = UPRIGHT
    color: Color | None = None
    picture: Picture | None = None
    material: Material = "plastic"
    until: Vector | str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Shape):
            raise InputError(
                f"a visual needs a shape, got {shown(self.shape)}",
                fix="Write il.sphere(radius), il.box(size), il.mesh(file), ...",
            )
        object.__setattr__(self, "position", _place(self.position, "a position"))
        if self.until is not None:
            object.__setattr__(self, "until", _place(self.until, "an end"))
        object.__setattr__(self, "material", material_of(self.material))
        rows = [
            items(row, "a row of a rotation", 3) for row in items(self.rotation, "a rotation", 3)
        ]
        rotation = tuple(tuple(_entry(x, "rotation") for x in row) for row in rows)
        object.__setattr__(self, "rotation", rotation)
        object.__setattr__(self, "color", color(self.color))
        if self.is_numeric:
            R = np.array(rotation)
            if np.abs(R @ R.T - np.eye(3)).max() > ORTHOGONAL or np.linalg.det(R) < 0.0:
                raise InputError(
                    "the rotation matrix of a visual is not a rotation",
                    fix="Its rows must be three mutually perpendicular unit vectors, right-handed.",
                )

    @property
    def origin(self) -> Vector:
        """Its position, if that is not the name of a point."""
        if isinstance(self.position, str):
            _no_name(self.position)
        return self.position

    @property
    def is_numeric(self) -> bool:
        """Whether its position is numeric; otherwise it depends on parameters."""
        if isinstance(self.position, str) or self.until is not None:
            return False
        entries = (*self.position, *(x for row in self.rotation for x in row))
        return not any(is_symbolic(x) for x in entries)

    def placed(self, find: Callable[[str], Point]) -> Visual:
        """The same visual with points replaced by their current positions, from `find` [m]."""
        p, q = (find(x) if isinstance(x, str) else x for x in (self.position, self.until))
        if q is None:
            return replace(self, position=tuple(p))  # type: ignore[arg-type]
        middle, along, length = _between(p, q)
        return replace(
            self, shape=_stretched(self.shape, along, length), position=middle, until=None
        )

    @property
    def _pose(self) -> tuple[Array, Array]:
        if not self.is_numeric:
            raise InputError(
                f"the position of a {self.shape} depends on parameters", fix="Write numbers."
            )
        return np.array(self.position, dtype=np.float64), np.array(self.rotation, dtype=np.float64)

    @property
    def corners(self) -> Array:
        """Corners of its bounding box, in body axes, shape (8, 3) [m]."""
        p, R = self._pose
        low, high = self.shape.bounds
        corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
        return p + corners @ R.T

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties of the solid, in body axes; see `Shape.mass_properties`."""
        return self.shape.mass_properties(density).moved(*self._pose)

    def data(self) -> dict[str, Any]:
        """Plain data, for files and for the page; images are omitted."""
        return {"shape": self.shape.data(), **self.placement()}

    def placement(self) -> dict[str, Any]:
        """Pose and appearance as plain data."""
        p, R = self._pose
        return {
            "position": p.tolist(),
            "rotation": R.tolist(),
            "color": self.color,
            "material": self.material,
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Visual:
        """The visual described by `data`."""
        shape = shape_from(data["shape"])
        material = data.get("material", "plastic")
        return cls(shape, data["position"], data["rotation"], data["color"], material=material)


def visual(
    shape: Shape,
    at: Place = (0.0, 0.0, 0.0),
    color: Paintable = None,
    *,
    rotation: Sequence[Sequence[float]] = UPRIGHT,
    material: str = "plastic",
) -> Visual:
    """A shape to be drawn on a body.

    Args:
        shape: what to draw.
        at: origin of the shape in body axes [m], or the name of a point of the body, which the
            shape follows when parameters move it.
        color: "#rrggbb", or red, green, blue and opacity from 0 to 1; None: any.
        rotation: axes of the shape in axes of the body.
        material: "plastic", "metal", "paint", "rubber", "wood", "felt", "leather" or "glass".
    """
    return Visual(shape, at, rotation, color, material=material)  # type: ignore[arg-type]


def rod(
    a: Place, b: Place, radius: float, color: Paintable = None, *, material: str = "plastic"
) -> Visual:
    """A round bar between two points of a body, a capsule [m]; named points are followed."""
    return _bar(Capsule(radius, 0.0), a, b, color, material)


def disc(
    a: Place, b: Place, radius: float, color: Paintable = None, *, material: str = "plastic"
) -> Visual:
    """A cylinder between the centers of its faces, two points of a body [m]: a wheel, a roller."""
    return _bar(Cylinder(radius, 1.0), a, b, color, material)


def _bar(shape: Shape, a: Place, b: Place, color: Paintable, material: str) -> Visual:
    found = Visual(shape, a, UPRIGHT, color, material=material, until=b)  # type: ignore[arg-type]
    if isinstance(found.position, str) or isinstance(found.until, str):
        return found
    return found.placed(_no_name)


def _stretched(shape: Shape, along: Any, length: float) -> Shape:
    if not isinstance(shape, Capsule | Cylinder):
        raise InputError(
            f"a {shape} cannot reach from point to point", fix="Use il.rod or il.disc."
        )
    return replace(shape, axis=along, length=length)


def _no_name(name: str) -> NoReturn:
    raise InputError(f"there is no point {shown(name)}", fix="Write coordinates.")


def _between(a: object, b: object) -> tuple[Any, Any, float]:
    p, q = (np.array(triple(x, "an end")) for x in (a, b))
    length = float(np.linalg.norm(q - p))
    along = tuple(((q - p) / length).tolist()) if length > 0.0 else (0.0, 0.0, 1.0)
    return tuple((0.5 * (p + q)).tolist()), along, length


def _place(value: object, what: str) -> Any:
    """Coordinates, or the name of a point."""
    if isinstance(value, str):
        return value
    return tuple(_entry(x, what.partition(" ")[2]) for x in items(value, what, 3))


def _entry(value: object, what: str) -> Any:
    return value if is_symbolic(value) else number(value, f"a {what}")
