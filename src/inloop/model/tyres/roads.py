"""Roads under tyres: height, slope and grip at a place, as expressions of x and y [m].

A road is any object with the method `at` of Road; those here are no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from inloop.errors import ExpressionError, InputError
from inloop.geometry import Heightfield
from inloop.model.geometry import ZERO, Scalar, Vector3
from inloop.model.names import quoted
from inloop.model.tyres.road_drawing import Reals, RoadMark, RoadMesh, mesh_of_rows
from inloop.symbolic import Expr, Graph, evaluate, forward, rebuild
from inloop.symbolic.surfaces import PiecewiseSurface

Height = Callable[[Scalar, Scalar], Scalar]


@dataclass(frozen=True)
class RoadPoint:
    """The road at a place, in world axes.

    Attributes:
        height: z of the surface [m].
        slope: dz/dx and dz/dy [1].
        grip: by which coefficients of friction are multiplied [1].
        velocity: of the surface, as of a belt [m/s].
    """

    height: Scalar = 0.0
    slope: tuple[Scalar, Scalar] = (0.0, 0.0)
    grip: Scalar = 1.0
    velocity: Vector3 = ZERO


@runtime_checkable
class Road(Protocol):
    """A surface that has one height at each place."""

    @property
    def is_plane(self) -> bool:
        """Whether the slope is the same everywhere."""

    def at(self, x: Expr, y: Expr, /) -> RoadPoint:
        """The road at a place [m]; called with symbols."""


@dataclass(frozen=True)
class PlaneRoad:
    """See `plane_road`."""

    point: RoadPoint
    is_plane: bool = True

    def at(self, x: Expr, y: Expr) -> RoadPoint:
        """The road at a place."""
        p = self.point
        return RoadPoint(p.slope[0] * x + p.slope[1] * y, p.slope, p.grip, p.velocity)

    def marks(self) -> tuple[RoadMark, ...]:
        """Nothing is painted on it."""
        return ()

    def surface_mesh(self, half: float = 200.0) -> RoadMesh:
        """A square of it about the origin [m]."""
        return _mesh(self, np.array([-half, half]), np.array([-half, half]))


def plane_road(
    uphill: Scalar = 0.0,
    banked: Scalar = 0.0,
    *,
    grip: Scalar = 1.0,
    velocity: Vector3 = ZERO,
) -> PlaneRoad:
    """A plane through the origin.

    Args:
        uphill: how steep it rises along x: 0.2 is 20 % [1].
        banked: how steep it rises along y, to the left [1].
        grip: by which coefficients of friction are multiplied [1].
        velocity: of the surface, as of a belt [m/s].
    """
    return PlaneRoad(RoadPoint(0.0, (uphill, banked), grip, velocity))


@dataclass(frozen=True)
class HeightRoad:
    """See `height_road`."""

    height: Height
    grip: Scalar | Height = 1.0
    grid: tuple[Sequence[float], Sequence[float]] | None = None
    is_plane: bool = False

    def at(self, x: Expr, y: Expr) -> RoadPoint:
        """The road at a place; slopes are derivatives of the height."""
        graph = x.graph
        a, b = graph.symbol("road.x"), graph.symbol("road.y")
        z = graph.wrap(self.height(a, b))
        slopes = (forward([z], a)[0], forward([z], b)[0])
        grip = graph.wrap(self.grip(a, b) if callable(self.grip) else self.grip)
        z, zx, zy, g = _moved((z, *slopes, grip), graph, {a: x, b: y})
        return RoadPoint(z, (zx, zy), g)

    def marks(self) -> tuple[RoadMark, ...]:
        """Nothing is painted on it."""
        return ()

    def surface_mesh(self, half: float = 50.0, step: float = 0.5) -> RoadMesh:
        """Its surface: the whole of a grid, else a square about the origin [m]."""
        even = np.linspace(-half, half, max(2, round(2.0 * half / step) + 1))
        xs, ys = self.grid or (even, even)
        return _mesh(self, np.asarray(xs, float), np.asarray(ys, float))


def height_road(height: Height, *, grip: Scalar | Height = 1.0) -> HeightRoad:
    """A road by a function: `height_road(lambda x, y: 0.05 * il.sin(0.6 * x))`.

    Args:
        height: takes x and y [m], returns z [m]; smooth, as tyres feel its slope.
        grip: by which coefficients of friction are multiplied, or a function of x and y.
    """
    if not callable(height):
        raise InputError(
            f"a road needs a function of x and y, got {quoted(height)}",
            fix="Write il.tyres.height_road(lambda x, y: 0.1 * il.sin(x)).",
        )
    return HeightRoad(height, grip)


def grid_road(
    xs: Sequence[float],
    ys: Sequence[float],
    heights: ArrayLike,
    *,
    grip: Scalar | Height | ArrayLike = 1.0,
    kind: str = "cubic",
) -> HeightRoad:
    """A road by its heights on a grid; beyond the edges it goes on level, as high as they are.

    Args:
        xs: places along x, increasing [m].
        ys: along y [m].
        heights: z, a row for each of xs, a column for each of ys [m].
        grip: by which coefficients of friction are multiplied: a number, a function of x and y, or
            values on the same grid, between which it is bilinear.
        kind: "cubic", smooth in its slopes and curvatures, or "linear", with edges that are felt.
    """
    if kind not in ("linear", "cubic"):
        raise InputError(f"a road cannot be of kind {quoted(kind)}", fix='Use "cubic" or "linear".')
    height = _on_grid("heights", xs, ys, heights, kind)
    if callable(grip) or isinstance(grip, Expr) or np.ndim(grip) == 0:
        return HeightRoad(height, cast(Scalar | Height, grip), (xs, ys))
    found = _on_grid("grip", xs, ys, grip, "linear")
    if np.min(np.asarray(grip, float)) < 0.0:
        raise InputError("the grip of a road is negative", fix="Give 0 or more at each place.")
    return HeightRoad(height, found, (xs, ys))


def terrain_road(
    ground: Heightfield, *, grip: Scalar | Height | ArrayLike = 1.0, kind: str = "cubic"
) -> HeightRoad:
    """A road over ground that is drawn, too: `terrain_road(il.terrain("hills.png", ...))`.

    Args:
        ground: heights of `il.terrain`, about the origin of the world; no mesh.
        grip: as of `grid_road`.
        kind: likewise.
    """
    if not isinstance(ground, Heightfield):
        raise InputError(
            f"a road needs a height map, got {quoted(ground)}",
            fix="Use il.terrain with a PNG or TIFF, a function of x and y, or heights on a grid.",
        )
    xs, ys = (places.tolist() for places in ground.grid)
    return grid_road(xs, ys, ground.heights, grip=grip, kind=kind)


def heights_at(road: Road, x: ArrayLike, y: ArrayLike) -> Reals:
    """Heights of any road at places, as numbers [m]; for roads without parameters."""
    graph = Graph()
    a, b = graph.symbol("x"), graph.symbol("y")
    height = graph.wrap(road.at(a, b).height)
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    return np.array(np.broadcast_to(evaluate([height], {a: x, b: y})[0], x.shape))


def _mesh(road: Road, xs: Reals, ys: Reals) -> RoadMesh:
    X, Y = np.meshgrid(xs, ys, indexing="ij")
    return mesh_of_rows(np.stack([X, Y, heights_at(road, X, Y)], axis=-1))


def _on_grid(
    what: str, xs: Sequence[float], ys: Sequence[float], values: ArrayLike, kind: str
) -> Height:
    """A function of place by values on a grid."""
    try:
        surface = PiecewiseSurface.through(xs, ys, values, kind)
    except ExpressionError as error:
        told = error.mistakes[0]
        raise InputError(f"{what} of a road: {told.what}", fix=told.fix) from error

    def at(x: Scalar, y: Scalar) -> Scalar:
        if isinstance(x, Expr):
            return x.graph.call("table2", x, x.graph.wrap(y), payload=surface)
        return float(surface(x, y))

    return at


def _moved(
    values: tuple[Expr, ...], graph: Graph, places: dict[Expr, Expr]
) -> tuple[Expr, Expr, Expr, Expr]:
    a, b, c, d = rebuild(values, graph, places)
    return a, b, c, d
