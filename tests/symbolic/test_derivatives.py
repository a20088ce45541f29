"""Forward and reverse derivatives against SymPy, SciPy and differences in high precision."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from inloop.symbolic import (
    Expr,
    Graph,
    count_operations,
    derivatives,
    evaluate,
    forward,
    functions,
    gradient,
    jacobian,
    reachable,
)
from inloop.symbolic.derivatives import partials
from inloop.symbolic.functions import cos, exp, maximum, power, sin, sqrt, table, where
from inloop.symbolic.operations import OPERATIONS

Symbols = tuple[Expr, Expr, Expr]

SYMPY = SimpleNamespace(
    **{name: getattr(sympy, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(sympy, name) for name in ("atan2", "sqrt", "exp", "log", "tanh", "sign")},
    power=sympy.Pow,
    absolute=sympy.Abs,
    minimum=sympy.Min,
    maximum=sympy.Max,
    max0=lambda x: sympy.Max(x, 0),
    where=lambda condition, a, b: sympy.Piecewise((a, condition), (b, True)),
)

FORMULAS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda F, x, y: 3 * x + y,
    "sub": lambda F, x, y: y - x * y,
    "neg": lambda F, x, y: F.exp(-(x * y)),
    "mul": lambda F, x, y: x * y * (x + 2),
    "div": lambda F, x, y: (x + 2 * y) / (x - y),
    "sin": lambda F, x, y: F.sin(x * y + x),
    "cos": lambda F, x, y: y * F.cos(x * y),
    "tan": lambda F, x, y: F.tan(x * y / 3),
    "asin": lambda F, x, y: F.asin(x * y / 3),
    "acos": lambda F, x, y: F.acos(y * x / 3),
    "atan": lambda F, x, y: F.atan(x / y),
    "atan2": lambda F, x, y: F.atan2(x * y, x + y),
    "sqrt": lambda F, x, y: F.sqrt(x * x + 2 * y * y),
    "exp": lambda F, x, y: F.exp(x - y * y),
    "log": lambda F, x, y: F.log(x * x + y * y),
    "tanh": lambda F, x, y: F.tanh(x * y),
    "pow, number": lambda F, x, y: F.power(x * x + y, 1.7),
    "pow, whole": lambda F, x, y: (x + y) ** 5 / (x - y) ** 3,
    "pow, large": lambda F, x, y: (x + y / 3) ** 11,
    "pow, general": lambda F, x, y: F.power(x * x + 1, y * x),
    "pow, exponent": lambda F, x, y: F.power(2.6, x * y),
    "abs": lambda F, x, y: F.absolute(x * y) * x,
    "sign": lambda F, x, y: F.sign(x * y) * x * y * y,
    "min": lambda F, x, y: F.minimum(x * y, x - y) * F.minimum(x - y, y * x * x),
    "max": lambda F, x, y: F.maximum(x * y, x - y) * F.maximum(x - y, y * x * x),
    "max0": lambda F, x, y: F.max0(x - y) ** 2 + F.max0(y - x) * x,
    "lt": lambda F, x, y: F.where(x < y, x * x * y, F.sin(x * y)),
    "le": lambda F, x, y: F.where(x <= y, x * x * y, F.cos(y) * x),
    "gt": lambda F, x, y: F.where(x * y > x - y, x**3 * y, y / x),
    "deep": lambda F, x, y: F.sin(F.exp(x * F.cos(y)) / (1.6 + F.tanh(x * y) ** 2)),
}
POINTS = [(0.73, 1.31), (1.42, 0.57), (1.18, -0.46)]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", FORMULAS)
def test_against_sympy(graph: Graph, moving: Symbols, name: str) -> None:
    formula = FORMULAS[name]
    x, y, z = moving
    expr = formula(functions, x, y)
    slopes = [*forward([expr], x), *forward([expr], y), *gradient(expr, [x, y])]
    a, b = sympy.symbols("a b", real=True)
    reference = formula(SYMPY, a, b)
    exact = [sympy.diff(reference, s) for s in (a, b)]
    for x0, y0 in POINTS:
        expected = [float(e.subs({a: x0, b: y0}).evalf(20)) for e in exact]
        values = [float(v) for v in evaluate(slopes, {x: x0, y: y0})]
        assert values[:2] == pytest.approx(expected, rel=1e-12, abs=1e-13)
        assert values[2:] == pytest.approx(expected, rel=1e-12, abs=1e-13)
    assert gradient(expr, [z]) == [graph.zero]


def test_every_operation_is_differentiated(moving: Symbols) -> None:
    x, y, _ = moving
    exprs = [formula(functions, x, y) for formula in FORMULAS.values()]
    assert {node.op for node in reachable(exprs)} - {"symbol", "const"} == set(OPERATIONS)


def test_derivatives_of_leaves(graph: Graph, moving: Symbols) -> None:
    x, y, _ = moving
    assert forward([x, y, graph.constant(2.6)], x) == [graph.one, graph.zero, graph.zero]
    assert gradient(x, [x, y]) == [graph.one, graph.zero]


def test_derivatives_with_respect_to_parameters(moving: Symbols, static: Symbols) -> None:
    x, p = moving[0], static[0]
    assert forward([p * x], p) == [x]
    assert gradient(p * sin(x), [p, x]) == [sin(x), p * cos(x)]


def test_jacobian_has_a_row_per_expression(graph: Graph, moving: Symbols) -> None:
    x, y, z = moving
    rows = jacobian([x * y, sin(z)], [x, y, z])
    assert rows == [[y, x, graph.zero], [graph.zero, graph.zero, cos(z)]]
    assert jacobian([], [x]) == []
    assert jacobian([x], []) == [[]]


def test_second_derivatives_commute(moving: Symbols) -> None:
    x, y, _ = moving
    expr = sin(x * y) / (x * x + 2.6) + x**3 * y
    xy = gradient(gradient(expr, [x])[0], [y])[0]
    yx = gradient(gradient(expr, [y])[0], [x])[0]
    a, b = sympy.symbols("a b")
    exact = sympy.diff(sympy.sin(a * b) / (a * a + 2.6) + a**3 * b, a, b)
    expected = float(exact.subs({a: 0.73, b: -1.31}))
    assert evaluate([xy, yx], {x: 0.73, y: -1.31}) == pytest.approx([expected] * 2, rel=1e-13)


# tables

XS = (-1.9, -0.65, 0.32, 1.17, 2.83)
YS = (0.84, -1.27, 0.55, 2.36, 1.68)


def test_slope_of_a_linear_table(moving: Symbols) -> None:
    x = moving[0]
    (slope,) = forward([table(x, XS, YS)], x)
    points = np.array([-2.4, -1.1, 0.05, 0.9, 2.1, 3.7])
    steps = np.diff(YS) / np.diff(XS)
    expected = [0.0, *steps, 0.0]
    assert evaluate([slope], {x: points})[0] == pytest.approx(expected, rel=1e-14)


def test_slopes_of_a_cubic_table(moving: Symbols) -> None:
    x = moving[0]
    spline = CubicSpline(XS, YS)
    inside, outside = np.array([-1.1, 0.05, 0.9, 2.1]), np.array([-2.4, 3.7])
    expr = table(x, XS, YS, "cubic")
    for order in (1, 2, 3):
        (expr,) = forward([expr], x)
        assert evaluate([expr], {x: inside})[0] == pytest.approx(spline(inside, order), rel=1e-12)
        assert evaluate([expr], {x: outside})[0].tolist() == [0.0, 0.0]
    (chained,) = gradient(table(x * x, XS, YS, "cubic"), [x])
    expected = 2 * 0.73 * spline(0.73**2, 1)
    assert evaluate([chained], {x: 0.73})[0] == pytest.approx(expected, rel=1e-13)


# branches that are not taken


def test_a_branch_that_is_not_taken_does_not_spoil_the_slope(moving: Symbols) -> None:
    """The law of a contact, k*depth**1.5, has no real value and no slope outside the contact."""
    depth = moving[0]
    force = where(depth > 0.0, 2.6 * power(depth, 1.5), 0.0)
    (slope,) = forward([force], depth)
    with np.errstate(all="ignore"):
        assert evaluate([slope], {depth: 0.49})[0] == pytest.approx(2.6 * 1.5 * 0.7, rel=1e-14)
        assert evaluate([slope], {depth: -0.49})[0] == 0.0


def test_the_same_in_reverse(moving: Symbols) -> None:
    depth = moving[0]
    force = where(depth > 0.0, 2.6 * sqrt(depth), depth * 0.3)
    (slope,) = gradient(force, [depth])
    with np.errstate(all="ignore"):
        assert evaluate([slope], {depth: 0.49})[0] == pytest.approx(1.3 / 0.7, rel=1e-14)
        assert evaluate([slope], {depth: -0.49})[0] == pytest.approx(0.3, rel=1e-14)


def nested(x: Expr, levels: int) -> Expr:
    """Branches in branches, each of which uses the level below."""
    for k in range(levels):
        x = where(x < 0.3 + k, sin(x), 1.1 * x + 0.2)
    return x


def test_the_slope_of_nested_branches(moving: Symbols) -> None:
    x = moving[0]
    expr, h = nested(x, 6), 1e-6
    for x0 in (-0.7, 0.4, 1.9, 3.3):
        ends = [float(evaluate([expr], {x: x0 + s * h})[0]) for s in (1, -1)]
        slope = pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-8)
        assert evaluate([*gradient(expr, [x]), *forward([expr], x)], {x: x0}) == [slope, slope]


def test_nested_branches_are_visited_once(monkeypatch: pytest.MonkeyPatch) -> None:
    visits = {}
    for levels in (5, 10):
        x = Graph().symbol("x")
        expr = nested(x, levels)
        count = itertools.count()
        counted = lambda node, count=count: (next(count), partials(node))[1]  # noqa: E731
        with monkeypatch.context() as patch:
            patch.setattr(derivatives, "partials", counted)
            gradient(expr, [x])
        visits[levels] = next(count)
    assert visits[10] <= 3 * visits[5]


def test_reverse_mode_is_cheap_with_branches(graph: Graph) -> None:
    symbols = [graph.symbol(f"w{k}") for k in range(40)]
    total = graph.zero
    for symbol in symbols:
        total = 0.9 * total + sin(symbol)
    expr = graph.zero
    for k in range(10):
        expr = expr + where(total < k + 0.5, (k + 1.3) * total * total, (k + 0.7) * exp(total))
    cost = count_operations([expr])["total"]
    assert count_operations([expr, *gradient(expr, symbols)])["total"] < 5 * cost


def test_slopes_at_corners_are_finite(moving: Symbols) -> None:
    x, y, _ = moving
    slopes = gradient(maximum(x, y), [x, y])
    values = evaluate(slopes, {x: 0.73, y: 0.73})
    # where: one of the two, never both and never none
    assert sorted(values) == [0.0, 1.0]
    assert abs(evaluate(forward([abs(x)], x), {x: 0.0})[0]) <= 1.0


# random computations


@settings(max_examples=120)
@given(data=st.data())
def test_against_differences_in_high_precision(
    data: st.DataObject, recipes: Any, points: Any
) -> None:
    recipe, point = data.draw(recipes), data.draw(points)
    recipe.bounds(point)  # where: rejects points near corners
    leaves, results = recipe.expressions(Graph())
    values = dict(zip(leaves, point, strict=True))
    rows = jacobian(results[-2:], leaves)
    forward_values = np.array([evaluate(row, values) for row in rows], float)
    reverse_values = np.array([evaluate(gradient(e, leaves), values) for e in results[-2:]], float)
    columns = [forward(results[-2:], leaf) for leaf in leaves]
    assert [[column[i] for column in columns] for i in range(2)] == rows
    with mpmath.workdps(60):
        exact = np.array([central_differences(recipe, point, k) for k in range(5)]).T
    scale = 1.0 + np.max(np.abs(exact))
    assert np.max(np.abs(forward_values - exact)) < 1e-9 * scale
    assert np.max(np.abs(reverse_values - exact)) < 1e-9 * scale


def central_differences(recipe: Any, point: tuple[float, ...], k: int) -> list[float]:
    """Slopes of the last two results along leaf k; the error is about 1e-38."""
    h = mpmath.mpf(10) ** -20
    ends = []
    for sign in (1, -1):
        moved = [mpmath.mpf(v) for v in point]
        moved[k] += sign * h
        ends.append(recipe.exact(moved)[-2:])
    return [float((up - down) / (2 * h)) for up, down in zip(*ends, strict=True)]


def test_reverse_mode_is_cheap(graph: Graph) -> None:
    """The gradient of a function of many symbols costs a small multiple of the function."""
    symbols = [graph.symbol(f"w{k}") for k in range(60)]
    expr = graph.one
    for k, s in enumerate(symbols):
        expr = sin(expr * s) + (0.3 + 0.01 * k) * s * s
    cost = count_operations([expr])["total"]
    assert count_operations([expr, *gradient(expr, symbols)])["total"] < 5 * cost
    numbers = {s: math.sin(1.7 * k + 0.3) for k, s in enumerate(symbols)}
    (slope,) = evaluate(gradient(expr, [symbols[7]]), numbers)
    nudged = {**numbers, symbols[7]: numbers[symbols[7]] + 1e-6}
    lower = {**numbers, symbols[7]: numbers[symbols[7]] - 1e-6}
    difference = (evaluate([expr], nudged)[0] - evaluate([expr], lower)[0]) / 2e-6
    assert slope == pytest.approx(difference, abs=1e-8)
