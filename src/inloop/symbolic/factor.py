"""Pass: take common factors out of sums, `a*b + a*c` → `a*(b + c)`, where it saves work.

A product that is needed elsewhere stays as it is: taking it apart would add an operation.
"""

from __future__ import annotations

from collections import Counter

from inloop.symbolic.expression import Expr
from inloop.symbolic.graph import Graph, apply, reachable
from inloop.symbolic.program import Program


def use_counts(exprs: list[Expr]) -> Counter[Expr]:
    """How often each node is used, by other nodes and as an output."""
    counts: Counter[Expr] = Counter(exprs)
    for node in reachable(exprs):
        counts.update(node.args)
    return counts


def factor(program: Program) -> Program:
    """Factor every sum of two products that are used only there."""
    exprs = program.exprs
    uses = use_counts(exprs)
    graph = program.graph
    new: dict[Expr, Expr] = {}
    for node in reachable(exprs):
        if not node.args:
            new[node] = node
            continue
        args = tuple(new[a] for a in node.args)
        graph.section = node.section
        built = _factored(graph, node, args, uses)
        if built is None:
            built = node if args == node.args else apply(graph, node, args)
        if built is not node and node in graph.labels:
            graph.label(built, graph.labels[node])
        new[node] = built
    graph.section = ""
    return program.with_exprs([new[e] for e in exprs])


def _factored(
    graph: Graph, node: Expr, args: tuple[Expr, ...], uses: Counter[Expr]
) -> Expr | None:
    if node.op not in ("add", "sub"):
        return None
    x, y = args
    if x.op != "mul" or y.op != "mul":
        return None
    if any(uses[old] > 1 for old in node.args):
        return None
    for k, common in enumerate(x.args):
        if common in y.args:
            rest_x = x.args[1 - k]
            rest_y = y.args[0] if y.args[1] is common else y.args[1]
            inner = graph.add(rest_x, rest_y) if node.op == "add" else graph.sub(rest_x, rest_y)
            return graph.mul(common, inner)
    return None
