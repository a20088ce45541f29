"""Tables of two variables as patches of polynomials; a derivative is such a table again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from inloop.errors import ExpressionError

MOST_PATCHES = 20_000
"""Patches of one table: they are written into generated code."""


@dataclass(frozen=True, eq=False)
class PiecewiseSurface:
    """z(x, y) = sum over i, j of c_ij dⁱ eʲ with d = x - x_k, e = y - y_l in patch (k, l).

    Beyond the edges the value is that of the nearest point of the edge.

    Attributes:
        x_breaks: strictly increasing limits of the patches along x, length n+1.
        y_breaks: along y, length m+1.
        coefficients: n * m * 16 numbers: patches by row of x, in each c_00, c_01, ..., c_33.
        flat_x: it is 0 beyond the edges along x: it has been differentiated by x.
        flat_y: by y.
    """

    x_breaks: tuple[float, ...]
    y_breaks: tuple[float, ...]
    coefficients: tuple[float, ...]
    flat_x: bool = False
    flat_y: bool = False

    @classmethod
    def through(
        cls, xs: Sequence[float], ys: Sequence[float], zs: Sequence[Sequence[float]], kind: str
    ) -> PiecewiseSurface:
        """Interpolate points on a grid, by bilinear patches ("linear") or a spline ("cubic")."""
        x, y, z = (np.asarray(values, float) for values in (xs, ys, zs))
        _check_grid(x, y, z, kind)
        along_x = _pieces(x, z, kind)  # power of d, piece of x, y
        both = _pieces(y, np.moveaxis(along_x, 2, 0), kind)  # power of e, piece of y, power, piece
        c = np.transpose(both, (3, 1, 2, 0))
        flat = tuple(np.ascontiguousarray(c).ravel().tolist())
        return cls(tuple(x.tolist()), tuple(y.tolist()), flat)

    @cached_property
    def _key(self) -> tuple[object, ...]:
        return (self.x_breaks, self.y_breaks, self.coefficients, self.flat_x, self.flat_y)

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, PiecewiseSurface) and self._key == other._key

    @cached_property
    def patches(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Coefficients as an array: patch along x, along y, power of d, power of e."""
        shape = (len(self.x_breaks) - 1, len(self.y_breaks) - 1, 4, 4)
        return np.array(self.coefficients).reshape(shape)

    def by_x(self) -> PiecewiseSurface:
        """The slope along x."""
        return self._differentiated(2, flat_x=True, flat_y=self.flat_y)

    def by_y(self) -> PiecewiseSurface:
        """The slope along y."""
        return self._differentiated(3, flat_x=self.flat_x, flat_y=True)

    def _differentiated(self, axis: int, *, flat_x: bool, flat_y: bool) -> PiecewiseSurface:
        slopes = np.zeros_like(self.patches)
        powers = np.arange(1.0, 4.0).reshape((3, 1) if axis == 2 else (1, 3))
        if axis == 2:
            slopes[:, :, :3, :] = powers * self.patches[:, :, 1:, :]
        else:
            slopes[:, :, :, :3] = powers * self.patches[:, :, :, 1:]
        flat = tuple(slopes.ravel().tolist())
        return PiecewiseSurface(self.x_breaks, self.y_breaks, flat, flat_x, flat_y)

    def __call__(self, x: Any, y: Any) -> Any:
        """Evaluate at numbers or arrays."""
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        k, d, beyond_x = _place(x, np.asarray(self.x_breaks))
        l, e, beyond_y = _place(y, np.asarray(self.y_breaks))
        c = self.patches[k, l]
        rows = c[..., 0] + e[..., None] * (
            c[..., 1] + e[..., None] * (c[..., 2] + e[..., None] * c[..., 3])
        )
        z = rows[..., 0] + d * (rows[..., 1] + d * (rows[..., 2] + d * rows[..., 3]))
        zero = (self.flat_x & beyond_x) | (self.flat_y & beyond_y)
        return np.where(np.isnan(x + y), np.nan, np.where(zero, 0.0, z))


def _place(x: Any, breaks: Any) -> tuple[Any, Any, Any]:
    """Piece, distance from its beginning, and whether x is beyond the ends."""
    inside = np.clip(x, breaks[0], breaks[-1])
    k = np.clip(np.searchsorted(breaks, inside, side="right") - 1, 0, len(breaks) - 2)
    return k, inside - breaks[k], (x < breaks[0]) | (x >= breaks[-1])


def _pieces(x: Any, values: Any, kind: str) -> Any:
    """Coefficients along the first axis of values: power, piece, all other axes."""
    if kind == "cubic":
        return scipy.interpolate.CubicSpline(x, values, axis=0).c[::-1]
    steps = np.diff(x).reshape((-1,) + (1,) * (values.ndim - 1))
    slopes = np.diff(values, axis=0) / steps
    return np.stack([values[:-1], slopes, 0.0 * slopes, 0.0 * slopes])


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
            f"a table of {(len(x) - 1) * (len(y) - 1)} patches is too large for generated code",
            fix=f"Use at most {MOST_PATCHES}: leave out points, or cut it into parts.",
        )
