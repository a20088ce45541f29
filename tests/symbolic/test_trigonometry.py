"""Condensation of long sums of products of sines and cosines."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inloop.symbolic import Expr, Graph, condense, count_operations, evaluate, functions
from inloop.symbolic.functions import cos, sin

POINT = {"q2": 0.37, "q4": -1.21, "q5": 0.83, "q6": 1.94, "q8": -0.58}


def six_terms(F: Any, q2: Any, q4: Any, q5: Any, q6: Any, q8: Any) -> Any:
    """The sum of seed 000 with 27 products, before any simplification."""
    C2, S2, C4, S4, C8, S8 = F.cos(q2), F.sin(q2), F.cos(q4), F.sin(q4), F.cos(q8), F.sin(q8)
    C56, S56 = F.cos(q5 + q6), F.sin(q5 + q6)
    return (
        C2 * C4 * C56 * C56 * S8
        + C2 * C4 * S56 * S56 * S8
        + C2 * S4 * S56 * C8
        + S2 * C4 * S56 * C8
        - S2 * S4 * C56 * C56 * S8
        - S2 * S4 * S56 * S56 * S8
    )


@pytest.fixture
def q(graph: Graph) -> dict[str, Expr]:
    return {name: graph.symbol(name) for name in POINT}


def at_point(expr: Expr, q: dict[str, Expr]) -> float:
    return float(evaluate([expr], {q[name]: POINT[name] for name in POINT})[0])


def test_the_six_term_sum_of_the_seed(q: dict[str, Expr]) -> None:
    condensed = condense(six_terms(functions, **q))
    C24, S24 = cos(q["q2"] + q["q4"]), sin(q["q2"] + q["q4"])
    S56, C8, S8 = sin(q["q5"] + q["q6"]), cos(q["q8"]), sin(q["q8"])
    # where: products may be associated in any way, so compare the factors of each term
    first, second = condensed.args
    assert condensed.op == "add"
    assert {frozenset(factors(first)), frozenset(factors(second))} == {
        frozenset({C24, S8}),
        frozenset({S24, S56, C8}),
    }
    assert at_point(condensed, q) == pytest.approx(six_terms(math, **POINT), rel=1e-14)


def factors(product: Expr) -> list[Expr]:
    if product.op != "mul":
        return [product]
    return [f for a in product.args for f in factors(a)]


def test_the_six_term_sum_needs_fewer_operations(q: dict[str, Expr]) -> None:
    expr = six_terms(functions, **q)
    before, after = count_operations([expr]), count_operations([condense(expr)])
    # two products and one, one sum; the sums of angles q2 + q4 and q5 + q6
    assert (after["mul"], after["add"], after["sincos"]) == (3, 3, 3)
    assert after["total"] < before["total"]
    assert before["mul"] >= 12


def test_the_order_of_the_terms_does_not_matter(q: dict[str, Expr]) -> None:
    C2, S2, C4, S4 = (f(q[n]) for n in ("q2", "q4") for f in (cos, sin))
    C8, S8 = cos(q["q8"]), sin(q["q8"])
    terms = [C2 * C4 * S8, -(S2 * S4 * S8), C2 * S4 * C8, S2 * C4 * C8]
    results = set()
    for k in range(4):
        rotated = terms[k:] + terms[:k]
        results.add(condense(rotated[0] + rotated[1] + rotated[2] + rotated[3]))
    # C24*S8 + S24*C8 = sin(q2 + q4 + q8)
    assert {e.op for e in results} == {"sin"}
    for expr in results:
        assert at_point(expr, q) == pytest.approx(math.sin(0.37 - 1.21 - 0.58), rel=1e-14)


def test_squares_of_sine_and_cosine(q: dict[str, Expr]) -> None:
    x, y = q["q2"], q["q4"]
    C, S = cos(x), sin(x)
    assert condense(y * C * C + (x * S) * 0.0 + S * y * S) is y
    assert condense(2.6 * y * C * C + 2.6 * y * S * S) is 2.6 * y


def test_unequal_coefficients_stay(q: dict[str, Expr]) -> None:
    x, y = q["q2"], q["q4"]
    expr = 2.6 * (cos(x) * cos(y)) - 2.7 * (sin(x) * sin(y))
    condensed = condense(expr)
    assert count_operations([condensed])["sincos"] == 2
    expected = 2.6 * math.cos(0.37) * math.cos(-1.21) - 2.7 * math.sin(0.37) * math.sin(-1.21)
    assert at_point(condensed, q) == pytest.approx(expected, rel=1e-14)


def test_equal_terms_cancel_and_add_up(q: dict[str, Expr], graph: Graph) -> None:
    x, y, z = q["q2"], q["q4"], q["q5"]
    assert condense(x * y + z - y * x) is z
    assert condense(x * y + z * z + y * x) in (2.0 * (x * y) + z * z, z * z + (2.0 * x) * y)
    assert condense((x * y - z) + (z - x * y)) is graph.zero


def test_products_of_sums_are_not_expanded(q: dict[str, Expr]) -> None:
    x, y, z = q["q2"], q["q4"], q["q5"]
    expr = (x + y) * z - (x + y) * sin(z)
    assert count_operations([condense(expr)])["total"] <= count_operations([expr])["total"]


@pytest.mark.parametrize(
    "written",
    [
        lambda x, y, z, w: (x * y) * (x * y),
        lambda x, y, z, w: (z * w) * (x * y) + sin(x * y) * (z * w),
    ],
)
def test_what_no_identity_shortens_costs_no_more(q: dict[str, Expr], written: Any) -> None:
    expr = written(*(q[name] for name in ("q2", "q4", "q5", "q6")))
    assert count_operations([condense(expr)])["total"] <= count_operations([expr])["total"]


def long_sum(graph: Graph, pairs: int) -> Expr:
    """`pairs` times C_a*C_b*w - S_a*S_b*w with a w of its own."""
    a, b = graph.symbol("a"), graph.symbol("b")
    first, second = graph.zero, graph.zero
    for k in range(pairs):
        w = graph.symbol(f"w{k}")
        first = first + cos(a) * cos(b) * w
        second = second + sin(a) * sin(b) * w
    return first - second


def test_sums_of_64_terms_are_condensed(graph: Graph) -> None:
    condensed = condense(long_sum(graph, 32))
    counts = count_operations([condensed])
    # cos(a + b) times each of 32 symbols, 31 sums and one sum of angles
    assert (counts["mul"], counts["add"], counts["sincos"]) == (32, 32, 1)


def test_longer_sums_are_left_alone(graph: Graph) -> None:
    expr = long_sum(graph, 33)
    assert condense(expr) is expr


def test_very_long_sums_are_left_alone(graph: Graph) -> None:
    expr = long_sum(graph, 2500)
    assert condense(expr) is expr


# sums of products of few sines and cosines, where identities apply often
_term = st.tuples(
    st.sampled_from([1.0, -1.0, 2.6]),
    st.lists(st.tuples(st.sampled_from(["cos", "sin"]), st.integers(0, 2)), max_size=4),
)


@settings(max_examples=50)
@given(terms=st.lists(_term, min_size=1, max_size=8))
def test_condense_keeps_the_value(terms: list[tuple[float, list[tuple[str, int]]]]) -> None:
    keeps_the_value(terms)


@pytest.mark.long
@settings(max_examples=400)
@given(terms=st.lists(_term, min_size=1, max_size=8))
def test_condense_keeps_the_value_of_many(terms: list[tuple[float, list[tuple[str, int]]]]) -> None:
    keeps_the_value(terms)


def keeps_the_value(terms: list[tuple[float, list[tuple[str, int]]]]) -> None:
    graph = Graph()
    symbols, numbers = [graph.symbol(f"q{k}") for k in range(3)], (0.73, -1.31, 2.17)

    def total(F: Any, angles: Any, start: Any) -> Any:
        result = start
        for coefficient, trig in terms:
            product = start + coefficient
            for name, k in trig:
                product = product * getattr(F, name)(angles[k])
            result = result + product
        return result

    expr = total(functions, symbols, graph.zero)
    condensed = condense(expr)
    value = evaluate([condensed], dict(zip(symbols, numbers, strict=True)))[0]
    assert value == pytest.approx(total(math, numbers, 0.0), abs=1e-13)


@settings(max_examples=100)
@given(data=st.data())
def test_condense_keeps_the_value_of_any_expression(
    data: st.DataObject, recipes: Any, points: Any, agree: Callable[..., None]
) -> None:
    recipe, point = data.draw(recipes), data.draw(points)
    bounds = recipe.bounds(point)
    leaves, results = recipe.expressions(Graph())
    condensed = [condense(e) for e in results[-3:]]
    agree(evaluate(condensed, dict(zip(leaves, point, strict=True))), bounds[-3:])
