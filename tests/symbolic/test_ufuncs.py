"""NumPy's functions on traced values give what NumPy gives on numbers, or say what to use."""

from __future__ import annotations

import math

import numpy as np
import pytest

import inloop as il
from inloop.errors import ExpressionError
from inloop.symbolic import Expr, Graph, evaluate
from inloop.symbolic.ufuncs import TRACED

VALUES = (0.37, 0.81)  # within the domains of all of them


@pytest.mark.parametrize("name", TRACED)
def test_traced_as_numpy_evaluates(name: str) -> None:
    ufunc, graph = getattr(np, name), Graph()
    values = VALUES[: ufunc.nin]
    symbols = [graph.symbol(letter) for letter in "xy"[: ufunc.nin]]
    traced = ufunc(*symbols)
    assert isinstance(traced, Expr)
    (found,) = evaluate([traced], dict(zip(symbols, values, strict=True)))
    assert found == pytest.approx(float(ufunc(*values)), rel=1e-14)
    # the first a number of NumPy's, the second an expression
    if ufunc.nin == 2:
        (mixed,) = evaluate([ufunc(np.float64(values[0]), symbols[1])], {symbols[1]: values[1]})
        assert mixed == pytest.approx(float(ufunc(*values)), rel=1e-14)


def test_arrays_go_entry_by_entry() -> None:
    x = Graph().symbol("x")
    force = np.array([1.5, -2.0, 0.3]) * x
    assert evaluate(list(force), {x: 2.0}) == [3.0, -4.0, 0.6]
    force += x
    assert evaluate(list(force), {x: 2.0}) == [5.0, -2.0, 2.6]


def test_laws_may_use_numpy() -> None:
    m = il.Model("numpy_law")
    m.body("arm", on=m.ground, joint=il.revolute("z"), mass=1.3, com=(0.4, 0, 0), inertia=(1, 1, 1))
    m.joint_force("arm", lambda q, qd: -3.0 * np.sin(q) - np.float64(0.2) * np.abs(qd) * qd)
    plant = m.compile(backend="python")
    tau = plant.inverse_dynamics([0.7], [1.4], [0.0])
    assert tau[0] == pytest.approx(3.0 * math.sin(0.7) + 0.2 * 1.4**2, rel=1e-14)


def test_what_cannot_be_traced_says_what_to_use() -> None:
    x = Graph().symbol("x")
    with pytest.raises(ExpressionError, match=r"NumPy's floor cannot .* il\.where"):
        np.floor(x)  # type: ignore[call-overload]
    with pytest.raises(ExpressionError, match=r"x has no fixed value, .* math need\. .* il\.sin"):
        math.sin(x)
    with pytest.raises(ExpressionError, match=r"\(a < x\) & \(x < b\)"):
        assert 0.0 < x < 1.0
    with pytest.raises(ExpressionError, match=r"x == 0 cannot be decided .* il\.where"):
        assert x == 0.0
    numbers = np.zeros(2)
    with pytest.raises(ExpressionError, match="dtype=object"):
        numbers += x


def test_expressions_compare_as_nodes() -> None:
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    assert x + y == x + y
    assert x != y
    assert x != "x"
    assert {x: 1}[x] == 1
