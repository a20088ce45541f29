"""A triangle mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from inloop.errors import InputError
from inloop.geometry.mass import MassProperties, of_surface
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, Indices, table
from inloop.geometry.surface import AROUND, Surface

MOST_TRIANGLES = 2_000_000


@dataclass(frozen=True)
class Texture:
    """A texture image: `image` holds the bytes of a PNG or JPEG file."""

    image: bytes
    media_type: str


@dataclass(frozen=True, eq=False)
class Paint:
    """Appearance of a part of a mesh.

    Attributes:
        triangles: index range of its triangles: begin and end.
        normals: normals at the three corners of each triangle, shape (m, 3, 3); None to compute
            them.
        colors: colors at the corners, shape (m, 3, 4) in 0..255; None for the color of the shape.
        uv: texture coordinates of the corners, shape (m, 3, 2); None if the file has none.
        texture: texture image, or None.
    """

    triangles: tuple[int, int]
    normals: npt.NDArray[np.float32] | None = None
    colors: npt.NDArray[np.uint8] | None = None
    uv: npt.NDArray[np.float32] | None = None
    texture: Texture | None = None


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A triangle mesh.

    Attributes:
        vertices: shape (n, 3) [m].
        triangles: vertex indices, counterclockwise seen from outside, shape (m, 3).
        paint: appearance of its parts, for drawing only; not a part of `data`.
        name: its name in messages, such as the path of its file.
        has_references: whether its file refers to others, such as images.
    """

    kind: ClassVar[str] = "mesh"
    vertices: Array
    triangles: Indices
    paint: tuple[Paint, ...] = field(default=(), repr=False)
    name: str = ""
    has_references: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", table(self.vertices, f"the vertices of {self}", 3, 3))
        object.__setattr__(self, "triangles", self._read_triangles())

    def __str__(self) -> str:
        return f"mesh {self.name[-200:]!a}" if self.name else "mesh"

    def _read_triangles(self) -> Indices:
        try:
            found = np.array(self.triangles, dtype=np.int64)
        except (TypeError, ValueError, OverflowError):
            found = np.zeros(0, dtype=np.int64)
        if found.ndim != 2 or found.shape[1] != 3 or not 1 <= len(found) <= MOST_TRIANGLES:
            raise InputError(
                f"{self} needs triangles: rows of three vertex numbers",
                fix=f"Give from 1 to {MOST_TRIANGLES} rows.",
            )
        if found.min() < 0 or found.max() >= len(self.vertices):
            raise InputError(
                f"a triangle of {self} uses vertex {found.max()}, but there are "
                f"{len(self.vertices)}",
                fix="Vertices are counted from 0.",
            )
        found.flags.writeable = False
        return found

    @cached_property
    def _joined(self) -> Surface:
        return Surface(self.vertices, self.triangles).joined()

    @property
    def is_closed(self) -> bool:
        """Whether it has an inside: each edge is shared by two consistently oriented triangles."""
        return self._joined.open_edges() == 0

    def _check_closed(self) -> None:
        count = self._joined.open_edges()
        if count:
            raise InputError(
                f"{self} is not closed: {count} edges belong to only one triangle, or to two "
                "with opposite orientation",
                fix="Close it in its program, or use il.convex_hull(mesh.vertices).",
            )

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return self.mass_properties(1.0).mass

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        used = self.vertices[np.unique(self.triangles)]
        return np.array([used.min(axis=0), used.max(axis=0)])

    def _solid(self, density: float) -> MassProperties:
        self._check_closed()
        return of_surface(self._joined.vertices, self._joined.triangles, density)

    def support(self, direction: Array) -> Array:
        """An extreme vertex in a direction [m]."""
        return np.array(self.vertices[int(np.argmax(self.vertices @ np.asarray(direction)))])

    def surface(self, around: int = AROUND) -> Surface:
        """Its triangles."""
        return Surface(self.vertices, self.triangles)

    def scaled(self, factors: Sequence[float]) -> Mesh:
        """The mesh with scaled coordinates; a mirrored one is reoriented."""
        s = np.array(factors, dtype=np.float64)
        mirrored = np.prod(np.sign(s)) < 0.0
        if np.all(s == 1.0):
            return self
        triangles = self.triangles[:, ::-1] if mirrored else self.triangles
        return Mesh(self.vertices * s, triangles, (), self.name)

    def data(self) -> dict[str, Any]:
        """Vertices and triangles; paint is omitted."""
        return {
            "kind": self.kind,
            "vertices": self.vertices.tolist(),
            "triangles": self.triangles.tolist(),
            "name": self.name,
        }
