"""Rows that differ only in leaves have one template; others have none."""

from __future__ import annotations

from inloop.symbolic import Graph, align, evaluate
from inloop.symbolic import functions as sf


def rows(graph: Graph, numbers: list[float]) -> list[list]:
    found = []
    for k, number in enumerate(numbers):
        x, y = graph.symbol(f"x_{k}"), graph.symbol("y")
        size = sf.maximum(number * x, y) + sf.exp(-x * x)
        found.append([size, sf.where(x > 0.0, size * number, x - 3.0 * y)])
    return found


def test_a_template_gives_every_row() -> None:
    graph = Graph()
    numbers = [0.3, 1.7, 2.9, 4.4]
    table = rows(graph, numbers)
    found = align(table)
    assert found is not None
    # the coordinate, the number, and y which all rows share
    assert 2 <= len(found.slots) <= 4
    values = {graph.symbol("y"): 0.7}
    values |= {graph.symbol(f"x_{k}"): 0.4 - 0.35 * k for k in range(len(numbers))}
    for k, row in enumerate(table):
        leaves = {symbol: column[k] for symbol, column in found.slots.items()}
        known = {s: e.value if e.is_constant else values[e] for s, e in leaves.items()}
        for want, expr in zip(row, found.template, strict=True):
            assert evaluate([expr], known)[0] == evaluate([want], values)[0]


def test_rows_of_another_shape_are_not_alike() -> None:
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    assert align([[sf.exp(x)], [sf.sin(y)]]) is None
    assert align([[x], [x, y]]) is None
    assert align([[x * y + 2.0], [x * (y + 2.0)]]) is None
    assert align([[sf.exp(x)], [x]]) is None
    assert align([[x * y], [y * 3.0]]) is not None
