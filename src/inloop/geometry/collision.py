"""Convert shapes to the tables that collision detection reads at run time (il_collision.h)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from inloop.errors import InputError
from inloop.geometry.box import Box
from inloop.geometry.capsule import Capsule
from inloop.geometry.cone import Cone
from inloop.geometry.cylinder import Cylinder
from inloop.geometry.half_space import HalfSpace
from inloop.geometry.heightfield import Heightfield
from inloop.geometry.hull import ConvexHull
from inloop.geometry.mesh import Mesh
from inloop.geometry.mesh_files.mesh_file import MeshFile
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, is_symbolic
from inloop.geometry.sphere import Sphere
from inloop.geometry.surface import Surface
from inloop.geometry.torus import Torus

MOST_NEAR = 256  # triangles found in one query: IL_TERRAIN_MOST
MOST_TRIANGLES = 200_000  # triangles of ground: its tables are compiled into the plant
MOST_CORNERS = 64
ON_BORDER = 1e-9  # fraction of a cell; queries use a larger margin
Numbers = npt.NDArray[np.int32]
Z: tuple[float, float, float] = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class GroundTables:
    """A triangulated ground, an il_terrain.

    Attributes:
        origin: minimum x and y [m].
        cell: edges of the grid cells along x and y [m].
        cells: number of cells along x and y.
        heights: heightfield: heights at the corners of the cells, y fastest [m]; else empty.
        vertices: mesh: unique vertices, shape (n, 3) [m].
        triangles: shape (m, 3).
        starts: start of the triangles of each cell in `members`, and the end.
        members: triangles by cell.
        firsts: lowest cell of each triangle along x and y, shape (m, 2).
    """

    origin: tuple[float, float]
    cell: tuple[float, float]
    cells: tuple[int, int]
    heights: Array
    vertices: Array
    triangles: Numbers
    starts: Numbers
    members: Numbers
    firsts: Numbers

    def cover(self, point: Array) -> float:
        """Height of the ground above a point [m]; 0 if the point is not below the ground."""
        of_mesh = not len(self.heights)
        corners = self.vertices[self.triangles] if of_mesh else self._cell_corners(point)
        sides = np.roll(corners, -1, axis=1) - corners
        away = np.asarray(point)[:2] - corners[..., :2]
        turns = sides[..., 0] * away[..., 1] - sides[..., 1] * away[..., 0]
        over = corners[(turns >= 0.0).all(axis=1) | (turns <= 0.0).all(axis=1)]
        normals = np.cross(over[:, 1] - over[:, 0], over[:, 2] - over[:, 0])
        over, normals = over[normals[:, 2] != 0.0], normals[normals[:, 2] != 0.0]
        lift = np.einsum("ni,ni->n", over[:, 0] - point, normals) / normals[:, 2]
        above = np.flatnonzero(lift > 0.0)
        if not len(above):
            return 0.0
        # first triangle hit by an upward ray: the point is below the ground if that one faces up
        first = above[np.argmin(lift[above])]
        return float(lift[first]) if normals[first, 2] > 0.0 else 0.0

    def _cell_corners(self, point: Array) -> Array:
        """Both triangles of the heightfield cell below or above a point; none outside the field."""
        i, j = (
            math.floor((x - low) / edge)
            for x, low, edge in zip(point, self.origin, self.cell, strict=False)
        )
        if not (0 <= i < self.cells[0] and 0 <= j < self.cells[1]):
            return np.zeros((0, 3, 3))
        heights = self.heights.reshape(self.cells[0] + 1, self.cells[1] + 1)
        steps = np.array([[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]]) + np.array([i, j])
        level = heights[steps[..., 0], steps[..., 1]]
        return np.concatenate([steps * self.cell + self.origin, level[..., None]], axis=-1)

    def most_near(self, size: float) -> int:
        """An upper bound on the number of triangles that a ball of this radius touches [m]."""
        nx, ny = (
            min(count, math.ceil(2.0 * size / edge) + 1)
            for count, edge in zip(self.cells, self.cell, strict=True)
        )
        if len(self.heights):
            return 2 * nx * ny
        # count each triangle in the first of its cells inside a window of nx by ny cells
        cell = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        own = self.firsts[self.members]
        first_x, first_y = own[:, 0] == cell // self.cells[1], own[:, 1] == cell % self.cells[1]
        corner, row, column, inside = (
            np.bincount(cell[which], minlength=len(self.starts) - 1).reshape(self.cells)
            for which in (slice(None), first_y, first_x, first_x & first_y)
        )
        windows = _sums(inside[1:, 1:], nx - 1, ny - 1) + corner[: 1 - nx or None, : 1 - ny or None]
        windows += _sums(row[:, 1:], 1, ny - 1)[: 1 - nx or None]
        windows += _sums(column[1:], nx - 1, 1)[:, : 1 - ny or None]
        return int(windows.max())


def _sums(counts: npt.NDArray[np.int64], nx: int, ny: int) -> npt.NDArray[np.int64]:
    """Sums over all windows of nx by ny cells; there may be none."""
    sums = np.zeros((counts.shape[0] + 1, counts.shape[1] + 1), dtype=np.int64)
    sums[1:, 1:] = counts.cumsum(axis=0).cumsum(axis=1)
    m, n = sums.shape[0] - nx, sums.shape[1] - ny
    return sums[nx:, ny:] - sums[:m, ny:] - sums[nx:, :n] + sums[:m, :n]


@dataclass(frozen=True, eq=False)
class CollisionShape:
    """A collision shape, an il_shape.

    Attributes:
        kind: "plane", "ground", "sphere", "capsule", "cylinder", "torus", "box", "hull" or "cone".
        axis: normal of a plane, axis of a round shape, towards the tip of a cone.
        radius: [m]; for a torus that of its center circle, for a box or hull that of the enclosing
            ball.
        half: half the length along the axis [m].
        tube: tube radius of a torus [m].
        corners: corners of a box or hull, shape (n, 3) [m].
        edges: half edges of a box [m].
        ground: triangles of ground.
    """

    kind: str
    axis: tuple[float, float, float] = Z
    radius: float = 0.0
    half: float = 0.0
    tube: float = 0.0
    corners: Array | None = None
    edges: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ground: GroundTables | None = None

    @property
    def size(self) -> float:
        """Radius of the enclosing ball [m]."""
        return math.hypot(self.radius + self.tube, self.half)

    @property
    def thickness(self) -> float:
        """Its smallest half extent [m]; infinite for ground."""
        if self.kind in ("plane", "ground"):
            return math.inf
        if self.kind == "box":
            return min(self.edges)
        if self.kind == "cylinder":
            return min(self.radius, self.half)
        if self.kind == "cone":
            # radius of the inscribed ball
            length = 2.0 * self.half
            return self.radius * length / (self.radius + math.hypot(self.radius, length))
        return self.tube or self.radius


def collision_shape(shape: Shape) -> CollisionShape | None:
    """The tables of a shape; None if it does not collide.

    Raises:
        InputError: its mesh cannot be read, or is too large.
    """
    if shape.hollow or any(is_symbolic(value) for value in vars(shape).values()):
        return None
    match shape:
        case HalfSpace(normal):
            return CollisionShape("plane", axis=normal)
        case Sphere(radius):
            return CollisionShape("sphere", radius=_real(radius))
        case Capsule(radius, length, axis):
            return CollisionShape(
                "capsule", axis=axis, radius=_real(radius), half=0.5 * _real(length)
            )
        case Cylinder(radius, length, axis) if length is not None:
            return CollisionShape(
                "cylinder", axis=axis, radius=_real(radius), half=0.5 * _real(length)
            )
        case Cone(radius, length, axis):
            return CollisionShape("cone", axis=axis, radius=radius, half=0.5 * length)
        case Torus(radius, tube, axis):
            return CollisionShape("torus", axis=axis, radius=radius, tube=tube)
        case Box():
            x, y, z = (0.5 * edge for edge in shape.size)
            corners = shape.surface().vertices
            return CollisionShape(
                "box", radius=math.hypot(x, y, z), corners=corners, edges=(x, y, z)
            )
        case ConvexHull():
            return _hull(shape)
        case Heightfield():
            return CollisionShape("ground", ground=_of_heightfield(shape))
        case Mesh() | MeshFile():
            return CollisionShape("ground", ground=_of_mesh(shape))
    return None


def _real(value: Any) -> float:
    return float(value)


def _hull(shape: ConvexHull) -> CollisionShape:
    corners = shape.surface().vertices
    if len(corners) > MOST_CORNERS:
        raise InputError(
            f"a convex hull has {len(corners)} corners, which is too many for contact",
            fix=f"Give at most {MOST_CORNERS}.",
        )
    radius = float(np.linalg.norm(corners, axis=1).max())
    return CollisionShape("hull", radius=radius, corners=corners)


@lru_cache(maxsize=16)
def _of_heightfield(shape: Heightfield) -> GroundTables:
    if 2 * shape.heights.size > MOST_TRIANGLES:
        raise InputError(
            f"a heightfield has {shape.heights.size} heights, ground may have at most "
            f"{MOST_TRIANGLES // 2}",
            fix="Use every second one, or larger cells.",
        )
    none = np.zeros(0, dtype=np.int32)
    (nx, ny), (x, y) = shape.heights.shape, shape.size
    return GroundTables(
        origin=(-0.5 * x, -0.5 * y),
        cell=(x / (nx - 1), y / (ny - 1)),
        cells=(nx - 1, ny - 1),
        heights=shape.heights.ravel(),
        vertices=np.zeros((0, 3)),
        triangles=none.reshape(0, 3),
        starts=none,
        members=none,
        firsts=none,
    )


@lru_cache(maxsize=16)
def _of_mesh(shape: Mesh | MeshFile) -> GroundTables:
    surface = _one_sided(shape)
    if not 1 <= len(surface.triangles) <= MOST_TRIANGLES:
        raise InputError(
            f"{shape} has {len(surface.triangles)} triangles, ground needs 1 to {MOST_TRIANGLES}",
            fix="Simplify it in the program that created it.",
        )
    corners = surface.vertices[surface.triangles][:, :, :2]
    low, high = corners.min(axis=1), corners.max(axis=1)
    origin, extent = low.min(axis=0), np.ptp(corners.reshape(-1, 2), axis=0)
    # cells about the size of the triangles, and not many more cells than triangles
    cell = np.maximum(np.median(high - low, axis=0), extent / 1000.0)
    cell = np.where(cell > 0.0, cell, 1.0)
    cells = np.maximum(1, np.ceil(extent / cell)).astype(np.int64)
    while cells.prod() > 4 * len(low) + 64:
        cell, cells = 1.5 * cell, np.maximum(1, np.ceil(extent / (1.5 * cell))).astype(np.int64)
    starts, members, firsts = _by_cell(low, high, origin, cell, cells)
    return GroundTables(
        origin=(float(origin[0]), float(origin[1])),
        cell=(float(cell[0]), float(cell[1])),
        cells=(int(cells[0]), int(cells[1])),
        heights=np.zeros(0),
        vertices=surface.vertices,
        triangles=surface.triangles.astype(np.int32),
        starts=starts,
        members=members,
        firsts=firsts,
    )


def _one_sided(shape: Mesh | MeshFile) -> Surface:
    """The triangles of ground with nonzero area, each once.

    Raises:
        InputError: neighboring triangles are oriented inconsistently.
    """
    surface = shape.surface().joined()
    corners = surface.vertices[surface.triangles]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    triangles = surface.triangles[np.linalg.norm(areas, axis=1) > 0.0]
    # start each triangle at its smallest index, so that duplicates give equal rows
    begin = np.argmin(triangles, axis=1)[:, None]
    rows = np.take_along_axis(triangles, (begin + np.arange(3)) % 3, axis=1)
    triangles = triangles[np.sort(np.unique(rows, axis=0, return_index=True)[1])]
    backs = len(triangles) - len(np.unique(np.sort(triangles, axis=1), axis=0))
    # edges that two triangles traverse in the same direction
    edges = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    forward = np.where(edges[:, 0] < edges[:, 1], 1, -1)
    _, which = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    numbers = np.bincount(which.reshape(-1))
    balance = np.bincount(which.reshape(-1), forward)
    against = int(np.sum((numbers == 2) & (balance != 0)))
    if backs or against:
        raise InputError(
            f"{shape} cannot be ground, which has one side: "
            + (f"{backs} triangles occur with both orientations" if backs else "")
            + (" and " if backs and against else "")
            + (f"at {against} edges the orientation of the triangles changes" if against else ""),
            fix="Make all normals point outwards, in the program that created it.",
        )
    return Surface(surface.vertices, triangles)


def _by_cell(
    low: Array, high: Array, origin: Array, cell: Array, cells: npt.NDArray[np.int64]
) -> tuple[Numbers, Numbers, Numbers]:
    """Triangles by cell, from their minimum and maximum x and y, and the first cell of each."""
    # triangles that touch the border of a cell only within rounding are not in it
    first = np.clip(np.floor((low - origin) / cell + ON_BORDER), 0, cells - 1).astype(np.int64)
    last = np.ceil((high - origin) / cell - ON_BORDER) - 1
    last = np.clip(last, 0, cells - 1).astype(np.int64)
    last = np.maximum(last, first)
    spans = last - first + 1
    counts = spans.prod(axis=1)
    triangle = np.repeat(np.arange(len(low)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    i = first[triangle, 0] + within // spans[triangle, 1]
    j = first[triangle, 1] + within % spans[triangle, 1]
    number = i * cells[1] + j
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(cells.prod() + 1))
    numbers = (starts, triangle[order], first)
    return tuple(x.astype(np.int32) for x in numbers)  # type: ignore[return-value]
