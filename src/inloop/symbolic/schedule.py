"""Pass: order statements so that few values are alive at any time.

The order of derivation sweeps over the whole mechanism repeatedly; a depth-first order from each
result finishes one branch of the mechanism before it starts the next, so that values stay in
registers and in the L1 cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from inloop.symbolic.expression import Expr
from inloop.symbolic.graph import BY_AGE, reachable


def schedule(exprs: Sequence[Expr]) -> list[Expr]:
    """The best of: order of derivation, depth first from the first or from the last result."""
    orders = [reachable(exprs), depth_first(exprs), depth_first(exprs[::-1])]
    return min(orders, key=total_lifetime)


def total_lifetime(order: Sequence[Expr]) -> int:
    """Sum over all computed values of the distance from definition to last use."""
    last_use: dict[Expr, int] = {}
    births = 0
    for position, node in enumerate(order):
        if node.args:
            births += position
            last_use[node] = position
            for arg in node.args:
                last_use[arg] = position
    return sum(last_use.values()) - births - sum(last_use[n] for n in last_use if not n.args)


def depth_first(exprs: Sequence[Expr]) -> list[Expr]:
    """All nodes below the expressions, depth first, arguments before users."""
    done: set[Expr] = set()
    order: list[Expr] = []
    for root in exprs:
        stack = [root]
        while stack:
            node = stack[-1]
            left = [] if node in done else [a for a in node.args if a not in done]
            if left:
                # visit the older argument first: it was derived first
                stack += left if len(left) == 1 else sorted(left, key=BY_AGE, reverse=True)
                continue
            stack.pop()
            if node not in done:
                done.add(node)
                order.append(node)
    return order
