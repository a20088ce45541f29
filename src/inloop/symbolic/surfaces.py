"""Tables of two variables as polynomial patches; derivatives read the same patches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from inloop.errors import ExpressionError
from inloop.symbolic.charts import Chart, ChartData, Reals

if TYPE_CHECKING:
    from inloop.symbolic.expression import Expr

MOST_PATCHES = 20_000
"""Most patches of a table: 128 bytes and about 80 µs of compile time each."""


@dataclass(frozen=True)
class PiecewiseSurface(Chart):
    """z(x, y) = sum over i, j of c_ij dⁱ eʲ with d = x - x_k, e = y - y_l in patch (k, l).

    Beyond the edges the value is that of the nearest edge point; the derivative across an edge is 0
    there.

    Attributes:
        data: breaks along x, strictly increasing, breaks along y, 16 coefficients per patch.
        shape: number of patches along x and y.
        by_x: order of differentiation with respect to x.
        by_y: order of differentiation with respect to y.
    """

    function = "table2"
    data: ChartData
    shape: tuple[int, int]
    by_x: int = 0
    by_y: int = 0

    @classmethod
    def through(
        cls, xs: Sequence[float], ys: Sequence[float], zs: ArrayLike, kind: str
    ) -> PiecewiseSurface:
        """Interpolate points on a grid, by bilinear patches ("linear") or a spline ("cubic")."""
        x, y, z = (_numbers(values) for values in (xs, ys, zs))
        _check_grid(x, y, z, kind)
        along_x = _pieces(x, z, kind)  # power of d, piece of x, y
        both = _pieces(y, np.moveaxis(along_x, 2, 0), kind)  # power of e, piece of y, power, piece
        coefficients = np.transpose(both, (3, 1, 2, 0))  # patch along x, along y, i, j
        n, m = coefficients.shape[:2]
        doc = f"{n} x {m} patches: limits along x, limits along y, 16 coefficients of each"
        return cls(ChartData(np.concatenate([x, y, coefficients.ravel()]), doc), (n, m))

    @property
    def settings(self) -> tuple[int, ...]:
        """Numbers of patches and orders of differentiation."""
        return *self.shape, self.by_x, self.by_y

    def slopes(self, node: Expr, x: Expr, y: Expr) -> tuple[Expr, Expr]:
        """Derivatives with respect to x and y."""
        along_x = PiecewiseSurface(self.data, self.shape, self.by_x + 1, self.by_y)
        along_y = PiecewiseSurface(self.data, self.shape, self.by_x, self.by_y + 1)
        graph = node.graph
        return graph.call("table2", x, y, payload=along_x), graph.call(
            "table2", x, y, payload=along_y
        )

    def __call__(self, x: Any, y: Any) -> Any:
        """Evaluate at numbers or arrays."""
        return table2(x, y, self.data.array, *self.settings)


def table2(x: Any, y: Any, numbers: Any, n: int, m: int, by_x: int, by_y: int) -> Any:
    """Patches of cubics, or a derivative of them; as `il_table2`."""
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    limits = numbers[: n + 1], numbers[n + 1 : n + m + 2]
    places = []
    for value, breaks in zip((x, y), limits, strict=True):
        inside = np.clip(value, breaks[0], breaks[-1])
        k = np.clip(np.searchsorted(breaks, inside, side="right") - 1, 0, len(breaks) - 2)
        places.append((k, inside - breaks[k], (value < breaks[0]) | (value >= breaks[-1])))
    (k, d, beyond_x), (l, e, beyond_y) = places
    # evaluate the powers of e first: coefficients of powers of d remain
    z = np.moveaxis(numbers[n + m + 2 :].reshape(n, m, 4, 4)[k, l], (-1, -2), (0, 1))
    for step, order in ((e, by_y), (d, by_x)):
        for _ in range(order):
            z = (z[1], 2.0 * z[2], 3.0 * z[3], 0.0 * z[3])
        z = z[0] + step * (z[1] + step * (z[2] + step * z[3]))
    zero = ((by_x > 0) & beyond_x) | ((by_y > 0) & beyond_y)
    return np.where(np.isnan(x + y), np.nan, np.where(zero, 0.0, z))


def _pieces(x: Any, values: Any, kind: str) -> Any:
    """Coefficients along the first axis of values: (power, piece, other axes)."""
    if kind == "cubic":
        return scipy.interpolate.CubicSpline(x, values, axis=0).c[::-1]
    steps = np.diff(x).reshape((-1,) + (1,) * (values.ndim - 1))
    slopes = np.diff(values, axis=0) / steps
    return np.stack([values[:-1], slopes, 0.0 * slopes, 0.0 * slopes])


def _numbers(values: ArrayLike) -> Reals:
    try:
        return np.array(values, float)
    except (TypeError, ValueError) as error:
        raise ExpressionError(
            f"a table of two variables needs numbers in rows of equal length ({error})",
            fix="Give zs with a row for each of xs and a column for each of ys.",
        ) from error


def _check_grid(x: Any, y: Any, z: Any, kind: str) -> None:
    needed = 2 if kind == "linear" else 3
    if x.ndim != 1 or y.ndim != 1 or z.shape != (len(x), len(y)) or min(z.shape) < needed:
        raise ExpressionError(
            f"a {kind} table of two variables needs at least {needed} points each way and a value "
            f"for each pair, got {x.shape} and {y.shape} abscissas and {z.shape} values",
            fix="Give zs with a row for each of xs and a column for each of ys.",
        )
    if not all(np.all(np.isfinite(values)) for values in (x, y, z)):
        raise ExpressionError("a table holds NaN or infinity", fix="Remove those points.")
    if np.any(np.diff(x) <= 0) or np.any(np.diff(y) <= 0):
        raise ExpressionError("table abscissas must increase strictly", fix="Sort the points.")
    if (len(x) - 1) * (len(y) - 1) > MOST_PATCHES:
        raise ExpressionError(
            f"a table of {(len(x) - 1) * (len(y) - 1)} patches is too large",
            fix=f"Use at most {MOST_PATCHES}: leave out points, or cut it into parts.",
        )
