"""Rows of expressions that differ only in their leaves: one template, and the leaves of each row.

Force laws of one kind, on several joints, are such rows: the same formula with other numbers and
other coordinates. A back end can evaluate the template for several rows at once. Numbers that fold
away, 0, 1 and those of another sign, make rows differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.symbolic.expression import Expr
from inloop.symbolic.graph import apply

Column = tuple[Expr, ...]
COMMUTATIVE = frozenset({"add", "mul", "min", "max"})


@dataclass(frozen=True)
class Alike:
    """What rows have in common.

    Attributes:
        template: one expression per column of the rows, with symbols for what differs.
        slots: these symbols, each with its leaf in every row: numbers or symbols.
    """

    template: tuple[Expr, ...]
    slots: dict[Expr, Column]


class _DifferError(Exception):
    """The rows are not alike."""


def align(rows: Sequence[Sequence[Expr]]) -> Alike | None:
    """The template of rows; None if they differ in more than leaves."""
    if len({len(row) for row in rows}) > 1:
        return None
    aligner = _Aligner()
    try:
        template = tuple(aligner.visit(column) for column in zip(*rows, strict=True))
    except _DifferError:
        return None
    return Alike(template, {symbol: column for column, symbol in aligner.slots.items()})


class _Aligner:
    def __init__(self) -> None:
        self.slots: dict[Column, Expr] = {}
        self._done: dict[Column, Expr] = {}
        self._shapes: dict[Expr, int] = {}
        self._known: dict[tuple[object, ...], int] = {}

    def visit(self, column: Column) -> Expr:
        """The template of one node of each row."""
        known = self._done.get(column)
        if known is None:
            known = self._done[column] = self._fresh(column)
        return known

    def _fresh(self, column: Column) -> Expr:
        first = column[0]
        if all(not node.args for node in column):
            if first.is_constant and all(node is first for node in column):
                return first
            return self.slots.setdefault(column, first.graph.symbol(f"lane.{len(self.slots)}"))
        if any(self._shape(node) != self._shape(first) for node in column):
            raise _DifferError
        arguments = [self._arguments(node, first) for node in column]
        return apply(first.graph, first, tuple(self.visit(c) for c in zip(*arguments, strict=True)))

    def _arguments(self, node: Expr, first: Expr) -> Column:
        """Arguments in the order of the first row's."""
        a = node.args
        swapped = node.op in COMMUTATIVE and self._shape(a[0]) != self._shape(first.args[0])
        return a[::-1] if swapped else a

    def _shape(self, node: Expr) -> int:
        """A number that is the same for nodes that differ only in leaves."""
        found = self._shapes.get(node)
        if found is None:
            parts = [self._shape(a) for a in node.args]
            if node.op in COMMUTATIVE:
                parts.sort()
            payload = node.payload if node.args else None
            key = (node.op if node.args else "leaf", payload, *parts)
            found = self._shapes[node] = self._known.setdefault(key, len(self._known))
        return found
