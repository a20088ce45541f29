"""One-dimensional tables as piecewise polynomials; the derivative of a table is a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from inloop.errors import ExpressionError

ROUNDING = 1e-9  # fraction of an interval


@dataclass(frozen=True)
class PiecewisePolynomial:
    """y(x) = c0 + c1 d + c2 d² + c3 d³ with d = x - breaks[k], constant beyond the ends.

    Attributes:
        breaks: strictly increasing interval limits, length n+1.
        coefficients: n rows (c0, c1, c2, c3).
        below, above: values before the first and after the last break.
    """

    breaks: tuple[float, ...]
    coefficients: tuple[tuple[float, float, float, float], ...]
    below: float
    above: float

    @classmethod
    def through(cls, xs: Sequence[float], ys: Sequence[float], kind: str) -> PiecewisePolynomial:
        """Interpolate points with straight lines ("linear") or a spline ("cubic")."""
        x, y = np.asarray(xs, float), np.asarray(ys, float)
        _check_points(x, y, kind)
        if kind == "cubic":
            rows = scipy.interpolate.CubicSpline(x, y).c[::-1].T
        else:
            slopes = np.diff(y) / np.diff(x)
            rows = np.column_stack([y[:-1], slopes, 0 * slopes, 0 * slopes])
        coefficients = tuple(map(tuple, rows.tolist()))
        return cls(tuple(x.tolist()), coefficients, float(y[0]), float(y[-1]))

    def prolonged(self) -> PiecewisePolynomial:
        """Extend the last piece past its end by the rounding error of x."""
        *others, before, last = self.breaks
        end = last + ROUNDING * (last - before) + 1e-3 * ROUNDING * abs(last)
        return replace(self, breaks=(*others, before, end))

    def derivative(self) -> PiecewisePolynomial:
        """The slope as a table; 0 beyond the ends."""
        rows = tuple((c1, 2.0 * c2, 3.0 * c3, 0.0) for _, c1, c2, c3 in self.coefficients)
        return PiecewisePolynomial(self.breaks, rows, 0.0, 0.0)

    def __call__(self, x: Any) -> Any:
        """Evaluate at a number or an array."""
        x = np.asarray(x, float)
        breaks = np.asarray(self.breaks)
        k = np.clip(np.searchsorted(breaks, x, side="right") - 1, 0, len(breaks) - 2)
        c0, c1, c2, c3 = (np.asarray(c)[k] for c in zip(*self.coefficients, strict=True))
        d = x - breaks[k]
        inside = c0 + d * (c1 + d * (c2 + d * c3))
        return np.where(x < breaks[0], self.below, np.where(x >= breaks[-1], self.above, inside))


def _check_points(x: np.ndarray, y: np.ndarray, kind: str) -> None:
    needed = 2 if kind == "linear" else 3
    if x.ndim != 1 or x.shape != y.shape or len(x) < needed:
        alike = x.ndim == 1 and x.shape == y.shape
        raise ExpressionError(
            f"a {kind} table needs at least {needed} points with one value each, "
            f"got {x.shape} abscissas and {y.shape} values",
            fix=f"Give {needed} points or more." if alike else "Give two lists of the same length.",
        )
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(y))):
        raise ExpressionError("a table holds NaN or infinity", fix="Remove those points.")
    if np.any(np.diff(x) <= 0):
        raise ExpressionError("table abscissas must increase strictly", fix="Sort the points.")
