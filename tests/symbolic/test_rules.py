"""Every rewrite rule of the expression graph, each by itself."""

from __future__ import annotations

import math
from itertools import product

import pytest

from inloop.errors import ExpressionError
from inloop.symbolic import Expr, Graph, count_operations, evaluate
from inloop.symbolic.functions import absolute, cos, maximum, minimum, sin, where

Symbols = tuple[Expr, Expr, Expr]
X, Y, Z = 0.73, -1.31, 2.17


def value(expr: Expr, symbols: Symbols) -> float:
    """Value at a general point."""
    return float(evaluate([expr], dict(zip(symbols, (X, Y, Z), strict=True)))[0])


# numbers, zeros and ones


def test_numbers_are_folded(graph: Graph) -> None:
    a, b = graph.constant(2.6), graph.constant(-0.37)
    assert (a + b).value == 2.6 + -0.37
    assert (a - b).value == 2.6 - -0.37
    assert (a * b).value == 2.6 * -0.37
    assert (a / b).value == 2.6 / -0.37
    assert (-a).value == -2.6
    assert sin(a).value == math.sin(2.6)
    assert (a**1.3).value == math.pow(2.6, 1.3)


def test_numbers_are_collected_across_a_node(graph: Graph, moving: Symbols) -> None:
    x = moving[0]
    assert 2.6 + (x + 0.3) is x + (2.6 + 0.3)
    assert 2.5 * (3.0 * x) is 7.5 * x
    assert (x / 0.4) * 3.0 is 7.5 * x


def test_zeros_vanish(graph: Graph, moving: Symbols) -> None:
    x = moving[0]
    assert x + 0.0 is x
    assert 0.0 + x is x
    assert x - 0.0 is x
    assert 0.0 - x is -x
    assert 0.0 * x is graph.zero
    assert x * 0.0 is graph.zero
    assert 0.0 / x is graph.zero
    assert x**0 is graph.one


def test_minus_zero_is_zero(graph: Graph, moving: Symbols) -> None:
    assert graph.constant(-0.0) is graph.zero
    assert -graph.zero is graph.zero
    assert math.copysign(1.0, graph.constant(-0.0).value) == 1.0
    assert -0.0 * moving[0] is graph.zero


def test_ones_vanish(graph: Graph, moving: Symbols) -> None:
    x = moving[0]
    assert 1.0 * x is x
    assert x * 1.0 is x
    assert x / 1.0 is x
    assert x / x is graph.one
    assert x**1 is x
    assert x * -1.0 is -x
    assert x / -1.0 is -x


def test_division_by_zero_is_refused(graph: Graph, moving: Symbols) -> None:
    with pytest.raises(ExpressionError, match="division by zero"):
        moving[0] / 0.0
    with pytest.raises(ExpressionError, match="division by zero"):
        graph.zero**-2


def test_division_by_a_number_is_a_product(graph: Graph, moving: Symbols) -> None:
    x = moving[0]
    assert x / 0.4 is 2.5 * x
    assert x / -0.4 is -(2.5 * x)


@pytest.mark.parametrize("exponent", range(-8, 9))
def test_small_whole_powers_are_products(graph: Graph, moving: Symbols, exponent: int) -> None:
    power = moving[0] ** exponent
    counts = count_operations([power])
    assert counts["function"] == 0
    assert counts["mul"] <= 4  # where: squaring, not multiplying one by one
    assert value(power, moving) == pytest.approx(X**exponent, rel=1e-14)


def test_other_powers(graph: Graph, moving: Symbols) -> None:
    x = moving[0]
    assert (x**9).op == "pow"
    assert (x**1.5).op == "pow"
    assert x**0.5 is graph.call("sqrt", x)
    assert value(2.6**x, moving) == pytest.approx(2.6**X, rel=1e-15)


# signs


def test_two_signs_vanish(graph: Graph, moving: Symbols) -> None:
    x, y, _ = moving
    for expr in (x, x * y, x + y):
        negative = -expr
        assert negative.op == "neg"
        assert -negative is expr
        assert +expr is expr


def test_signs_are_pulled_out_of_products(graph: Graph, moving: Symbols) -> None:
    x, y, _ = moving
    assert (-x) * y is -(x * y)
    assert x * (-y) is -(x * y)
    assert (-x) * (-y) is x * y
    assert -2.6 * x is -(2.6 * x)
    assert x * -2.6 is -(2.6 * x)
    assert -2.6 * (-x) is 2.6 * x


def test_signs_are_pulled_out_of_quotients(graph: Graph, moving: Symbols) -> None:
    x, y, _ = moving
    assert (-x) / y is -(x / y)
    assert x / (-y) is -(x / y)
    assert (-x) / (-y) is x / y


def test_sign_of_a_number_is_pulled_out_of_a_quotient(graph: Graph, moving: Symbols) -> None:
    assert -2.6 / moving[0] is -(2.6 / moving[0])


def test_signs_are_absorbed_by_sums(graph: Graph, moving: Symbols) -> None:
    x, y, _ = moving
    assert x + (-y) is x - y
    assert (-x) + y is y - x
    assert x - (-y) is x + y
    assert (-x) - y is -(x + y)
    assert (-x) + (-y) is -(x + y)
    assert (-x) - (-y) is y - x


def test_sign_inside_functions(graph: Graph, moving: Symbols) -> None:
    x = moving[0]
    assert absolute(-x) is absolute(x)
    assert absolute(absolute(x)) is absolute(x)
    assert sin(-x) is -sin(x)
    assert cos(-x) is cos(x)


# operand order


def test_operands_are_ordered(graph: Graph, moving: Symbols) -> None:
    x, y, _ = moving
    assert x + y is y + x
    assert x * y is y * x
    assert minimum(x, y) is minimum(y, x)
    assert maximum(x, y) is maximum(y, x)
    assert x + 2.6 is 2.6 + x
    assert x * 2.6 is 2.6 * x


def test_other_operands_keep_their_order(graph: Graph, moving: Symbols) -> None:
    x, y, _ = moving
    assert x / y is not y / x
    assert (x < y) is not (y < x)
    assert (x > y) is (y < x)
    assert (x >= y) is (y <= x)
    assert graph.call("atan2", x, y) is not graph.call("atan2", y, x)
    assert graph.call("pow", x, y) is not graph.call("pow", y, x)


def test_one_node_serves_both_differences(graph: Graph, moving: Symbols) -> None:
    x, y, _ = moving
    forth, back = x - y, y - x
    assert back is -forth
    assert count_operations([forth, back * 2.6])["add"] == 2  # one difference, one sign
    assert value(back, moving) == Y - X


def test_one_node_serves_both_differences_in_the_other_order(moving: Symbols) -> None:
    x, y, _ = moving
    back, forth = y - x, x - y
    assert forth is -back
    assert value(forth, moving) == X - Y


def test_difference_from_a_number(moving: Symbols) -> None:
    x = moving[0]
    assert value(x - 2.6, moving) == X - 2.6
    assert value(2.6 - x, moving) == 2.6 - X


# cancellation


def test_equal_terms_cancel(graph: Graph, moving: Symbols) -> None:
    x = moving[0]
    assert x - x is graph.zero
    assert x + (-x) is graph.zero
    assert (-x) + x is graph.zero
    assert x + x is 2.0 * x


CANCELLATIONS = {
    "a + (b - a)": (lambda a, b: a + (b - a), lambda a, b: b),
    "(b - a) + a": (lambda a, b: (b - a) + a, lambda a, b: b),
    "(a + b) - a": (lambda a, b: (a + b) - a, lambda a, b: b),
    "(b + a) - a": (lambda a, b: (b + a) - a, lambda a, b: b),
    "(a - b) - a": (lambda a, b: (a - b) - a, lambda a, b: -b),
    "a - (a + b)": (lambda a, b: a - (a + b), lambda a, b: -b),
    "a - (b + a)": (lambda a, b: a - (b + a), lambda a, b: -b),
    "a - (a - b)": (lambda a, b: a - (a - b), lambda a, b: b),
    "-a + (a + b)": (lambda a, b: -a + (a + b), lambda a, b: b),
    "(a + b) + -a": (lambda a, b: (a + b) + -a, lambda a, b: b),
    "a + (-a - b)": (lambda a, b: a + (-a - b), lambda a, b: -b),
    "(-a - b) + a": (lambda a, b: (-a - b) + a, lambda a, b: -b),
    "-a - (b - a)": (lambda a, b: -a - (b - a), lambda a, b: -b),
    "-a + (a - b)": (lambda a, b: -a + (a - b), lambda a, b: -b),
    "(a - b) + (b - a)": (lambda a, b: (a - b) + (b - a), lambda a, b: 0.0 * a),
    "(a + b) - (b + a)": (lambda a, b: (a + b) - (b + a), lambda a, b: 0.0 * a),
}


@pytest.mark.parametrize("form", CANCELLATIONS)
def test_terms_cancel_one_level_down(moving: Symbols, form: str) -> None:
    x, y, z = moving
    written, expected = CANCELLATIONS[form]
    assert written(x, y) is expected(x, y)
    assert written(y, x) is expected(y, x)
    # where: also with operands that are nodes, not leaves, and with one number
    assert written(x * y, z) is expected(x * y, z)
    assert written(z, sin(x)) is expected(z, sin(x))


@pytest.mark.parametrize("form", CANCELLATIONS)
def test_terms_cancel_with_parameters(moving: Symbols, static: Symbols, form: str) -> None:
    written, expected = CANCELLATIONS[form]
    x, p = moving[0], static[0]
    assert written(x, p) is expected(x, p)
    assert written(p, x) is expected(p, x)


# what depends on parameters only


def test_static_is_inherited(moving: Symbols, static: Symbols) -> None:
    x, (p, r, _) = moving[0], static
    assert (p * r + 2.6).static
    assert sin(p).static
    assert not (p * x).static
    assert not where(p < r, p, x).static


def test_static_factors_meet(moving: Symbols, static: Symbols) -> None:
    x, (p, r, s) = moving[0], static
    for expr in (p * (r * x), (x * p) * r, r * (x * p), (p * x) * r):
        assert expr is (p * r) * x
        assert {a for a in expr.args if a.static} == {p * r}
    assert s * (r * (p * x)) is (s * (r * p)) * x
    assert 2.6 * (p * x) is (2.6 * p) * x


def test_division_by_a_parameter_is_a_static_reciprocal(moving: Symbols, static: Symbols) -> None:
    x, (p, r, _) = moving[0], static
    quotient = (r * x) / p
    assert quotient is (r * (1.0 / p)) * x
    assert count_operations([quotient])["div"] == 1
    assert (r / p).op == "div"


STATIC_SUMS = {
    "p + (r + x)": (lambda p, r, x: p + (r + x), lambda p, r, x: x + (p + r)),
    "(x + r) + p": (lambda p, r, x: (x + r) + p, lambda p, r, x: x + (r + p)),
    "p + (r - x)": (lambda p, r, x: p + (r - x), lambda p, r, x: (p + r) - x),
    "p + (x - r)": (lambda p, r, x: p + (x - r), lambda p, r, x: x + (p - r)),
    "(x - r) + p": (lambda p, r, x: (x - r) + p, lambda p, r, x: x + (p - r)),
    "(r + x) - p": (lambda p, r, x: (r + x) - p, lambda p, r, x: x + (r - p)),
    "(x + r) - p": (lambda p, r, x: (x + r) - p, lambda p, r, x: x + (r - p)),
    "(r - x) - p": (lambda p, r, x: (r - x) - p, lambda p, r, x: (r - p) - x),
    "(x - r) - p": (lambda p, r, x: (x - r) - p, lambda p, r, x: x - (r + p)),
    "p - (r + x)": (lambda p, r, x: p - (r + x), lambda p, r, x: (p - r) - x),
    "p - (r - x)": (lambda p, r, x: p - (r - x), lambda p, r, x: (p - r) + x),
    "p - (x - r)": (lambda p, r, x: p - (x - r), lambda p, r, x: (p + r) - x),
}


def older_and_younger(moving: Symbols, static: Symbols) -> list[Expr]:
    """Moving operands on either side of the parameters in the order of creation."""
    older, younger = moving[0], moving[0] * moving[1]
    assert older.id < min(p.id for p in static) < max(p.id for p in static) < younger.id
    return [older, younger]


@pytest.mark.parametrize("form", STATIC_SUMS)
def test_values_of_sums_with_static_terms(moving: Symbols, static: Symbols, form: str) -> None:
    written, _ = STATIC_SUMS[form]
    p, r, _ = static
    point = {moving[0]: X, moving[1]: Y, p: 0.59, r: -1.83}
    for x, x0 in zip(older_and_younger(moving, static), (X, X * Y), strict=True):
        expected = written(0.59, -1.83, x0)
        assert evaluate([written(p, r, x)], point)[0] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("form", STATIC_SUMS)
def test_static_terms_meet(moving: Symbols, static: Symbols, form: str) -> None:
    written, expected = STATIC_SUMS[form]
    p, r, _ = static
    for x in older_and_younger(moving, static):
        expr = written(p, r, x)
        # one operation with the moving quantity, everything else can be hoisted
        assert {a.static for a in expr.args} == {True, False}
        assert expr is expected(p, r, x)


# angles


@pytest.mark.parametrize("turns", range(-9, 10))
@pytest.mark.parametrize("leading", [True, False])
def test_quarter_turns(moving: Symbols, turns: int, leading: bool) -> None:
    x = moving[0]
    shift = turns * math.pi / 2
    angle = shift + x if leading else x - (-shift)
    S, C = sin(x), cos(x)
    assert sin(angle) is (S, C, -S, -C)[turns % 4]
    assert cos(angle) is (C, -S, -C, S)[turns % 4]
    # where: the reference does not know the rule
    assert value(sin(angle), moving) == pytest.approx(math.sin(X + shift), abs=1e-14)
    assert value(cos(angle), moving) == pytest.approx(math.cos(X + shift), abs=1e-14)


@pytest.mark.parametrize("turns", range(-9, 10))
def test_quarter_turns_of_negated_angles(moving: Symbols, turns: int) -> None:
    x = moving[0]
    shift = turns * math.pi / 2
    angle = -(x + shift)
    assert count_operations([sin(angle), cos(angle)])["sincos"] == 1
    assert sin(angle).args[-1] in (x, sin(x), cos(x))
    assert value(sin(angle), moving) == pytest.approx(math.sin(-X - shift), abs=1e-14)
    assert value(cos(angle), moving) == pytest.approx(math.cos(-X - shift), abs=1e-14)


@pytest.mark.parametrize("turns", [-3, -2, -1, 1, 2, 3])
def test_values_of_quarter_turns_minus_an_angle(moving: Symbols, turns: int) -> None:
    x = moving[0]
    shift = turns * math.pi / 2
    assert value(sin(shift - x), moving) == pytest.approx(math.sin(shift - X), abs=1e-15)
    assert value(cos(shift - x), moving) == pytest.approx(math.cos(shift - X), abs=1e-15)


@pytest.mark.parametrize("turns", [-3, -2, -1, 1, 2, 3])
def test_quarter_turns_minus_an_angle(moving: Symbols, turns: int) -> None:
    x = moving[0]
    shift = turns * math.pi / 2
    S, C = sin(x), cos(x)
    assert sin(shift - x) in (S, C, -S, -C)
    assert cos(shift - x) in (S, C, -S, -C)


@pytest.mark.parametrize("turns", range(-9, 10))
def test_quarter_turns_of_numbers_are_exact(graph: Graph, turns: int) -> None:
    angle = graph.constant(turns * math.pi / 2)
    assert sin(angle).value == (0.0, 1.0, 0.0, -1.0)[turns % 4]
    assert cos(angle).value == (1.0, 0.0, -1.0, 0.0)[turns % 4]


@pytest.mark.parametrize("shift", [0.3, 1.5707, math.pi / 3, math.pi / 2 + 1e-12])
def test_other_shifts_stay(moving: Symbols, shift: float) -> None:
    x = moving[0]
    assert sin(x + shift).args == (x + shift,)
    assert cos(x + shift).args == (x + shift,)


@pytest.mark.parametrize("angle", [1e3, -12345.678, 1e9, 1e14, 1e15, 1e22])
def test_large_numbers_as_angles(graph: Graph, angle: float) -> None:
    assert sin(graph.constant(angle)).value == pytest.approx(math.sin(angle), abs=1e-15)
    assert cos(graph.constant(angle)).value == pytest.approx(math.cos(angle), abs=1e-15)


SUMS_OF_ANGLES = {
    "C1*C2 - S1*S2": lambda C1, S1, C2, S2: C1 * C2 - S1 * S2,
    "S1*S2 - C1*C2": lambda C1, S1, C2, S2: S1 * S2 - C1 * C2,
    "C1*C2 + S1*S2": lambda C1, S1, C2, S2: C1 * C2 + S1 * S2,
    "S1*S2 + C1*C2": lambda C1, S1, C2, S2: S1 * S2 + C1 * C2,
    "S1*C2 + C1*S2": lambda C1, S1, C2, S2: S1 * C2 + C1 * S2,
    "C1*S2 + S1*C2": lambda C1, S1, C2, S2: C1 * S2 + S1 * C2,
    "S1*C2 - C1*S2": lambda C1, S1, C2, S2: S1 * C2 - C1 * S2,
    "C1*S2 - S1*C2": lambda C1, S1, C2, S2: C1 * S2 - S1 * C2,
}


@pytest.mark.parametrize("form", SUMS_OF_ANGLES)
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("signs", list(product([1.0, -1.0], repeat=2)))
def test_sums_of_angles(
    moving: Symbols, form: str, swapped: bool, signs: tuple[float, float]
) -> None:
    written = SUMS_OF_ANGLES[form]
    u, v = (moving[1], moving[0]) if swapped else (moving[0], moving[1])
    u0, v0 = (Y, X) if swapped else (X, Y)
    e, f = signs
    expr = written(cos(e * u), sin(e * u), cos(f * v), sin(f * v))
    expected = written(math.cos(e * u0), math.sin(e * u0), math.cos(f * v0), math.sin(f * v0))
    assert value(expr, moving) == pytest.approx(expected, abs=1e-15)
    counts = count_operations([expr])
    assert (counts["mul"], counts["sincos"]) == (0, 1)
    assert counts["add"] <= 2  # the angle and at most one sign


def test_sums_of_angles_see_through_the_order_of_creation(moving: Symbols) -> None:
    x, y, _ = moving
    S2, C1, S1, C2 = sin(y), cos(x), sin(x), cos(y)
    assert C2 * C1 - S2 * S1 is cos(x + y)
    assert S2 * C1 + S1 * C2 is sin(y + x)


def test_angles_of_a_chain_stay_one_angle(moving: Symbols) -> None:
    x, y, z = moving
    C12, S12 = cos(x) * cos(y) - sin(x) * sin(y), sin(x) * cos(y) + cos(x) * sin(y)
    C123 = C12 * cos(z) - S12 * sin(z)
    assert C123 is cos(x + y + z)
    # and back: the second angle cancels
    assert C12 * cos(y) + S12 * sin(y) is cos(x)
    assert S12 * cos(y) - C12 * sin(y) is sin(x)


@pytest.mark.parametrize(
    "written",
    [
        lambda C1, S1, C2, S2, C3, S3: C1 * C2 - S1 * S3,
        lambda C1, S1, C2, S2, C3, S3: C1 * C2 - C1 * S2,
        lambda C1, S1, C2, S2, C3, S3: C1 * S2 + C1 * S3,
        lambda C1, S1, C2, S2, C3, S3: S1 * C2 + C1 * S3,
        lambda C1, S1, C2, S2, C3, S3: C1 * C1 + S2 * S2,
        lambda C1, S1, C2, S2, C3, S3: C1 * S1 + C2 * S2,
        lambda C1, S1, C2, S2, C3, S3: C1 * C1 - S1 * S2,
        lambda C1, S1, C2, S2, C3, S3: C1 * C2 + S1 * C2,
    ],
)
def test_what_is_no_sum_of_angles_stays(moving: Symbols, written: object) -> None:
    trig = [f(s) for s in moving for f in (cos, sin)]
    numbers = [f(v) for v in (X, Y, Z) for f in (math.cos, math.sin)]
    expr = written(*trig)
    counts = count_operations([expr])
    assert (counts["mul"], counts["add"]) == (2, 1)
    assert value(expr, moving) == pytest.approx(written(*numbers), rel=1e-14)


def test_pythagoras(graph: Graph, moving: Symbols) -> None:
    x, y, _ = moving
    for angle in (x, x + y, x * y):
        C, S = cos(angle), sin(angle)
        assert C * C + S * S is graph.one
        assert S * S + C * C is graph.one
        assert C**2 + S**2 is graph.one


def test_double_angles(moving: Symbols) -> None:
    x = moving[0]
    C, S = cos(x), sin(x)
    assert C * C - S * S is cos(2.0 * x)
    assert S * S - C * C is -cos(2.0 * x)
    assert value(C * S + S * C, moving) == pytest.approx(math.sin(2 * X), abs=1e-15)


# selection


def test_where_with_one_answer(graph: Graph, moving: Symbols) -> None:
    x, y, _ = moving
    assert where(x < y, x, x) is x
    assert where(graph.constant(0.4), x, y) is x
    assert where(graph.zero, x, y) is y
    assert where(True, x, y) is x
    assert minimum(x, x) is x
    assert maximum(y, y) is y


# nothing is expanded


def test_products_of_sums_stay(moving: Symbols, static: Symbols) -> None:
    x, y, z = moving
    p = static[0]
    for a, b in ((x, y + z), (x + y, x + z), (p, x + y), (x - y, x + y), (p + x, p + y)):
        expr = a * b
        assert expr.op == "mul"
        assert set(expr.args) == {a, b}
    square = (x + y) ** 2
    assert square.args == (x + y, x + y)
    assert (2.6 * (x + y)).args[1] is x + y
    assert (-(x + y)).args == (x + y,)
    assert ((x + y) / z).args == (x + y, z)
    assert count_operations([(x + y) * (x + z) * (y + z)])["mul"] == 2


def test_functions_of_sums_stay(moving: Symbols) -> None:
    x, y, _ = moving
    assert sin(x + y).args == (x + y,)
    assert cos(x - y).args == (x - y,)
    assert count_operations([sin(x + y), cos(x + y)])["total"] == 2
    assert graph_call_keeps("exp", x + y)
    assert graph_call_keeps("log", x * y)
    assert graph_call_keeps("tan", x + y)


def graph_call_keeps(op: str, arg: Expr) -> bool:
    node = arg.graph.call(op, arg)
    return node.op == op and node.args == (arg,)
