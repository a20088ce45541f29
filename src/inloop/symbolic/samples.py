"""Samples over time as an expression."""

from __future__ import annotations

from collections.abc import Sequence

from inloop.symbolic.expression import Expr
from inloop.symbolic.tables import PiecewisePolynomial


def samples_over_time(t: Expr, times: Sequence[float], values: Sequence[float]) -> Expr:
    """A cubic spline through samples over time, constant before and after them.

    At the last sample it still moves as it did before, so that the end of a run that is as long as
    the samples has their velocity.
    """
    polynomial = PiecewisePolynomial.through(times, values, "cubic").prolonged()
    return t.graph.call("table", t, payload=polynomial)
