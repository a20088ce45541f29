"""A heightfield: ground with heights given on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inloop.errors import InputError
from inloop.geometry.mass import MassProperties, of_surface
from inloop.geometry.shape import Shape
from inloop.geometry.sizes import Array, items, number, size
from inloop.geometry.surface import AROUND, Surface

MOST_HEIGHTS = 1_000_000


@dataclass(frozen=True, eq=False)
class Heightfield(Shape):
    """Ground over a rectangle centered at the origin, triangulated between the given heights.

    Attributes:
        heights: heights[i, j] at the i-th x and the j-th y, shape (at least 2, at least 2) [m].
        size: edges of the rectangle along x and y [m].
        bottom: z of its flat underside [m].
    """

    kind: ClassVar[str] = "heightfield"
    heights: Array
    size: tuple[float, float]
    bottom: float

    def __post_init__(self) -> None:
        what = "the heights of a heightfield"
        try:
            heights = np.array(self.heights, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            heights = np.zeros(0)
        if heights.ndim != 2 or min(heights.shape) < 2 or heights.size > MOST_HEIGHTS:
            raise InputError(
                f"{what} must be a grid of at least 2 by 2 numbers",
                fix=f"Give rows of numbers, at most {MOST_HEIGHTS} in total.",
            )
        if not np.all(np.isfinite(heights)):
            raise InputError(f"{what} are not all finite", fix="Fill the gaps.")
        edge = "an edge of a heightfield"
        edges = [number(size(x, edge), edge) for x in items(self.size, "the size", 2)]
        bottom = number(self.bottom, "the bottom of a heightfield")
        if bottom >= heights.min():
            raise InputError(
                f"the bottom of a heightfield, {bottom:g} m, is not below its lowest height, "
                f"{heights.min():g} m",
                fix="Give a lower bottom.",
            )
        heights.flags.writeable = False
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "size", tuple(edges))
        object.__setattr__(self, "bottom", bottom)

    @property
    def grid(self) -> tuple[Array, Array]:
        """x and y of the given heights [m]."""
        (nx, ny), (x, y) = self.heights.shape, self.size
        return np.linspace(-0.5 * x, 0.5 * x, nx), np.linspace(-0.5 * y, 0.5 * y, ny)

    def height(self, x: float, y: float) -> float:
        """Height of the ground at (x, y) [m]; outside it is that of the nearest edge."""
        xs, ys = self.grid
        # position in the grid, and in its cell
        u = np.clip((x - xs[0]) / (xs[1] - xs[0]), 0.0, len(xs) - 1.0)
        v = np.clip((y - ys[0]) / (ys[1] - ys[0]), 0.0, len(ys) - 1.0)
        i, j = min(int(u), len(xs) - 2), min(int(v), len(ys) - 2)
        u, v = u - i, v - j
        h00, h10, h01, h11 = self.heights[[i, i + 1, i, i + 1], [j, j, j + 1, j + 1]]
        # each cell is two triangles, cut from (0, 0) to (1, 1)
        if u >= v:
            return float(h00 + u * (h10 - h00) + v * (h11 - h10))
        return float(h00 + v * (h01 - h00) + u * (h11 - h01))

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return self._solid(1.0).mass

    @property
    def bounds(self) -> Array:
        """Minimum and maximum coordinates [m]."""
        x, y = self.size
        low, high = (-0.5 * x, -0.5 * y, self.bottom), (0.5 * x, 0.5 * y, self.heights.max())
        return np.array([low, high])

    def _solid(self, density: float) -> MassProperties:
        surface = self.surface()
        return of_surface(surface.vertices, surface.triangles, density)

    def surface(self, around: int = AROUND) -> Surface:
        """Triangles of the ground, of the walls and of the underside."""
        xs, ys = self.grid
        nx, ny = len(xs), len(ys)
        X, Y = np.meshgrid(xs, ys, indexing="ij")
        top = np.stack([X, Y, self.heights], axis=-1).reshape(-1, 3)
        below = np.stack([X, Y, np.full_like(X, self.bottom)], axis=-1).reshape(-1, 3)
        number_of = np.arange(nx * ny).reshape(nx, ny)
        a, b = number_of[:-1, :-1].ravel(), number_of[1:, :-1].ravel()
        c, d = number_of[1:, 1:].ravel(), number_of[:-1, 1:].ravel()
        ground = np.vstack([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
        # around the border, counterclockwise seen from above
        edge = np.concatenate(
            [number_of[:-1, 0], number_of[-1, :-1], number_of[:0:-1, -1], number_of[0, :0:-1]]
        )
        here, there, count = edge, np.roll(edge, -1), nx * ny
        walls = np.vstack(
            [
                np.stack([here + count, there + count, there], 1),
                np.stack([here + count, there, here], 1),
            ]
        )
        triangles = np.vstack([ground, ground[:, ::-1] + count, walls])
        return Surface(np.vstack([top, below]), triangles)


def heightfield(
    heights: Sequence[Sequence[float]] | Array, size: tuple[float, float], bottom: float
) -> Heightfield:
    """Ground over a rectangle centered at the origin of its frame.

    Args:
        heights: heights[i][j] at the i-th x and the j-th y, evenly spaced [m].
        size: edges of the rectangle along x and y [m].
        bottom: z of its flat underside [m].
    """
    return Heightfield(heights, size, bottom)  # type: ignore[arg-type]
