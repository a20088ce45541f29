"""Tables of two variables, against SciPy's interpolation on grids and splines of two variables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline, RegularGridInterpolator

from inloop.codegen import emit_library
from inloop.errors import ExpressionError
from inloop.symbolic import Graph, Input, Output, Program, evaluate, forward, gradient
from inloop.symbolic.functions import table2

XS = (-1.9, -0.65, 0.32, 1.17, 2.83)
YS = (0.4, 0.9, 2.1, 2.5)
ZS = np.random.default_rng(7).normal(size=(5, 4))
RNG = np.random.default_rng(8)
INSIDE = RNG.uniform(-1.89, 2.82, 40), RNG.uniform(0.41, 2.49, 40)


def looked_up(x: Any, y: Any, kind: str, *by: str) -> np.ndarray:
    """The table, or a derivative of it, by way of expressions."""
    graph = Graph()
    symbols = {"x": graph.symbol("x"), "y": graph.symbol("y")}
    expr = table2(*symbols.values(), XS, YS, ZS, kind)
    for name in by:
        (expr,) = forward([expr], symbols[name])
    return np.asarray(evaluate([expr], dict(zip(symbols.values(), (x, y), strict=True)))[0])


def test_bilinear() -> None:
    known = RegularGridInterpolator((XS, YS), ZS)(np.column_stack(INSIDE))
    np.testing.assert_allclose(looked_up(*INSIDE, "linear"), known, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("by", [(), ("x",), ("y",), ("x", "y"), ("x", "x"), ("y", "y", "x")])
def test_a_spline_and_its_slopes(by: tuple[str, ...]) -> None:
    spline = RectBivariateSpline(XS, YS, ZS, kx=3, ky=3)
    known = spline.ev(*INSIDE, dx=by.count("x"), dy=by.count("y"))
    np.testing.assert_allclose(looked_up(*INSIDE, "cubic", *by), known, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_beyond_the_edges_it_goes_on_as_on_them(kind: str) -> None:
    x, y = np.array([-5.0, 9.0, 0.7, -5.0, 9.0]), np.array([1.3, 1.3, 7.0, -2.0, 7.0])
    at = np.clip(x, XS[0], XS[-1]), np.clip(y, YS[0], YS[-1])
    np.testing.assert_array_equal(looked_up(x, y, kind), looked_up(*at, kind))
    # the slope across an edge is 0, along it that of the edge
    assert looked_up(x[:2], y[:2], kind, "x").tolist() == [0.0, 0.0]
    known = looked_up(np.array([XS[0], XS[-1] - 1e-13]), y[:2], kind, "y")
    np.testing.assert_allclose(looked_up(x[:2], y[:2], kind, "y"), known, rtol=1e-9)


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_points_of_the_grid_and_numbers(kind: str) -> None:
    for i, x in enumerate(XS):
        for j, y in enumerate(YS):
            assert table2(x, y, XS, YS, ZS, kind) == pytest.approx(ZS[i, j], rel=1e-12)
    assert math.isnan(table2(math.nan, 1.0, XS, YS, ZS, kind))


@pytest.mark.parametrize(
    ("xs", "ys", "zs", "kind", "message"),
    [
        ([0, 1], [0, 1], [[1, 2]], "linear", "a value for each pair"),
        ([0, 1], [0, 1, 2], [[1, 2], [3, 4], [5, 6]], "linear", "a row for each of xs"),
        ([0, 1], [0, 1], [[1, 2], [3, 4]], "cubic", "at least 3 points"),
        ([1, 0], [0, 1], [[1, 2], [3, 4]], "linear", "increase strictly"),
        ([0, 1], [0, 0], [[1, 2], [3, 4]], "linear", "increase strictly"),
        ([0, 1], [0, 1], [[1, 2], [3, math.nan]], "linear", "NaN or infinity"),
        ([0, 1], [0, 1], [[1, 2], [3, 4]], "round", "kind 'round' is unknown"),
        ([0, 1], [0, 1], [[1, 2], [3]], "linear", "rows of equal length"),
        (range(300), range(300), np.zeros((300, 300)), "linear", "too large"),
    ],
)
def test_bad_grids(xs: Any, ys: Any, zs: Any, kind: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        table2(Graph().symbol("x"), 0.5, xs, ys, zs, kind)


def test_a_derivative_reads_the_same_numbers() -> None:
    """However often it is differentiated, C text holds the grid once, in a file of its own."""
    graph = Graph()
    q = Input("q", (graph.symbol("x"), graph.symbol("y")), "")
    z = table2(*q.symbols, XS, YS, ZS, "cubic")
    slopes = gradient(z, q.symbols)
    curved = gradient(slopes[0], q.symbols)
    programs = [
        Program("height", (q,), (Output.vector("out", [z, *slopes]),)),
        Program("curved", (q,), (Output.vector("out", curved),)),
    ]
    sources = emit_library(programs, "road", (), {}).sources
    (grid,) = (name for name in sources if name.startswith("il_grid_"))
    number = repr(float(ZS[2, 1]))
    assert [name for name, text in sources.items() if number in text] == [grid]
    # another grid has another name
    other = table2(*q.symbols, XS, YS, ZS + 1e-12, "cubic")
    programs = [Program("height", (q,), (Output.vector("out", [other]),))]
    assert grid not in emit_library(programs, "road", (), {}).sources
