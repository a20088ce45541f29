"""Derivatives of expressions: forward over many outputs, reverse for one scalar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inloop.errors import ExpressionError
from inloop.symbolic.charts import Chart
from inloop.symbolic.expression import Expr
from inloop.symbolic.graph import Graph, reachable
from inloop.symbolic.tables import PiecewisePolynomial


def partials(node: Expr) -> tuple[Expr, ...]:
    """Derivatives of a node with respect to each of its arguments."""
    g, op, a = node.graph, node.op, node.args
    one, two = g.one, g.constant(2.0)
    if op == "add":
        return one, one
    if op == "sub":
        return one, g.constant(-1.0)
    if op == "neg":
        return (g.constant(-1.0),)
    if op == "mul":
        return a[1], a[0]
    if op == "div":
        inverse = one / a[1]
        return inverse, -(node * inverse)
    if op == "sin":
        return (g.call("cos", a[0]),)
    if op == "cos":
        return (-g.call("sin", a[0]),)
    if op == "tan":
        return (one + node * node,)
    if op == "asin":
        return (one / g.call("sqrt", one - a[0] * a[0]),)
    if op == "acos":
        return (-(one / g.call("sqrt", one - a[0] * a[0])),)
    if op == "atan":
        return (one / (one + a[0] * a[0]),)
    if op == "atan2":
        square = a[0] * a[0] + a[1] * a[1]
        return a[1] / square, -(a[0] / square)
    if op == "sqrt":
        return (one / (two * node),)
    if op == "exp":
        return (node,)
    if op == "log":
        return (one / a[0],)
    if op == "tanh":
        return (one - node * node,)
    return _partials_of_switches(node)


def _partials_of_switches(node: Expr) -> tuple[Expr, ...]:
    """Operations with kinks; at a kink one of the two slopes is taken, for abs their mean."""
    g, op, a = node.graph, node.op, node.args
    if op == "pow":
        by_base = a[1] * g.power(a[0], a[1] - 1.0)
        if a[1].is_constant:
            return by_base, g.zero
        return by_base, node * g.call("log", a[0])
    if op == "abs":
        return (g.call("sign", a[0]),)
    if op == "min":
        first = a[0] <= a[1]
        return first, g.one - first
    if op == "max":
        first = a[1] <= a[0]
        return first, g.one - first
    if op == "where":
        return g.zero, g.call("where", a[0], g.one, g.zero), g.call("where", a[0], g.zero, g.one)
    if op in ("sign", "lt", "le"):
        return (g.zero,) * len(a)
    if op == "table":
        assert isinstance(node.payload, PiecewisePolynomial)
        return (g.call("table", a[0], payload=node.payload.derivative()),)
    if op == "table2":
        assert isinstance(node.payload, Chart)
        return node.payload.slopes(node, *a)
    raise ExpressionError(f"operation {op!r} has no derivative", fix="Report this as a bug.")


def forward(exprs: Sequence[Expr], wrt: Expr) -> list[Expr]:
    """Derivatives of many expressions with respect to one symbol."""
    return _forward(reachable(exprs), exprs, {wrt: wrt.graph.one})


def directional(exprs: Sequence[Expr], tangents: Mapping[Expr, Expr]) -> list[Expr]:
    """Derivatives of expressions along a direction, given by the tangents of symbols."""
    return _forward(reachable(exprs), exprs, tangents)


def jacobian(exprs: Sequence[Expr], symbols: Sequence[Expr]) -> list[list[Expr]]:
    """Matrix of derivatives, row per expression, column per symbol (forward mode)."""
    nodes = reachable(exprs)
    columns = [_forward(nodes, exprs, {s: s.graph.one}) for s in symbols]
    return [[column[i] for column in columns] for i in range(len(exprs))]


def _forward(nodes: list[Expr], exprs: Sequence[Expr], tangents: Mapping[Expr, Expr]) -> list[Expr]:
    tangent = dict(tangents)
    carried = tangent.keys()
    for node in nodes:
        # only nodes above the symbols carry a tangent
        if carried.isdisjoint(node.args):
            continue
        active = [k for k, arg in enumerate(node.args) if arg in tangent]
        total = _tangent(node, active, tangent)
        if total is not node.graph.zero:
            tangent[node] = total
    return [tangent.get(e, e.graph.zero) for e in exprs]


def _tangent(node: Expr, active: list[int], tangent: dict[Expr, Expr]) -> Expr:
    g = node.graph
    if node.op == "where":
        # the slope of the branch not taken may be NaN: select it away instead of multiplying by 0
        branches = (tangent.get(a, g.zero) for a in node.args[1:])
        return g.call("where", node.args[0], *branches)
    slopes = partials(node)
    total = g.zero
    for k in active:
        total = total + slopes[k] * tangent[node.args[k]]
    return total


def gradient(expr: Expr, symbols: Sequence[Expr]) -> list[Expr]:
    """Derivatives of one scalar with respect to many symbols (reverse mode)."""
    g: Graph = expr.graph
    adjoint: dict[Expr, Expr] = {expr: g.one}

    def collect(target: Expr, term: Expr) -> None:
        if term is not g.zero:
            adjoint[target] = adjoint[target] + term if target in adjoint else term

    for node in reversed(reachable([expr])):
        seed = adjoint.get(node)
        if seed is None or not node.args:
            continue
        if node.op == "where":
            condition, a, b = node.args
            collect(a, g.call("where", condition, seed, g.zero))
            collect(b, g.call("where", condition, g.zero, seed))
            continue
        for arg, slope in zip(node.args, partials(node), strict=True):
            collect(arg, _guarded_product(seed, slope))
    return [adjoint.get(s, g.zero) for s in symbols]


def _guarded_product(seed: Expr, slope: Expr) -> Expr:
    """seed * slope, where a condition that switches off the seed also switches off the slope.

    The slope of the branch not taken may be NaN, and 0 times NaN is NaN.
    """
    g = seed.graph
    if seed.op == "where" and g.zero in seed.args[1:]:
        condition, a, b = seed.args
        on, off = _guarded_product(a, slope), _guarded_product(b, slope)
        return g.call("where", condition, on, off)
    if seed.op in ("add", "sub") and any(a.op == "where" for a in seed.args):
        first, second = (_guarded_product(a, slope) for a in seed.args)
        return first + second if seed.op == "add" else first - second
    return seed * slope
