"""Angles under sines and cosines: plain sums of inputs and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from inloop.symbolic import Expr


def summands(angle: Expr) -> Counter[Expr]:
    """Multiplicity of each symbol in a plain sum of symbols and numbers."""
    total: Counter[Expr] = Counter()
    stack = [(angle, 1)]
    while stack:
        node, sign = stack.pop()
        if node.op in ("add", "sub"):
            first, second = node.args
            stack += [(second, sign if node.op == "add" else -sign), (first, sign)]
        elif not node.is_constant:
            total[node] += sign
    return total


def change(angle: Expr, changes: Mapping[Expr, str]) -> str:
    """C text of the change of an angle with its summands; empty if it does not change.

    Args:
        angle: a plain sum.
        changes: text of the change of each symbol that changes.
    """
    times = {changes[s]: count for s, count in summands(angle).items() if s in changes and count}
    return " + ".join(_multiple(count, text) for text, count in times.items())


def _multiple(count: int, text: str) -> str:
    return {1: text, -1: f"-{text}"}.get(count, f"{count}*{text}")
