"""The order of statements: arguments first, short lives."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from inloop.symbolic import Expr, Graph, Input, Output, Program, reachable
from inloop.symbolic.functions import exp
from inloop.symbolic.listing import layout
from inloop.symbolic.schedule import depth_first, schedule, total_lifetime

Symbols = tuple[Expr, Expr, Expr]


def sweeps(graph: Graph, count: int) -> list[Expr]:
    """Branches that do not meet, derived level by level as a recursion does."""
    branches = [graph.symbol(f"q{k}") for k in range(count)]
    for _ in range(3):
        branches = [exp(0.3 * b) for b in branches]
    return branches


def test_depth_first_finishes_a_branch_before_the_next(graph: Graph) -> None:
    first, second = sweeps(graph, 2)
    for one, other in ((first, second), (second, first)):
        order = depth_first([one, other])
        size = len(reachable([one]))
        assert set(order[:size]) == set(reachable([one]))
        assert order[size - 1] is one
        assert order[-1] is other


def test_lifetime_by_hand(moving: Symbols) -> None:
    x, y, z = moving
    a, b = x * y, y * z
    c = a + z
    d = c / b
    # where: a lives from 3 to 5, b from 4 to 6, c from 5 to 6, d to the end; symbols do not count
    assert total_lifetime([x, y, z, a, b, c, d]) == 2 + 2 + 1
    assert total_lifetime([x, y, z, a, c, b, d]) == 1 + 2 + 1
    # where: a second, later use keeps a value alive
    e = d + a
    assert total_lifetime([x, y, z, a, b, c, d, e]) == 4 + 2 + 1 + 1


def test_the_schedule_takes_the_calmest_order(graph: Graph) -> None:
    branches = sweeps(graph, 6)
    order = schedule(branches)
    assert total_lifetime(order) < total_lifetime(reachable(branches))
    inputs = Input("q", tuple(graph.symbol(f"q{k}") for k in range(6)))
    for node in reachable(branches):
        graph.label(node, "w")
    program = Program("f", (inputs,), (Output.vector("out", branches),))
    lines = [s.expr for s in layout(program).statements]
    assert lines == [node for node in order if node.args]


@settings(max_examples=60)
@given(data=st.data())
def test_every_order_has_arguments_first(data: st.DataObject, recipes: Any) -> None:
    _, results = data.draw(recipes).expressions(Graph())
    exprs = results[-4:]
    nodes = reachable(exprs)
    orders = [nodes, depth_first(exprs), depth_first(exprs[::-1]), schedule(exprs)]
    for order in orders:
        assert sorted(order, key=lambda node: node.id) == nodes
        place = {node: k for k, node in enumerate(order)}
        assert all(place[a] < place[node] for node in order for a in node.args)
    assert total_lifetime(orders[3]) == min(map(total_lifetime, orders[:3]))
