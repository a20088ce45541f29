"""Queries on syntax trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inloop.native.translated import syntax as s


def nodes(tree: Any) -> Iterator[Any]:
    """A node and all its descendants."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, list | tuple):
            left.extend(node)
        elif hasattr(node, "__slots__") and type(node).__module__ == s.__name__:
            yield node
            left.extend(getattr(node, name) for name in node.__slots__)


def addressed(tree: Any) -> set[str]:
    """Names of variables whose address is taken."""
    return {
        node.operand.name
        for node in nodes(tree)
        if isinstance(node, s.Unary) and node.sign == "&" and isinstance(node.operand, s.Name)
    }


def changed(tree: Any) -> set[str]:
    """Names of variables that are assigned to."""
    targets: list[Any] = []
    for node in nodes(tree):
        if isinstance(node, s.Assignment):
            targets.append(node.target)
        elif isinstance(node, s.Postfix) or (
            isinstance(node, s.Unary) and node.sign in ("++", "--")
        ):
            targets.append(node.operand)
    return {target.name for target in targets if isinstance(target, s.Name)}
