"""Functions for force laws: on numbers, on expressions, and tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from inloop.errors import ExpressionError
from inloop.symbolic import Expr, Graph, count_operations, evaluate, functions
from inloop.symbolic.functions import max0, table, where

REFERENCE: dict[str, tuple[Any, list[tuple[float, ...]]]] = {
    "sin": (math.sin, [(0.73,), (-2.41,)]),
    "cos": (math.cos, [(0.73,), (-2.41,)]),
    "tan": (math.tan, [(0.73,), (-2.41,)]),
    "asin": (math.asin, [(0.73,), (-0.41,)]),
    "acos": (math.acos, [(0.73,), (-0.41,)]),
    "atan": (math.atan, [(0.73,), (-5.41,)]),
    "atan2": (math.atan2, [(0.73, 1.31), (0.73, -1.31), (-0.73, -1.31), (-0.73, 1.31)]),
    "sqrt": (math.sqrt, [(0.73,), (17.3,)]),
    "exp": (math.exp, [(0.73,), (-2.41,)]),
    "log": (math.log, [(0.73,), (17.3,)]),
    "tanh": (math.tanh, [(0.73,), (-2.41,)]),
    "absolute": (abs, [(0.73,), (-2.41,)]),
    "sign": (lambda x: float(np.sign(x)), [(0.73,), (-2.41,), (0.0,)]),
    "minimum": (min, [(0.73, -2.41), (-2.41, 0.73)]),
    "maximum": (max, [(0.73, -2.41), (-2.41, 0.73)]),
    "max0": (lambda x: x if x > 0 else 0.0, [(0.73,), (-2.41,)]),
    "power": (math.pow, [(0.73, 2.41), (0.73, -1.3), (2.41, 3.0), (-2.41, 3.0), (-2.41, -2.0)]),
}
CASES = [(name, args) for name, (_, points) in REFERENCE.items() for args in points]


@pytest.mark.parametrize(("name", "args"), CASES)
def test_on_numbers(name: str, args: tuple[float, ...]) -> None:
    result = getattr(functions, name)(*args)
    assert type(result) is float
    assert result == pytest.approx(REFERENCE[name][0](*args), rel=1e-15)


@pytest.mark.parametrize(("name", "args"), CASES)
def test_on_expressions(graph: Graph, name: str, args: tuple[float, ...]) -> None:
    symbols = [graph.symbol(f"a{k}") for k in range(len(args))]
    expr = getattr(functions, name)(*symbols)
    assert isinstance(expr, Expr)
    (result,) = evaluate([expr], dict(zip(symbols, args, strict=True)))
    assert result == pytest.approx(REFERENCE[name][0](*args), rel=4e-16)


@pytest.mark.parametrize(("name", "args"), CASES)
def test_on_constants(graph: Graph, name: str, args: tuple[float, ...]) -> None:
    folded = getattr(functions, name)(*map(graph.constant, args))
    assert folded.value == pytest.approx(REFERENCE[name][0](*args), rel=1e-15)


@pytest.mark.parametrize(
    ("name", "args"), [case for case in CASES if len(case[1]) == 2 and case[0] != "power"]
)
def test_a_number_beside_an_expression(graph: Graph, name: str, args: tuple[float, float]) -> None:
    x, function = graph.symbol("x"), getattr(functions, name)
    left, right = function(x, args[1]), function(args[0], x)
    expected = REFERENCE[name][0](*args)
    assert evaluate([left], {x: args[0]})[0] == pytest.approx(expected, rel=4e-16)
    assert evaluate([right], {x: args[1]})[0] == pytest.approx(expected, rel=4e-16)


def test_every_function_is_listed() -> None:
    public = {
        name
        for name, thing in vars(functions).items()
        if callable(thing) and thing.__module__ == functions.__name__ and name[0] != "_"
    }
    assert public == set(REFERENCE) | {"where", "table", "table2"}


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("sqrt", (-2.6,)),
        ("log", (-2.6,)),
        ("asin", (1.7,)),
        ("power", (-2.6, 0.5)),
    ],
)
def test_numbers_outside_the_domain(name: str, args: tuple[float, ...]) -> None:
    """A law called by hand fails like the same law with constants."""
    with pytest.raises((ValueError, ExpressionError)):
        getattr(functions, name)(*args)


@pytest.mark.parametrize(("a", "b"), [(0.73, 2.41), (2.41, 0.73), (1.62, 1.62)])
def test_comparisons(graph: Graph, a: float, b: float) -> None:
    x, y = graph.symbol("x"), graph.symbol("y")
    exprs = [x < y, x <= y, x > y, x >= y]
    expected = [float(a < b), float(a <= b), float(a > b), float(a >= b)]
    assert evaluate(exprs, {x: a, y: b}) == expected
    against_number = [x < b, x <= b, x > b, x >= b]
    assert evaluate(against_number, {x: a}) == expected
    from_number = [a < y, a <= y, a > y, a >= y]
    assert evaluate(from_number, {y: b}) == expected
    c = graph.constant(a)
    assert [e.value for e in (c < b, c <= b, c > b, c >= b)] == expected


@pytest.mark.parametrize("a", [0.3, 2.7])
@pytest.mark.parametrize("b", [0.4, 2.8])
def test_logic(graph: Graph, a: float, b: float) -> None:
    x, y = graph.symbol("x"), graph.symbol("y")
    high_x, high_y = x > 1.5, y > 1.5
    exprs = [high_x & high_y, high_x | high_y, ~high_x]
    expected = [a > 1.5 and b > 1.5, a > 1.5 or b > 1.5, not a > 1.5]
    assert evaluate(exprs, {x: a, y: b}) == expected


def test_where(graph: Graph) -> None:
    x, y = graph.symbol("x"), graph.symbol("y")
    expr = where(x < 1.2, 3.0 * y, y - 0.7)
    assert evaluate([expr], {x: 0.9, y: 2.3})[0] == pytest.approx(6.9, rel=1e-15)
    assert evaluate([expr], {x: 1.9, y: 2.3})[0] == pytest.approx(1.6, rel=1e-15)
    many = evaluate([expr], {x: np.array([0.9, 1.9]), y: np.array([2.3, 3.1])})[0]
    assert many == pytest.approx([6.9, 2.4], rel=1e-15)
    assert where(0.9 < 1.2, 3.5, 0.7) == 3.5
    assert where(1.9 < 1.2, 3.5, 0.7) == 0.7


def test_max0_is_one_operation(graph: Graph) -> None:
    assert count_operations([max0(graph.symbol("x"))])["total"] == 1


# tables

XS = (-1.9, -0.65, 0.32, 1.17, 2.83)
YS = (0.84, -1.27, 0.55, 2.36, 1.68)
INSIDE = np.array([-1.83, -1.1, -0.64, 0.05, 0.33, 0.9, 1.2, 2.1, 2.82])
OUTSIDE = np.array([-7.3, -1.91, 2.84, 11.6])


def looked_up(x: np.ndarray, kind: str) -> np.ndarray:
    """The table by way of an expression."""
    symbol = Graph().symbol("x")
    return np.asarray(evaluate([table(symbol, XS, YS, kind)], {symbol: x})[0])


def test_linear_table() -> None:
    x = np.concatenate([INSIDE, OUTSIDE, XS])
    assert looked_up(x, "linear") == pytest.approx(np.interp(x, XS, YS), rel=1e-14, abs=1e-15)


def test_cubic_table() -> None:
    x = np.concatenate([INSIDE, XS])
    assert looked_up(x, "cubic") == pytest.approx(CubicSpline(XS, YS)(x), rel=1e-13, abs=1e-14)
    # where: a spline between these points is not a polygon
    assert np.max(np.abs(looked_up(INSIDE, "cubic") - looked_up(INSIDE, "linear"))) > 0.1


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_tables_are_constant_beyond_their_ends(kind: str) -> None:
    assert looked_up(OUTSIDE, kind).tolist() == [0.84, 0.84, 1.68, 1.68]


@pytest.mark.parametrize("kind", ["linear", "cubic"])
@pytest.mark.parametrize("x", [-7.3, -1.9, -1.1, 0.32, 2.1, 2.83, 11.6])
def test_tables_on_numbers(kind: str, x: float) -> None:
    result = table(x, XS, YS, kind)
    assert type(result) is float
    clipped = min(max(x, XS[0]), XS[-1])
    expected = np.interp(x, XS, YS) if kind == "linear" else CubicSpline(XS, YS)(clipped)
    assert result == pytest.approx(float(expected), rel=1e-13)


def test_the_smallest_tables(graph: Graph) -> None:
    x = graph.symbol("x")
    linear = table(x, [0.4, 1.9], [2.2, -0.7])
    assert evaluate([linear], {x: 1.3})[0] == pytest.approx(2.2 - 2.9 * 0.9 / 1.5, rel=1e-14)
    # three points make a parabola: here y = 2 x² - 3 x + 0.5
    xs = [0.4, 1.1, 1.9]
    parabola = table(x, xs, [2 * v * v - 3 * v + 0.5 for v in xs], "cubic")
    expected = 2 * 1.3**2 - 3 * 1.3 + 0.5
    assert evaluate([parabola], {x: 1.3})[0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("xs", "ys", "kind", "message"),
    [
        ([0.3, 1.7, 1.2], [1.1, 2.2, 0.4], "linear", "increase strictly. Sort the points."),
        ([0.3, 1.7, 1.7], [1.1, 2.2, 0.4], "linear", "increase strictly"),
        ([2.3, 1.7, 0.4], [1.1, 2.2, 0.4], "cubic", "increase strictly"),
        ([0.3, 1.7, 2.6], [1.1, 2.2], "linear", r"got \(3,\) abscissas and \(2,\) values"),
        ([0.3], [1.1], "linear", "at least 2 points"),
        ([], [], "linear", "at least 2 points"),
        ([0.3, 1.7], [1.1, 2.2], "cubic", "at least 3 points"),
        ([[0.3, 1.7], [2.6, 3.1]], [[0.3, 1.7], [2.6, 3.1]], "linear", "at least 2 points"),
        ([0.3, math.nan, 2.6], [1.1, 2.2, 0.4], "linear", "NaN or infinity. Remove"),
        ([0.3, 1.7, math.inf], [1.1, 2.2, 0.4], "cubic", "NaN or infinity"),
        ([0.3, 1.7, 2.6], [1.1, math.nan, 0.4], "cubic", "NaN or infinity"),
        ([0.3, 1.7, 2.6], [1.1, 2.2, -math.inf], "linear", "NaN or infinity"),
        ([0.3, 1.7, 2.6], [1.1, 2.2, 0.4], "quadratic", "kind 'quadratic' is unknown"),
    ],
)
def test_bad_tables(graph: Graph, xs: Any, ys: Any, kind: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        table(graph.symbol("x"), xs, ys, kind)
    with pytest.raises(ExpressionError, match=message):
        table(0.73, xs, ys, kind)
