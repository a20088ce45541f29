"""Trigonometric rules: angle reduction, angle sums, condensation of long sums.

`C1*C2 - S1*S2` is the cosine of one angle. Parallel axes produce many such products; recognizing
them leaves one sine and cosine per group of parallel axes.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inloop.symbolic.expression import Expr
    from inloop.symbolic.graph import Graph

MAX_TERMS = 64  # longer sums are not condensed: the pair search is quadratic
Factors = Counter["Expr"]
Term = tuple[float, Factors]


def reduce_angle(graph: Graph, op: str, angle: Expr) -> Expr | None:
    """sin and cos of a negated angle or of an angle shifted by multiples of π/2."""
    if angle.op == "neg":
        inner = graph.call(op, angle.args[0])
        return graph.neg(inner) if op == "sin" else inner
    if angle.op == "const":
        turns = _quarter_turns(angle.value)
        if turns is not None:
            return graph.constant((0.0, 1.0, 0.0, -1.0)[(turns + (op == "cos")) % 4])
        return None
    if angle.op == "add":
        for shift, rest in (angle.args, angle.args[::-1]):
            turns = _quarter_turns(shift.value) if shift.op == "const" else None
            if turns is not None:
                return _shifted(graph, op, rest, turns)
    if angle.op == "sub" and angle.args[0].op == "const":
        turns = _quarter_turns(angle.args[0].value)
        if turns is not None:
            return _shifted(graph, op, graph.neg(angle.args[1]), turns)
    return None


def _quarter_turns(angle: float) -> int | None:
    turns = angle / (math.pi / 2)
    if not abs(turns) <= 64.0:  # excludes infinity and NaN, too; huge floats look like multiples
        return None
    nearest = round(turns)
    return nearest if abs(turns - nearest) <= 1e-15 * max(1.0, abs(turns)) else None


def _shifted(graph: Graph, op: str, angle: Expr, turns: int) -> Expr:
    # cos(x) = sin(x + 1 quarter turn); sin over four quarters: sin, cos, -sin, -cos
    quarter = (turns + (op == "cos")) % 4
    value = graph.call("cos" if quarter % 2 else "sin", angle)
    return graph.neg(value) if quarter >= 2 else value


def merge_products(graph: Graph, a: Expr, b: Expr, sign: float) -> Expr | None:
    """a + sign*b when both are products of one sine or cosine each; else None."""
    for node in (*a.args, *b.args):
        if node.op != "sin" and node.op != "cos":
            return None
    return _merge_pairs(graph, list(a.args), list(b.args), sign)


def _merge_pairs(graph: Graph, first: list[Expr], second: list[Expr], sign: float) -> Expr | None:
    """first[0]*first[1] + sign*second[0]*second[1] as one sine or cosine, if it is one."""
    kinds = ("".join(sorted(n.op[0] for n in first)), "".join(sorted(n.op[0] for n in second)))
    u, v = first[0].args[0], first[1].args[0]
    if Counter(n.args[0] for n in first) != Counter(n.args[0] for n in second):
        return None
    if kinds in (("cc", "ss"), ("ss", "cc")):
        # C_u C_v -+ S_u S_v = cos(u +- v); the sine product leads when kinds are swapped
        lead = 1.0 if kinds[0] == "cc" else sign
        same = sign < 0.0
        merged = graph.call("cos", graph.add(u, v) if same else graph.sub(u, v))
        return merged if lead > 0.0 else graph.neg(merged)
    if kinds == ("cs", "cs"):
        # S_u C_v +- C_u S_v = sin(u +- v), with u the angle under the first product's sine
        u = next(n for n in first if n.op == "sin").args[0]
        v = next(n for n in first if n.op == "cos").args[0]
        other = next(n for n in second if n.op == "sin").args[0]
        if other is not v or u is v:
            return None
        return graph.call("sin", graph.add(u, v) if sign > 0.0 else graph.sub(u, v))
    return None


def condense(expr: Expr) -> Expr:
    """Rewrite a sum of products with fewer terms by trigonometric identities.

    The sum is flattened, pairs of terms that differ by `C_u*C_v` versus `S_u*S_v` (or by the
    squares of one sine and cosine) are merged until nothing changes, and equal terms cancel.
    Sums longer than 64 terms are left alone.
    """
    graph = expr.graph
    terms = _flatten(expr)
    if terms is None:
        return expr
    written = len(terms)
    terms = _collect(terms)
    changed = len(terms) < written
    while _merge_one(graph, terms):
        changed = True
    return _sum(graph, terms) if changed else expr


def _sum(graph: Graph, terms: list[Term]) -> Expr:
    total = graph.zero
    for coefficient, factors in terms:
        product = graph.constant(coefficient)
        for node in sorted(factors.elements(), key=lambda n: n.id):
            product = graph.mul(product, node)
        total = graph.add(total, product)
    return total


def _flatten(expr: Expr) -> list[Term] | None:
    """Terms of a sum; None for a sum that is too long."""
    terms: list[Term] = []
    stack = [(expr, 1.0)]
    while stack:
        node, sign = stack.pop()
        if node.op in ("add", "sub"):
            stack.append((node.args[1], sign if node.op == "add" else -sign))
            stack.append((node.args[0], sign))
        elif node.op == "neg":
            stack.append((node.args[0], -sign))
        else:
            terms.append(_factors(node, sign))
        if len(terms) > MAX_TERMS:
            return None
    return terms


def _factors(expr: Expr, coefficient: float) -> Term:
    """A product as a coefficient and its remaining factors."""
    factors: Factors = Counter()
    stack = [expr]
    while stack:
        node = stack.pop()
        if node.op == "mul":
            stack.extend(node.args)
        elif node.op == "neg":
            coefficient = -coefficient
            stack.append(node.args[0])
        elif node.op == "const":
            coefficient *= node.value
        else:
            factors[node] += 1
    return coefficient, factors


def _collect(terms: list[Term]) -> list[Term]:
    merged: dict[frozenset[tuple[Expr, int]], Term] = {}
    for coefficient, factors in terms:
        key = frozenset(factors.items())
        known = merged.get(key, (0.0, factors))
        merged[key] = (known[0] + coefficient, factors)
    return [term for term in merged.values() if term[0] != 0.0]


def _merge_one(graph: Graph, terms: list[Term]) -> bool:
    """Merge the first pair of terms to which a trigonometric identity applies."""
    for i, (c1, f1) in enumerate(terms):
        for j in range(i + 1, len(terms)):
            c2, f2 = terms[j]
            if abs(c1) != abs(c2):
                continue
            shared = f1 & f2
            rest1, rest2 = list((f1 - shared).elements()), list((f2 - shared).elements())
            if len(rest1) != 2 or len(rest2) != 2:
                continue
            if any(n.op not in ("sin", "cos") for n in rest1 + rest2):
                continue
            merged = _merge_pairs(graph, rest1, rest2, 1.0 if c1 == c2 else -1.0)
            if merged is None:
                continue
            del terms[j], terms[i]
            coefficient, factors = _factors(merged, c1)
            terms.append((coefficient, shared + factors))
            terms[:] = _collect(terms)
            return True
    return False
