"""Pass: take common factors out of sums, `a*b + a*c` → `a*(b + c)`, where it saves work.

A product that is also used elsewhere is kept: factoring it would add an operation.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

from inloop.symbolic.expression import Expr
from inloop.symbolic.graph import Graph, apply
from inloop.symbolic.program import Program


def use_counts(program: Program) -> Counter[Expr]:
    """How often each node is used, by other nodes and as an output."""
    return Counter(chain(program.exprs, *[node.args for node in program.nodes]))


def factor(program: Program) -> Program:
    """Factor every sum of two products that are used only there, if that makes it cheaper."""
    exprs = program.exprs
    graph = program.graph
    uses = use_counts(program)
    if not any(_common_factor(node.args, node, uses) is not None for node in program.nodes):
        return program
    before = graph.section
    new: dict[Expr, Expr] = {}
    for node in program.nodes:
        args = tuple(new[a] for a in node.args)
        graph.section = node.section
        built = _factored(graph, node, args, uses)
        if built is None:
            built = node if args == node.args else apply(graph, node, args)
        if built is not node and node in graph.labels:
            graph.label(built, graph.labels[node])
        new[node] = built
    graph.section = before
    factored = program.with_exprs([new[e] for e in exprs])
    # signs and regrouped parameters may cost more than the factors save
    return min(program, factored, key=lambda p: p.operations()["total"])


def _common_factor(args: tuple[Expr, ...], node: Expr, uses: Counter[Expr]) -> Expr | None:
    """The factor that both products of a sum share, when the sum is their only user."""
    if node.op not in ("add", "sub") or args[0].op != "mul" or args[1].op != "mul":
        return None
    if uses[node.args[0]] > 1 or uses[node.args[1]] > 1:
        return None
    return next((a for a in args[0].args if a in args[1].args), None)


def _factored(graph: Graph, node: Expr, args: tuple[Expr, ...], uses: Counter[Expr]) -> Expr | None:
    common = _common_factor(args, node, uses)
    if common is None:
        return None
    rest_x, rest_y = (m.args[0] if m.args[1] is common else m.args[1] for m in args)
    inner = graph.add(rest_x, rest_y) if node.op == "add" else graph.sub(rest_x, rest_y)
    return graph.mul(common, inner)
