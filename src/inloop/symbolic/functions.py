"""Functions for force laws; each takes numbers or expressions.

With plain numbers they return numbers, so the same law can be traced and called directly.
"""

from __future__ import annotations

from collections.abc import Sequence

from inloop.errors import ExpressionError
from inloop.symbolic.expression import Expr, Scalar
from inloop.symbolic.graph import Graph
from inloop.symbolic.operations import OPERATIONS
from inloop.symbolic.surfaces import PiecewiseSurface
from inloop.symbolic.tables import PiecewisePolynomial


def _graph_of(args: Sequence[Scalar]) -> Graph | None:
    for a in args:
        if isinstance(a, Expr):
            return a.graph
    return None


def _apply(op: str, *args: Scalar) -> Scalar:
    graph = _graph_of(args)
    if graph is None:
        return float(OPERATIONS[op].scalar(*(float(a) for a in args)))
    return graph.call(op, *(graph.wrap(a) for a in args))


def sin(x: Scalar) -> Scalar:
    """Sine of an angle [rad]."""
    return _apply("sin", x)


def cos(x: Scalar) -> Scalar:
    """Cosine of an angle [rad]."""
    return _apply("cos", x)


def tan(x: Scalar) -> Scalar:
    """Tangent of an angle [rad]."""
    return _apply("tan", x)


def asin(x: Scalar) -> Scalar:
    """Angle [rad] in [-π/2, π/2] whose sine is x."""
    return _apply("asin", x)


def acos(x: Scalar) -> Scalar:
    """Angle [rad] in [0, π] whose cosine is x."""
    return _apply("acos", x)


def atan(x: Scalar) -> Scalar:
    """Angle [rad] in (-π/2, π/2) whose tangent is x."""
    return _apply("atan", x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle [rad] of the vector (x, y)."""
    return _apply("atan2", y, x)


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    return _apply("sqrt", x)


def exp(x: Scalar) -> Scalar:
    """Exponential."""
    return _apply("exp", x)


def log(x: Scalar) -> Scalar:
    """Natural logarithm."""
    return _apply("log", x)


def tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent; a smooth sign."""
    return _apply("tanh", x)


def absolute(x: Scalar) -> Scalar:
    """Magnitude."""
    return _apply("abs", x)


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1."""
    return _apply("sign", x)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of two values."""
    return _apply("min", a, b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two values."""
    return _apply("max", a, b)


def max0(x: Scalar) -> Scalar:
    """x where positive, else 0: the depth of a contact."""
    return _apply("max", x, 0.0)


def power(x: Scalar, y: Scalar) -> Scalar:
    """x to the power y; for negative x the exponent must be an integer."""
    if isinstance(x, Expr) or isinstance(y, Expr):
        return x**y
    return _apply("pow", x, y)


def where(condition: Scalar | bool, a: Scalar, b: Scalar) -> Scalar:
    """a where the condition holds (is not 0), else b; both are always evaluated."""
    return _apply("where", condition, a, b)


def table(x: Scalar, xs: Sequence[float], ys: Sequence[float], kind: str = "linear") -> Scalar:
    """Interpolate the points (xs, ys) at x; constant beyond the ends.

    Args:
        x: where to look up.
        xs: strictly increasing abscissas.
        ys: values, one for each abscissa.
        kind: "linear" or "cubic" (a spline with continuous second derivative).
    """
    _check_kind(kind)
    polynomial = PiecewisePolynomial.through(xs, ys, kind)
    if isinstance(x, Expr):
        return x.graph.call("table", x, payload=polynomial)
    return float(polynomial(float(x)))


def table2(
    x: Scalar,
    y: Scalar,
    xs: Sequence[float],
    ys: Sequence[float],
    zs: Sequence[Sequence[float]],
    kind: str = "linear",
) -> Scalar:
    """Interpolate values on a grid at (x, y), e.g. an engine map; constant beyond the edges.

    Args:
        x: coordinate along the first axis.
        y: coordinate along the second axis.
        xs: strictly increasing abscissas along x.
        ys: strictly increasing abscissas along y.
        zs: values, shape (len(xs), len(ys)).
        kind: "linear" (bilinear patches) or "cubic" (a spline with continuous second derivatives).
    """
    _check_kind(kind)
    surface = PiecewiseSurface.through(xs, ys, zs, kind)
    graph = _graph_of((x, y))
    if graph is None:
        return float(surface(float(x), float(y)))
    return graph.call("table2", graph.wrap(x), graph.wrap(y), payload=surface)


def _check_kind(kind: str) -> None:
    if kind not in ("linear", "cubic"):
        raise ExpressionError(f"table kind {kind!r} is unknown", fix='Use "linear" or "cubic".')
