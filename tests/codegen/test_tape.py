"""Tapes: few registers, results that stay, tables of any length."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from inloop.codegen.tape import CODES, Tape, emit_tape
from inloop.native import LoadedTape, runtime_headers
from inloop.symbolic import Expr, Graph, Input, Output, Program
from inloop.symbolic import functions as f


def of(*exprs: Expr, inputs: int = 1) -> Program:
    """A program of the first symbols of a graph."""
    graph = exprs[0].graph
    block = Input("q", tuple(graph.symbol(f"q{k}") for k in range(inputs)))
    return Program("small", (block,), (Output.vector("y", exprs),))


def load(tape: Tape) -> LoadedTape:
    return LoadedTape(tape.instructions, tape.registers, tape.results, tape.tables, tape.inputs)


def test_the_header_lists_the_same_operations() -> None:
    text = re.search(r"enum il_operation \{(.*?)\};", runtime_headers()["il_tape.h"], re.DOTALL)
    assert text is not None
    listed = re.findall(r"IL_TAPE_(\w+)", text[1])
    assert [name.lower() for name in listed] == list(CODES)


def test_registers_are_used_again() -> None:
    """x → 0.9 x + 0.1 over and over: one number is alive at a time."""
    graph = Graph()
    x = graph.symbol("q0")
    for _ in range(1000):
        x = 0.9 * f.tanh(x) + 0.1
    tape = emit_tape(of(x))
    assert len(tape.instructions) == 3000
    assert len(tape.registers) == 1 + 2 + 1  # input, constants, the number


def test_results_stay_while_others_are_computed() -> None:
    """Every result, also an input, a constant and one that another result is made of."""
    graph = Graph()
    a, b = graph.symbol("q0"), graph.symbol("q1")
    total = a + b
    exprs = (a, total, graph.constant(2.5), total * total, total, f.sin(b), f.cos(b), b)
    [row] = load(emit_tape(of(*exprs, inputs=2))).evaluate(np.array([[0.5, 1.25]]))
    s, c = math.sin(1.25), math.cos(1.25)
    assert row.tolist() == pytest.approx([0.5, 1.75, 2.5, 3.0625, 1.75, s, c, 1.25], rel=4e-16)


def test_sine_and_cosine_of_an_angle_are_one_instruction() -> None:
    graph = Graph()
    angle = 3.0 * graph.symbol("q0")
    tape = emit_tape(of(f.cos(angle) * f.sin(angle), f.cos(2.0 * angle)))
    codes = tape.instructions[:, 0].tolist()
    assert codes.count(CODES["sincos"]) == 1 and codes.count(CODES["cos"]) == 1


def test_the_same_inputs_again_give_the_same_results() -> None:
    graph = Graph()
    t = graph.symbol("q0")
    loaded = load(emit_tape(of(f.atan2(t, -1.0), t * t)))
    times = np.array([0.0, 0.0, -0.0, 0.5, 0.5, 0.0, math.nan, math.nan, 0.5])[:, None]
    found = loaded.evaluate(times)
    np.testing.assert_allclose(found[:, 0], np.arctan2(times[:, 0], -1.0), rtol=1e-15)
    np.testing.assert_array_equal(found[:, 1], times[:, 0] ** 2)


def test_a_tape_of_many_samples_is_short() -> None:
    """10,000 points: one instruction, and the values of a spline by SciPy."""
    rng = np.random.default_rng(7)
    xs = np.cumsum(rng.uniform(0.001, 0.02, 10_000))
    ys = np.sin(3.0 * xs) + 0.2 * rng.normal(size=len(xs))
    graph = Graph()
    tape = emit_tape(of(f.table(graph.symbol("q0"), xs, ys, "cubic")))
    assert len(tape.instructions) == 1 and len(tape.tables) == 2 + 10_000 + 4 * 9_999
    times = np.concatenate([xs, rng.uniform(xs[0], xs[-1], 5000)])
    found = load(tape).evaluate(times[:, None])[:, 0]
    np.testing.assert_allclose(found, CubicSpline(xs, ys)(times), rtol=1e-12, atol=1e-13)


def test_a_table_that_is_looked_up_twice_is_stored_once() -> None:
    graph = Graph()
    t = graph.symbol("q0")
    xs, ys = (0.0, 0.4, 1.1), (0.3, -0.2, 0.7)
    tape = emit_tape(of(f.table(t, xs, ys) + f.table(2.0 * t, xs, ys)))
    assert len(tape.tables) == 2 + 3 + 8
