"""Find rows of expressions that differ only in their leaves: one template plus the leaves per row.

Force laws of one kind on several joints give such rows: the same formula with different numbers
and coordinates. A back end can evaluate the template for several rows at once. Rows differ in
structure where a number folds away (0, 1) or changes sign.
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
    """The common structure of several rows.

    Attributes:
        template: one expression per column; symbols stand for the leaves that differ.
        slots: these symbols, each with its leaf (a number or a symbol) in every row.
    """

    template: tuple[Expr, ...]
    slots: dict[Expr, Column]


class _DifferError(Exception):
    """The rows are not alike."""


def align(rows: Sequence[Sequence[Expr]]) -> Alike | None:
    """The template of the rows; None if they differ in more than their leaves."""
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
        """The template of one node taken from each row."""
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
        """Arguments in the order of the first row."""
        a = node.args
        swapped = node.op in COMMUTATIVE and self._shape(a[0]) != self._shape(first.args[0])
        return a[::-1] if swapped else a

    def _shape(self, node: Expr) -> int:
        """A number shared by all nodes that differ only in their leaves."""
        found = self._shapes.get(node)
        if found is None:
            parts = [self._shape(a) for a in node.args]
            if node.op in COMMUTATIVE:
                parts.sort()
            payload = node.payload if node.args else None
            key = (node.op if node.args else "leaf", payload, *parts)
            found = self._shapes[node] = self._known.setdefault(key, len(self._known))
        return found
