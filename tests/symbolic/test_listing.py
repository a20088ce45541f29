"""The layout of a program: names, order of statements, loads and stores."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inloop.symbolic import Expr, Graph, Input, Notation, Output, Program, reachable, to_text
from inloop.symbolic.functions import cos, exp, sin
from inloop.symbolic.listing import MAX_INLINE, Listing, layout

Symbols = tuple[Expr, Expr, Expr]
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
C99 = """auto break case char const continue default do double else enum extern float for goto if
inline int long register restrict return short signed sizeof static struct switch typedef union
unsigned void volatile while""".split()  # noqa: SIM905
MATLAB = """break case catch classdef continue else elseif end for function global if otherwise
parfor persistent return spmd switch try while""".split()  # noqa: SIM905

MATLAB_FUNCTIONS = """sin cos tan asin acos atan atan2 sqrt exp log tanh power abs sign zeros
double""".split()  # noqa: SIM905

RUNTIME: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(math, name) for name in ("atan2", "sqrt", "exp", "log", "tanh", "pow")},
    "sign": lambda v: math.copysign(1.0, v),
    "where": lambda c, a, b: a if c else b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    **{"abs": abs, "min": min, "max": max},
}


def program_of(moving: Symbols, *exprs: Expr) -> Program:
    return Program("step", (Input("q", moving),), (Output.vector("out", exprs),))


def execute(listing: Listing, **inputs: Any) -> dict[str, list[float]]:
    """Run a listing line by line; a name that is used before its line raises NameError."""
    scope: dict[str, Any] = {}
    tables: dict[str, Any] = {}

    def lookup(x: str, payload: Any) -> str:
        tables[f"table_{len(tables)}"] = payload
        return f"table_{len(tables) - 1}({x})"

    notation = Notation(functions={"table": lookup})

    def value(expr: Expr, names: dict[Expr, str]) -> float:
        text = names[expr] if expr in names and not expr.args else to_text(expr, names, notation)
        return float(eval(text, {**RUNTIME, **tables}, scope))

    for load in listing.loads.values():
        scope[load.name] = inputs[load.block][load.index]
    loaded = {symbol: load.name for symbol, load in listing.loads.items()}
    for node in reachable(listing.program.exprs):
        if node.op in ("sin", "cos") and node.args[0] in listing.angles:
            scope[listing.names[node]] = RUNTIME[node.op](value(node.args[0], loaded))
    defined = {**loaded, **{n: name for n, name in listing.names.items() if name in scope}}
    for statement in listing.statements:
        assert statement.name not in scope
        scope[statement.name] = value(statement.expr, listing.names)
        defined[statement.expr] = statement.name
    results: dict[str, list[float]] = {}
    for store in listing.stores:
        known = store.expr in defined
        result = scope[defined[store.expr]] if known else value(store.expr, listing.names)
        row = results.setdefault(store.block, [])
        assert store.index == len(row)
        row.append(result)
    return results


@settings(max_examples=150)
@given(data=st.data())
def test_a_listing_runs_line_by_line(
    data: st.DataObject, recipes: Any, points: Any, agree: Callable[..., None]
) -> None:
    recipe, point = data.draw(recipes), data.draw(points)
    bounds = recipe.bounds(point)[-3:]
    program = recipe.program()
    # where: labels that clash with each other, with inputs and with reserved words
    wishes = data.draw(st.lists(st.sampled_from(["om_1_x", "x", "t", "t1", "for", "2 w", "q"])))
    nodes = [node for node in reachable(program.exprs) if node.args]
    for node, wish in zip(reversed(nodes), wishes, strict=False):
        program.graph.label(node, wish)
    listing = layout(program)
    agree(execute(listing, q=point[:3], par=point[3:])["out"], bounds)
    taken = [*listing.names.values(), "q", "par", "out"]
    assert len(set(taken)) == len(taken)
    assert all(IDENTIFIER.fullmatch(name) for name in taken)


def test_each_labelled_node_has_its_line(graph: Graph, moving: Symbols) -> None:
    x, y, z = moving
    graph.section = "shank"
    om = graph.label(x * y, "om_6_x")
    negative = graph.label(-(om * z), "vel")
    graph.section = "foot"
    force = graph.label(negative + exp(z), "force")
    listing = layout(program_of(moving, force / z))
    assert [(s.name, s.section) for s in listing.statements] == [
        ("om_6_x", "shank"),
        ("vel_n", "shank"),
        ("force", "foot"),
    ]
    assert {listing.names[s.expr] for s in listing.statements} == {"om_6_x", "vel_n", "force"}


def test_what_is_used_twice_has_a_line_and_what_is_used_once_has_none(moving: Symbols) -> None:
    x, y, z = moving
    shared, single = x * y, y * z
    listing = layout(program_of(moving, shared + single, shared / z))
    assert [s.expr for s in listing.statements] == [shared]
    assert single not in listing.names
    assert re.fullmatch(r"t\d+", listing.statements[0].name)


def test_dead_code_has_no_line(graph: Graph, moving: Symbols) -> None:
    x, y, z = moving
    graph.label(exp(x * y), "dead")
    listing = layout(program_of(moving, y + 2.6))
    assert listing.statements == ()
    assert [(load.name, load.index) for load in listing.loads.values()] == [("y", 1)]
    assert z not in listing.names


def test_long_lines_are_broken(graph: Graph) -> None:
    symbols = tuple(graph.symbol(f"w{k}") for k in range(200))
    total = graph.zero
    for symbol in symbols:
        total = total + symbol
    program = Program("f", (Input("w", symbols),), (Output.vector("out", [total]),))
    listing = layout(program)
    lines = [s.expr for s in listing.statements] + [total]
    texts = [to_text(e, listing.names) for e in lines]
    assert len(texts) > 5
    assert max(text.count("w") for text in texts) <= MAX_INLINE
    values = [math.sin(1.7 * k) for k in range(200)]
    assert execute(listing, w=values)["out"] == [pytest.approx(math.fsum(values), abs=1e-12)]


def test_sines_of_inputs_are_gathered(graph: Graph, moving: Symbols) -> None:
    x, y, z = moving
    graph.label(sin(x + y), "S12")
    exprs = [sin(x + y) * cos(x + y), cos(x), sin(x * z), cos(z - 0.3) * sin(z - 0.3)]
    listing = layout(program_of(moving, *exprs))
    # where: sin(x*z) has to wait for a product
    assert set(listing.angles) == {x + y, x, z - 0.3}
    assert listing.names[sin(x + y)] == "S12"
    named = [node for node in listing.names if node.op in ("sin", "cos")]
    assert set(named) == {sin(x + y), cos(x + y), cos(x), sin(z - 0.3), cos(z - 0.3)}
    assert all(s.expr not in named for s in listing.statements)
    # where: the angle itself is part of that first computation and needs no line
    assert x + y not in listing.names
    # sine and cosine of one angle share a number
    sine, cosine = listing.names[sin(z - 0.3)], listing.names[cos(z - 0.3)]
    assert (sine[0], cosine[0], sine[1:]) == ("S", "C", cosine[1:])


def test_loads_drop_the_name_of_their_block(graph: Graph) -> None:
    symbols = tuple(graph.symbol(name) for name in ("q.knee", "q.hip", "q.2nd toe", "other.knee"))
    program = Program("f", (Input("q", symbols),), (Output.vector("out", symbols),))
    loads = [layout(program).loads[s] for s in symbols]
    assert [(load.block, load.index) for load in loads] == [("q", k) for k in range(4)]
    assert [load.name for load in loads] == ["knee", "hip", "x_2nd_toe", "other_knee"]


def test_stores_follow_the_outputs(moving: Symbols) -> None:
    x, y, z = moving
    outputs = (Output.matrix("M", [[x, y], [z, x * y]]), Output.vector("c", [z]))
    listing = layout(Program("f", (Input("q", moving),), outputs))
    places = [(store.block, store.index, store.expr) for store in listing.stores]
    assert places == [("M", 0, x), ("M", 1, y), ("M", 2, z), ("M", 3, x * y), ("c", 0, z)]


def name_of_label(wish: str) -> str:
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    graph.label(x * y, wish)
    program = Program("f", (Input("q", (x, y)),), (Output.vector("out", [exp(x * y)]),))
    (statement,) = layout(program).statements
    return statement.name


@pytest.mark.parametrize(
    ("language", "words"), [("c", C99), ("python", keyword.kwlist), ("matlab", MATLAB)]
)
def test_reserved_words_are_avoided(language: str, words: list[str]) -> None:
    assert [word for word in words if name_of_label(word) in words] == []


def test_names_of_functions_are_avoided() -> None:
    """A line `exp = x*y` would hide the function that a later line calls (in MATLAB an array)."""
    assert [name for name in MATLAB_FUNCTIONS if name_of_label(name) == name] == []


def test_names_that_are_taken(graph: Graph, moving: Symbols) -> None:
    x, y, z = moving
    wishes = ["out", "q", "x", "w", "w", "w_2", "t1"]
    labelled = [x * y, y * z, x * z, x - y, y - z, x - z, x / y]
    for expr, wish in zip(labelled, wishes, strict=True):
        graph.label(expr, wish)
    unlabelled = exp(x)
    listing = layout(program_of(moving, *(exp(e) for e in labelled), unlabelled / y, unlabelled))
    taken = [*listing.names.values(), "q", "out"]
    assert len(set(taken)) == len(taken)
    assert {"w", "w_2", "t1"} <= set(taken)
    assert listing.names[unlabelled] != "t1"


def test_long_labels_stay_different(graph: Graph, moving: Symbols) -> None:
    x, y, z = moving
    exprs = [x * y, y * z, x * z, x - y]
    for k, expr in enumerate(exprs):
        graph.label(expr, f"{'left_front_upper_' * 5}{k}")
    listing = layout(program_of(moving, *(exp(e) for e in exprs)))
    names = [s.name for s in listing.statements]
    assert len(set(names)) == 4
    # where: MATLAB and C99 look at no more than 63 characters
    assert len({name[:63] for name in names}) == 4


@pytest.mark.parametrize("wish", ["om.6.x", "4th", "ω_1", "a b", "__init__", "-", "", "é", "x[3]"])
def test_any_label_gives_a_valid_name(wish: str) -> None:
    name = name_of_label(wish)
    assert IDENTIFIER.fullmatch(name)
    assert name not in ("x", "y", "q", "out")
