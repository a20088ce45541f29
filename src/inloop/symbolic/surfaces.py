"""Tables of two variables as patches of polynomials; a derivative reads the same patches."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from inloop.errors import ExpressionError

MOST_PATCHES = 20_000
"""Patches of one table: 128 bytes each, and some 80 µs of a compiler."""

Reals = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False, repr=False)
class Patches:
    """The numbers of a table, which all its derivatives share; never changed.

    Attributes:
        x_breaks: strictly increasing limits of the patches along x, length n+1.
        y_breaks: along y, length m+1.
        coefficients: c_ij of dⁱ eʲ in each patch: patch along x, along y, i, j.
    """

    x_breaks: Reals
    y_breaks: Reals
    coefficients: Reals

    def __post_init__(self) -> None:
        for array in (self.x_breaks, self.y_breaks, self.coefficients):
            array.flags.writeable = False

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """All in a row: limits along x, limits along y, coefficients."""
        arrays = (self.x_breaks, self.y_breaks, self.coefficients.ravel())
        return tuple(np.concatenate(arrays).tolist())

    @cached_property
    def digest(self) -> str:
        """A name that tables of other numbers do not have."""
        found = hashlib.sha256(repr(self.coefficients.shape).encode())
        for array in (self.x_breaks, self.y_breaks, self.coefficients):
            found.update(np.ascontiguousarray(array).tobytes())
        return found.hexdigest()[:24]

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Patches) and self.digest == other.digest)

    def __repr__(self) -> str:
        return f"Patches({self.digest})"


@dataclass(frozen=True)
class PiecewiseSurface:
    """z(x, y) = sum over i, j of c_ij dⁱ eʲ with d = x - x_k, e = y - y_l in patch (k, l).

    Beyond the edges the value is that of the nearest point of the edge; a derivative across an
    edge is 0 there.

    Attributes:
        patches: limits and coefficients.
        by_x: how often it is differentiated by x.
        by_y: by y.
    """

    patches: Patches
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
        return cls(Patches(x, y, np.ascontiguousarray(np.transpose(both, (3, 1, 2, 0)))))

    def slopes(self) -> tuple[PiecewiseSurface, PiecewiseSurface]:
        """The derivatives by x and by y."""
        along_x = PiecewiseSurface(self.patches, self.by_x + 1, self.by_y)
        return along_x, PiecewiseSurface(self.patches, self.by_x, self.by_y + 1)

    def __call__(self, x: Any, y: Any) -> Any:
        """Evaluate at numbers or arrays."""
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        k, d, beyond_x = _place(x, self.patches.x_breaks)
        l, e, beyond_y = _place(y, self.patches.y_breaks)
        # coefficients of powers of d, from those of powers of e
        c = np.moveaxis(self.patches.coefficients[k, l], (-1, -2), (0, 1))
        z = _cubic(_cubic(c, e, self.by_y), d, self.by_x)
        zero = ((self.by_x > 0) & beyond_x) | ((self.by_y > 0) & beyond_y)
        return np.where(np.isnan(x + y), np.nan, np.where(zero, 0.0, z))


def _cubic(c: Any, d: Any, order: int) -> Any:
    """c0 + c1 d + c2 d² + c3 d³, or a derivative of it."""
    for _ in range(order):
        c = (c[1], 2.0 * c[2], 3.0 * c[3], 0.0 * c[3])
    return c[0] + d * (c[1] + d * (c[2] + d * c[3]))


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
