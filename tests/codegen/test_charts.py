"""Functions of two variables by many numbers: every back end tells what the interpreter tells."""

from __future__ import annotations

import numpy as np
import pytest

from inloop.codegen import matlab
from inloop.errors import InputError
from inloop.symbolic import Graph, Input, Output, Program, forward
from inloop.symbolic.lines import Curve, Line
from inloop.symbolic.spline_surfaces import SplineSurface

RNG = np.random.default_rng(12)


def program() -> Program:
    """The station of a snake and of a line beside it, splines of both degrees, and slopes."""
    s = np.linspace(0.0, 90.0, 46)
    headings = 0.8 * np.sin(s / 9.0)
    points = np.column_stack([np.cumsum(2.0 * np.cos(headings)), np.cumsum(2.0 * np.sin(headings))])
    ways = np.column_stack([np.cos(headings), np.sin(headings)])
    beside = Curve(s, np.column_stack([s, 15.0 + 0.0 * s]), np.tile([1.0, 0.0], (len(s), 1)))
    line = Line.along([Curve(s, points, ways), beside], 5.0)
    graph = Graph()
    q = Input("q", (graph.symbol("x"), graph.symbol("y")), "")
    exprs = [graph.call("table2", *q.symbols, payload=line)]
    for degree in (1, 3):
        grid = SplineSurface.through((-9.0, 7.0), (-20.0, 4.0), RNG.normal(size=(20, 16)), degree)
        exprs.append(graph.call("table2", *q.symbols, payload=grid))
    exprs += [slope for symbol in q.symbols for slope in forward(exprs, symbol)]
    return Program("chart", (q,), (Output.vector("out", exprs),))


def states() -> np.ndarray:
    inside = np.column_stack([RNG.uniform(-20.0, 110.0, 60), RNG.uniform(-20.0, 40.0, 60)])
    return np.vstack([inside, [[1e6, -1e6], [np.nan, 1.0], [2.0, np.nan]]])


@pytest.mark.thinned(2)
def test_all_back_ends_agree(interpreter, python_text, compiled) -> None:
    case = (program(), {"q": states()})
    (known,) = interpreter([case])
    for run in (python_text, compiled):
        (found,) = run([case])
        np.testing.assert_allclose(found["out"], known["out"], rtol=1e-8, atol=1e-8)
    assert np.isnan(known["out"][-2:, :3]).all()
    assert np.isfinite(known["out"][:-2]).all()


def test_matlab_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be written in MATLAB"):
        matlab.emit_files([program()], "gen", [])
