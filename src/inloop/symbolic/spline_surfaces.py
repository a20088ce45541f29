"""Spline surfaces on uniform grids, with one number per grid point.

Polynomial patches (`surfaces.py`) take 16 numbers per point: too many for a measured road surface.
Here the value is a sum of the B-splines around it, with weights that interpolate the points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from inloop.errors import ExpressionError
from inloop.symbolic.charts import Chart, ChartData

if TYPE_CHECKING:
    from inloop.symbolic.expression import Expr

MOST_POINTS = 400_000
"""Most points of a grid: 8 bytes and about 5 µs of compile time each."""


@dataclass(frozen=True)
class SplineSurface(Chart):
    """z(x, y) = sum of c_kl B(x/dx - k) B(y/dy - l), with B-splines of degree 1 or 3.

    Beyond the edges the value is that of the nearest edge point; the derivative across an edge is 0
    there.

    Attributes:
        data: number of points along x and y, first x, x step, first y, y step, then c by rows; for
            degree 3 with one more row or column at each edge.
        degree: 1, bilinear, or 3, with continuous second derivatives.
        by_x: order of differentiation with respect to x.
        by_y: order of differentiation with respect to y.
    """

    function = "spline2"
    data: ChartData
    degree: int
    by_x: int = 0
    by_y: int = 0

    @classmethod
    def through(
        cls, x: tuple[float, float], y: tuple[float, float], zs: Any, degree: int = 3
    ) -> SplineSurface:
        """Interpolate points on a uniform grid.

        Args:
            x: position of the first row, and distance between rows.
            y: position of the first column, and distance between columns.
            zs: values, at least two rows and columns, one row for each x.
            degree: 1 or 3.
        """
        z = np.array(zs, float)
        if z.ndim != 2 or min(z.shape) < 2 or not x[1] > 0.0 or not y[1] > 0.0:
            raise ExpressionError(
                f"an even grid needs two points each way and steps above 0, got {z.shape} points "
                f"and steps {x[1]:g} and {y[1]:g}",
                fix="Give at least two rows of two values.",
            )
        if not np.all(np.isfinite(z)) or not np.all(np.isfinite([*x, *y])):
            raise ExpressionError("a grid holds NaN or infinity", fix="Fill those points.")
        if z.size > MOST_POINTS:
            raise ExpressionError(
                f"a grid of {z.size} points is too large",
                fix=f"Use at most {MOST_POINTS}: leave out points, or take a part of it.",
            )
        c = z if degree == 1 else _weights(_weights(z).T).T
        head = [z.shape[0], z.shape[1], *x, *y]
        doc = f"{z.shape[0]} x {z.shape[1]} points: counts, first and step along x and y, weights"
        return cls(ChartData(np.concatenate([head, c.ravel()]), doc), degree)

    @property
    def settings(self) -> tuple[int, ...]:
        """Degree and orders of differentiation."""
        return self.degree, self.by_x, self.by_y

    def slopes(self, node: Expr, x: Expr, y: Expr) -> tuple[Expr, Expr]:
        """Derivatives with respect to x and y."""
        along_x = SplineSurface(self.data, self.degree, self.by_x + 1, self.by_y)
        along_y = SplineSurface(self.data, self.degree, self.by_x, self.by_y + 1)
        call = node.graph.call
        return call("table2", x, y, payload=along_x), call("table2", x, y, payload=along_y)

    def __call__(self, x: Any, y: Any) -> Any:
        """Evaluate at numbers or arrays."""
        return spline2(x, y, self.data.array, *self.settings)


def _weights(z: Any) -> Any:
    """Weights of cubic B-splines through points along the first axis, one extra at each end.

    With c'' = c_(k-1) - 2 c_k + c_(k+1), the second derivative of the spline at a point for unit
    steps, z_k = c_k + c''/6.
    """
    bent = scipy.interpolate.CubicSpline(np.arange(len(z)), z, axis=0)(np.arange(len(z)), 2)
    c = z - bent / 6.0
    before = bent[:1] + 2.0 * c[:1] - c[1:2]
    behind = bent[-1:] + 2.0 * c[-1:] - c[-2:-1]
    return np.concatenate([before, c, behind])


def spline2(x: Any, y: Any, numbers: Any, degree: int, by_x: int, by_y: int) -> Any:
    """A sum of B-splines, or a derivative of it; as `il_spline2`."""
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    n, m = int(numbers[0]), int(numbers[1])
    rows = [[1.0, -1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    if degree == 3:
        rows = [[1.0, -3.0, 3.0, -1.0], [4.0, 0.0, -6.0, 3.0], [1.0, 3.0, 3.0, -3.0], [0, 0, 0, 1]]
    basis = np.array(rows) / (6.0 if degree == 3 else 1.0)
    places = []
    for value, count, first, step, order in (
        (x, n, numbers[2], numbers[3], by_x),
        (y, m, numbers[4], numbers[5], by_y),
    ):
        at = np.nan_to_num((value - first) / step)
        inside = np.clip(at, 0.0, count - 1.0)
        k = np.minimum(inside.astype(int), count - 2)
        f = inside - k
        w = [np.polynomial.polynomial.polyval(f, np.polynomial.polynomial.polyder(row, order))
             for row in basis]  # fmt: skip
        beyond = (at < 0.0) | (at >= count - 1.0)
        places.append((k, [np.where((order > 0) & beyond, 0.0, v / step**order) for v in w]))
    (k, along_x), (l, along_y) = places
    c = numbers[6:].reshape(n + degree - 1, m + degree - 1)
    z = sum(u * v * c[k + i, l + j] for i, u in enumerate(along_x) for j, v in enumerate(along_y))
    return np.where(np.isnan(x + y), np.nan, z)
