"""Interpreter, Python, C (strict, native, lanes), tapes and Octave give the same results."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inloop.codegen.parts import split
from inloop.symbolic import Expr, Graph, Input, Output, Program, evaluate, gradient
from inloop.symbolic import functions as f
from inloop.symbolic.listing import layout
from inloop.symbolic.operations import OPERATIONS

ROWS = 7  # not a multiple of the number of lanes
XS, YS = (-1.1, -0.4, 0.3, 0.9, 1.7), (0.7, -1.3, 0.2, 2.1, 1.4)
XS_ACROSS = (-0.8, 0.1, 0.9)
ZS = [[math.sin(3.0 * x + y) + x * y for y in XS_ACROSS] for x in XS]

FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "neg": lambda a: -a,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "sin": f.sin,
    "cos": f.cos,
    "tan": f.tan,
    "asin": lambda a: f.asin(f.sin(3.0 * a) * 0.9),
    "acos": lambda a: f.acos(f.sin(3.0 * a) * 0.9),
    "atan": f.atan,
    "atan2": f.atan2,
    "sqrt": lambda a: f.sqrt(a * a + 0.3),
    "exp": f.exp,
    "log": lambda a: f.log(a * a + 0.3),
    "tanh": f.tanh,
    "pow": lambda a, b: (a * a + 0.3) ** b,
    "abs": f.absolute,
    "sign": f.sign,
    "min": f.minimum,
    "max": f.maximum,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "where": lambda a, b, c: f.where(a < 0.1, b, c),
}


def symbols(graph: Graph, block: str, count: int) -> Input:
    return Input(block, tuple(graph.symbol(f"{block}.x{k + 1}") for k in range(count)))


def rows(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.uniform(-2.3, 2.3, (ROWS, count))


# every operation


def every_operation() -> Program:
    """One entry for each operation on inputs, one on intermediates, and tables."""
    graph = Graph()
    q, pre = symbols(graph, "q", 3), symbols(graph, "pre", 2)
    a, b, c = q.symbols
    k, m = pre.symbols
    entries: list[Expr] = []
    for op, function in FUNCTIONS.items():
        count = {"where": 3}.get(op, 2 if op in TWO_ARGUMENTS else 1)
        entries.append(function(*(a, b, c)[:count]))
        entries.append(function(*(a * k + b, c - m * b, a * b)[:count]))
        if count > 1:
            entries.append(function(*(0.5, c, -1.5)[:count]))
            entries.append(function(*(k, -0.25, m)[:count]))
    for kind in ("linear", "cubic"):
        looked_up = f.table(a * k, XS, YS, kind)
        entries += [looked_up, f.table(b, XS, YS, kind), looked_up * f.table(c, XS, YS, kind)]
    entries.append(f.table(graph.constant(0.55), XS, YS, "cubic") * a)
    for kind in ("linear", "cubic"):
        looked_up = f.table2(a * k, b, XS, XS_ACROSS, ZS, kind)
        entries += [looked_up, f.table2(c, 0.3, XS, XS_ACROSS, ZS)]
        # derivatives of all orders, mixed ones too, until nothing is left
        along, across = gradient(looked_up, [a, b])
        entries += [along, across]
        for _ in range(3):
            along, mixed = gradient(along, [a, b])
            across = gradient(across, [b])[0]
            entries += [along, mixed, across]
    entries += [(a < b) & (b < c), (a < b) | (b < c), ~(a <= b)]
    # a sum that is an angle, and has a name because others use it
    angle = a + 1.5
    entries += [f.cos(angle), f.minimum(angle, b), f.atan2(angle, c)]
    return Program("operations", (pre, q), (Output.vector("y", entries),))


TWO_ARGUMENTS = ("add", "sub", "mul", "div", "atan2", "pow", "min", "max", "lt", "le")


def every_operation_case() -> tuple[Program, dict[str, np.ndarray]]:
    rng = np.random.default_rng(1)
    inputs = {"q": rows(rng, 3), "pre": np.array([0.83, -1.21])}
    # ends and breaks of the tables, ties of the comparisons
    inputs["q"][0] = (-1.1, -1.1, 1.7)
    inputs["q"][1] = (0.3, 0.9, 0.9)
    inputs["q"][2] = (-0.4, -5.0, 5.0)
    return every_operation(), inputs


def test_every_operation_is_here() -> None:
    assert FUNCTIONS.keys() == OPERATIONS.keys()


def test_python_has_every_operation(interpreter, python_text) -> None:
    case = every_operation_case()
    [got], [want] = python_text([case]), interpreter([case])
    np.testing.assert_array_equal(got["y"], want["y"])


@pytest.mark.thinned(2)
def test_c_has_every_operation(interpreter, compiled) -> None:
    case = every_operation_case()
    [got], [want] = compiled([case]), interpreter([case])
    np.testing.assert_allclose(got["y"], want["y"], rtol=1e-12, atol=1e-15)


# random programs

Choose = Callable[[int], int]
SAFE: list[tuple[int, Callable[..., Expr]]] = [
    (2, lambda a, b: a + b),
    (2, lambda a, b: a - b),
    (2, lambda a, b: a * b),
    (2, lambda a, b: a * b),
    (2, lambda a, b: a / (b * b + 0.7)),
    (1, lambda a: -a),
    (1, f.sin),
    (1, f.cos),
    (2, lambda a, b: f.sin(a + b)),
    (1, f.tanh),
    (1, f.absolute),
    (1, lambda a: f.sqrt(a * a + 0.4)),
    (1, lambda a: f.exp(-(a * a))),
    (1, lambda a: f.log(a * a + 0.6)),
    (2, lambda a, b: f.atan2(a, b * b + 0.5)),
    (2, f.minimum),
    (2, f.maximum),
    (1, lambda a: f.table(a, XS, YS, "cubic")),
    (1, lambda a: f.table(a, XS, YS, "linear")),
    (2, lambda a, b: f.table2(a, b, XS, XS_ACROSS, ZS, "cubic")),
]
LARGEST = 30.0  # larger intermediates are left out: they would only spread rounding


def random_program(choose: Choose, name: str) -> tuple[Program, dict[str, np.ndarray]]:
    """A random graph with moderate values, and inputs for it."""
    graph = Graph()
    pre, q, qd = symbols(graph, "pre", 2), symbols(graph, "q", 3), symbols(graph, "qd", 2)
    rng = np.random.default_rng(choose(1000))
    inputs = {"pre": rng.uniform(-2, 2, 2), "q": rows(rng, 3), "qd": rows(rng, 2)}
    values = {s: inputs[b.name][..., k] for b in (pre, q, qd) for k, s in enumerate(b.symbols)}
    pool: list[Expr] = [*values, graph.constant(-1.5), graph.constant(0.3)]
    for step in range(5 + choose(50)):
        graph.section = f"body {step // 10 + 1}"
        count, function = SAFE[choose(len(SAFE))]
        node = function(*(pool[choose(len(pool))] for _ in range(count)))
        if choose(5) == 0:
            a, b = q.symbols[choose(3)], qd.symbols[choose(2)]
            node = f.where(a < b, node, pool[choose(len(pool))])
        if np.max(np.abs(evaluate([node], values)[0])) < LARGEST:
            pool.append(graph.label(node, f"v_{step}") if choose(4) == 0 else node)
    vector = [pool[choose(len(pool))] for _ in range(1 + choose(5))]
    matrix = [pool[-1 - choose(min(9, len(pool)))] for _ in range(6)]
    outputs = (Output.vector("y", vector), Output("M", tuple(matrix), (2, 3)))
    return Program(name, (pre, q, qd), outputs, "A random program.", "none"), inputs


def draws(data: st.DataObject) -> Choose:
    return lambda n: data.draw(st.integers(0, n - 1))


def seeded(seed: int) -> Choose:
    rng = np.random.default_rng(seed)
    return lambda n: int(rng.integers(n))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(data=st.data())
def test_random_programs_in_python(interpreter, python_text, data: st.DataObject) -> None:
    same_in_python(random_program(draws(data), "random"), interpreter, python_text)


@pytest.mark.long
def test_many_random_programs_in_python(interpreter, python_text) -> None:
    for k in range(200):
        same_in_python(random_program(seeded(k), "random"), interpreter, python_text)


def same_in_python(case, interpreter, python_text) -> None:
    [got], [want] = python_text([case]), interpreter([case])
    # to the last bit: the text keeps the order of evaluation
    for name in want:
        np.testing.assert_array_equal(got[name], want[name])


@pytest.mark.thinned(2)
@settings(max_examples=5, deadline=None, derandomize=True)
@given(data=st.data())
def test_random_programs_in_c(interpreter, compiled, agree, data: st.DataObject) -> None:
    cases = [random_program(draws(data), f"random_{k}") for k in range(2)]
    agree(compiled(cases), interpreter(cases))


@pytest.mark.long
def test_many_random_programs_in_c(interpreter, compiled, agree) -> None:
    cases = [random_program(seeded(k), f"random_{k}") for k in range(25)]
    agree(compiled(cases), interpreter(cases))


# long programs


def long_program(steps: int, name: str = "long") -> tuple[Program, dict[str, np.ndarray]]:
    """A recursion along a chain, as formalisms produce it: sines, sections, results on the way."""
    graph = Graph()
    n = steps // 25
    pre, q, qd = symbols(graph, "pre", 3), symbols(graph, "q", n), symbols(graph, "qd", n)
    x, y, z = pre.symbols
    found: list[Expr] = []
    for k in range(steps):
        graph.section = f"body {k % n + 1}"
        angle, speed = q.symbols[k % n], qd.symbols[(3 * k + 1) % n]
        s, c = f.sin(angle), f.cos(angle)
        x, y = graph.label(c * x - s * y, f"x_{k}"), s * x + c * y
        z = f.tanh(graph.label(0.6 * z + speed * x * 0.3, f"z_{k}"))
        found += [x + z] if k % 7 == 0 else []
    outputs = (Output.vector("y", found), Output.vector("last", [x, y, z, f.sin(q.symbols[0])]))
    rng = np.random.default_rng(steps)
    inputs = {"pre": np.array([0.7, -0.4, 0.2]), "q": rows(rng, n), "qd": rows(rng, n)}
    return Program(name, (pre, q, qd), outputs), inputs


def wide_program() -> tuple[Program, dict[str, np.ndarray]]:
    """Results that share nothing: no value crosses from one part to the next."""
    graph = Graph()
    q = symbols(graph, "q", 3)
    a, b, c = q.symbols
    entries = [(a * (k + 0.5) + b) * (c - k * 1.5) for k in range(1500)]
    inputs = {"q": rows(np.random.default_rng(5), 3)}
    return Program("wide", (q,), (Output.vector("y", entries),)), inputs


@pytest.mark.thinned(2)
@pytest.mark.parametrize("make", [lambda: long_program(300), wide_program])
def test_long_programs(interpreter, python_text, compiled, agree, make) -> None:
    case = make()
    assert case[0].operations()["total"] > 3000
    assert len(split(layout(case[0]))) > 2
    want = interpreter([case])
    agree(python_text([case]), want)
    agree(compiled([case]), want)


# tapes: operation by operation as compiled code

SPECIAL = (0.0, -0.0, 1.0, -2.7, 1e-310, 1e300, -1e300, 2e5, np.inf, -np.inf, np.nan)


def same_bits(found: np.ndarray, wanted: np.ndarray) -> None:
    """0 is not -0; which bits a NaN has is nobody's business."""
    np.testing.assert_array_equal(found, wanted)
    number = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(wanted[number]))


@pytest.mark.long
def test_tapes_give_the_bits_of_compiled_code(to_the_bit) -> None:
    cases = [random_program(seeded(k), f"random_{k}") for k in range(100, 108)]
    cases += [every_operation_case(), long_program(600), wide_program()]
    compiled_c, tape = to_the_bit
    for got, want in zip(tape(cases), compiled_c(cases), strict=True):
        assert got.keys() == want.keys()
        for name in want:
            same_bits(got[name], want[name])


def test_tapes_treat_special_numbers_as_compiled_code(to_the_bit) -> None:
    program, inputs = every_operation_case()
    grid = np.array(np.meshgrid(SPECIAL, SPECIAL, SPECIAL)).reshape(3, -1).T
    compiled_c, tape = to_the_bit
    case = (program, {**inputs, "q": grid})
    [got], [want] = tape([case]), compiled_c([case])
    assert np.isnan(want["y"]).any() and np.isfinite(want["y"]).any()
    same_bits(got["y"], want["y"])


# Octave: everything in one process


def test_octave(interpreter, octave, agree) -> None:
    cases = [every_operation_case(), long_program(600), wide_program()]
    cases += [random_program(seeded(k), f"random_{k}") for k in range(40)]
    agree(octave(cases), interpreter(cases))
