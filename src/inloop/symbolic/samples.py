"""Samples over time as an expression."""

from __future__ import annotations

from collections.abc import Sequence

from inloop.symbolic.expression import Expr
from inloop.symbolic.tables import PiecewisePolynomial


def samples_over_time(t: Expr, times: Sequence[float], values: Sequence[float]) -> Expr:
    """A cubic spline through samples over time, constant before the first and after the last.

    At the last sample the slope is still that of the spline, so that a run exactly as long as the
    samples ends with their velocity.
    """
    polynomial = PiecewisePolynomial.through(times, values, "cubic").prolonged()
    return t.graph.call("table", t, payload=polynomial)
