"""Random computations, written once and run on expressions, on floats, on error bounds, on mpmath.

A `Recipe` is a list of steps. Run on expressions it goes through all rewrite rules; run on plain
numbers it does not, which makes it the reference. A `Ball` carries a value with a bound of its
rounding error, so that a comparison can be as sharp as the computation allows.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from inloop.symbolic import Expr, Graph, Input, Output, Program, functions

# the same examples in every run: a failure in CI is a failure at home
settings.register_profile(
    "repeatable", settings.get_profile("elsewhere"), derandomize=True, database=None
)
settings.load_profile("repeatable")

EPS = sys.float_info.epsilon
LARGEST = 1e4  # computations that grow past this are not tried
CORNER = 1e-5  # nor those that come so near to a corner or a jump

TABLE_X = (-1.9, -0.65, 0.32, 1.17, 2.83)
TABLE_Y = (0.84, -1.27, 0.55, 2.36, 1.68)
CONSTANTS = (0.0, 1.0, -1.0, 2.0, 0.37, -2.6, math.pi / 2, -math.pi)
NAMES = ("x", "y", "z", "p", "r")
STATIC = ("p", "r")
POINTS = (
    (0.73, -1.31, 2.17, 0.59, -1.83),
    (-0.41, 1.64, 0.28, -2.35, 1.12),
    (1.92, 0.57, -0.86, 1.45, 0.34),
)

Step = tuple[str, int, int, int]
Real = Callable[[float], float]

# guards keep every function inside its domain for all real arguments
STEPS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "add": lambda F, a, b, c: a + b,
    "sub": lambda F, a, b, c: a - b,
    "mul": lambda F, a, b, c: a * b,
    "neg": lambda F, a, b, c: -a,
    "sum of products": lambda F, a, b, c: a * b + a * c,
    "difference of products": lambda F, a, b, c: b * a - a * c,
    "div": lambda F, a, b, c: a / (2.3 + b * b),
    "reciprocal": lambda F, a, b, c: -1.7 / (3.1 + a * a),
    "sin": lambda F, a, b, c: F.sin(a),
    "cos": lambda F, a, b, c: F.cos(a),
    "shifted sin": lambda F, a, b, c: F.sin(a - math.pi / 2),
    "shifted cos": lambda F, a, b, c: F.cos(math.pi + a),
    "cos of sum": lambda F, a, b, c: F.cos(a) * F.cos(b) - F.sin(b) * F.sin(a),
    "sin of difference": lambda F, a, b, c: F.sin(a) * F.cos(b) - F.cos(a) * F.sin(b),
    "tan": lambda F, a, b, c: F.tan(0.9 * F.sin(a)),
    "asin": lambda F, a, b, c: F.asin(0.83 * F.sin(a)),
    "acos": lambda F, a, b, c: F.acos(0.71 * F.cos(a)),
    "atan": lambda F, a, b, c: F.atan(a),
    "atan2": lambda F, a, b, c: F.atan2(a, 1.9 + b * b),
    "sqrt": lambda F, a, b, c: F.sqrt(1.7 + a * a),
    "exp": lambda F, a, b, c: F.exp(F.sin(a)),
    "log": lambda F, a, b, c: F.log(2.9 + a * a),
    "tanh": lambda F, a, b, c: F.tanh(a),
    "cube": lambda F, a, b, c: a**3,
    "whole power": lambda F, a, b, c: (1.8 + a * a) ** -2,
    "pow": lambda F, a, b, c: F.power(1.3 + a * a, 0.7),
    "general pow": lambda F, a, b, c: F.power(1.6 + a * a, F.tanh(b)),
    "abs": lambda F, a, b, c: F.absolute(a),
    "sign": lambda F, a, b, c: F.sign(a) * b,
    "min": lambda F, a, b, c: F.minimum(a, b),
    "max": lambda F, a, b, c: F.maximum(a, b),
    "where": lambda F, a, b, c: F.where(a < b, c, a * b),
    "where or equal": lambda F, a, b, c: F.where(a >= c, b, a + b),
    "linear table": lambda F, a, b, c: F.table(a, TABLE_X, TABLE_Y),
    "cubic table": lambda F, a, b, c: F.table(a, TABLE_X, TABLE_Y, "cubic"),
}


@dataclass(frozen=True)
class Recipe:
    """A straight-line computation on five leaves and some constants."""

    steps: tuple[Step, ...]

    def run(self, F: Any, leaves: Sequence[Any], constant: Callable[[float], Any]) -> list[Any]:
        """Results of all steps."""
        values = [*leaves, *map(constant, CONSTANTS)]
        start = len(values)
        for name, i, j, k in self.steps:
            # where: small numbers reach back a short way, so that deep computations arise
            a, b, c = (values[-1 - index % len(values)] for index in (i, j, k))
            values.append(STEPS[name](F, a, b, c))
        return values[start:]

    def bounds(self, point: Sequence[float]) -> list[Ball]:
        """Reference values with bounds of the rounding error; rejects corners and large values."""
        return self.run(BALLS, [Ball(v, 0.0) for v in point], lambda v: Ball(v, EPS * abs(v)))

    def exact(self, point: Sequence[Any]) -> list[Any]:
        """Values in the current precision of mpmath."""
        return self.run(MPMATH, point, mpmath.mpf)

    def expressions(self, graph: Graph) -> tuple[list[Expr], list[Expr]]:
        """The leaves and the results of all steps as expressions."""
        leaves = [graph.symbol(name, static=name in STATIC) for name in NAMES]
        return leaves, self.run(functions, leaves, graph.constant)

    def program(self, outputs: int = 3) -> Program:
        """A program that returns the last steps."""
        leaves, results = self.expressions(Graph())
        moving, parameters = Input("q", tuple(leaves[:3])), Input("par", tuple(leaves[3:]))
        return Program("recipe", (moving, parameters), (Output.vector("out", results[-outputs:]),))


@dataclass(frozen=True, eq=False)
class Ball:
    """A float and a bound of its rounding error."""

    value: float
    radius: float

    def made(self, value: float, radius: float) -> Ball:
        assume(abs(value) < LARGEST and radius < 1e-9)
        return Ball(value, radius + 4 * EPS * abs(value))

    def __add__(self, other: Any) -> Ball:
        o = _ball(other)
        return self.made(self.value + o.value, self.radius + o.radius)

    __radd__ = __add__

    def __neg__(self) -> Ball:
        return Ball(-self.value, self.radius)

    def __sub__(self, other: Any) -> Ball:
        return self + -_ball(other)

    def __rsub__(self, other: Any) -> Ball:
        return -self + other

    def __mul__(self, other: Any) -> Ball:
        o = _ball(other)
        radius = abs(self.value) * o.radius + abs(o.value) * self.radius
        return self.made(self.value * o.value, radius + self.radius * o.radius)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Ball:
        o = _ball(other)
        quotient = self.value / o.value
        return self.made(quotient, (self.radius + abs(quotient) * o.radius) / abs(o.value))

    def __rtruediv__(self, other: Any) -> Ball:
        return _ball(other) / self

    def __pow__(self, exponent: int) -> Ball:
        result = Ball(1.0, 0.0)
        for _ in range(abs(exponent)):
            result = result * self
        return result if exponent > 0 else 1.0 / result

    def __lt__(self, other: Any) -> bool:
        o = _ball(other)
        assume(abs(self.value - o.value) > CORNER)
        return self.value < o.value

    def __ge__(self, other: Any) -> bool:
        return not self < other


def _ball(value: Any) -> Ball:
    return value if isinstance(value, Ball) else Ball(float(value), EPS * abs(float(value)))


def _smooth(value: Real, slope: Real) -> Callable[..., Ball]:
    def call(a: Any) -> Ball:
        a = _ball(a)
        return a.made(value(a.value), abs(slope(a.value)) * a.radius * (1.0 + 1e-6))

    return call


def _ball_power(a: Ball, b: Any) -> Ball:
    b = _ball(b)
    logarithm = BALLS.log(a)
    return BALLS.exp(b * logarithm)


def _ball_sign(a: Ball) -> Ball:
    return Ball(1.0, 0.0) if a >= 0.0 else Ball(-1.0, 0.0)


def _ball_table(a: Ball, xs: Sequence[float], ys: Sequence[float], kind: str = "linear") -> Ball:
    assume(min(abs(a.value - x) for x in xs) > CORNER)
    return a.made(float(interpolate(a.value, xs, ys, kind)), 10.0 * a.radius)


def interpolate(x: Any, xs: Sequence[float], ys: Sequence[float], kind: str = "linear") -> Any:
    """Reference interpolation in the precision of x; constant beyond the ends."""
    if x <= xs[0]:
        return 0 * x + ys[0]
    if x >= xs[-1]:
        return 0 * x + ys[-1]
    k = int(np.searchsorted(xs, float(x), side="right")) - 1
    if kind == "linear":
        return ys[k] + (x - xs[k]) * (ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k])
    value = 0 * x
    for coefficient in CubicSpline(xs, ys).c[:, k]:
        value = value * (x - xs[k]) + float(coefficient)
    return value


BALLS = SimpleNamespace(
    sin=_smooth(math.sin, math.cos),
    cos=_smooth(math.cos, math.sin),
    tan=_smooth(math.tan, lambda v: 1 / math.cos(v) ** 2),
    asin=_smooth(math.asin, lambda v: 1 / math.sqrt(1 - v * v)),
    acos=_smooth(math.acos, lambda v: 1 / math.sqrt(1 - v * v)),
    atan=_smooth(math.atan, lambda v: 1 / (1 + v * v)),
    atan2=lambda a, b: BALLS.atan(a / b),  # where: b > 0 in all steps
    sqrt=_smooth(math.sqrt, lambda v: 0.5 / math.sqrt(v)),
    exp=_smooth(math.exp, math.exp),
    log=_smooth(math.log, lambda v: 1 / v),
    tanh=_smooth(math.tanh, lambda v: 1 - math.tanh(v) ** 2),
    power=_ball_power,
    absolute=lambda a: a * _ball_sign(a),
    sign=_ball_sign,
    minimum=lambda a, b: a if a < b else b,
    maximum=lambda a, b: b if a < b else a,
    where=lambda condition, a, b: a if condition else b,
    table=_ball_table,
)
MPMATH = SimpleNamespace(
    **{name: getattr(mpmath, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(mpmath, name) for name in ("atan2", "sqrt", "exp", "log", "tanh", "power")},
    absolute=abs,
    sign=mpmath.sign,
    minimum=min,
    maximum=max,
    where=lambda condition, a, b: a if condition else b,
    table=interpolate,
)

_steps = st.tuples(
    st.sampled_from(sorted(STEPS)), st.integers(0, 20), st.integers(0, 20), st.integers(0, 20)
)


@pytest.fixture(scope="session")
def recipes() -> st.SearchStrategy[Recipe]:
    """Random computations of 4 to 16 steps."""
    return st.lists(_steps, min_size=4, max_size=16).map(lambda steps: Recipe(tuple(steps)))


@pytest.fixture(scope="session")
def points() -> st.SearchStrategy[tuple[float, ...]]:
    """General values of x, y, z, p, r."""
    return st.sampled_from(POINTS)


@pytest.fixture(scope="session")
def agree() -> Callable[[Sequence[float], Sequence[Ball]], None]:
    """Assert that values lie within the error bounds of the reference."""

    def check(values: Sequence[float], reference: Sequence[Ball]) -> None:
        assert len(values) == len(reference)
        for value, ball in zip(values, reference, strict=True):
            assert abs(float(value) - ball.value) <= 8.0 * ball.radius + 1e-15

    return check


@pytest.fixture
def graph() -> Graph:
    """An empty graph."""
    return Graph()


@pytest.fixture
def moving(graph: Graph) -> tuple[Expr, Expr, Expr]:
    """Three symbols that change in every step."""
    return graph.symbol("x"), graph.symbol("y"), graph.symbol("z")


@pytest.fixture
def static(graph: Graph) -> tuple[Expr, Expr, Expr]:
    """Three parameters."""
    return tuple(graph.symbol(name, static=True) for name in "prs")  # type: ignore[return-value]
