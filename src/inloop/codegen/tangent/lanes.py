"""Derivatives along several directions at once, one in each lane of a vector register.

Values are the same for all directions: they stay plain numbers, computed once. What depends on a
direction is linear in it, so that sums, products with values and choices by values are all there
is; each becomes one instruction for all directions.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from inloop.codegen.c import CFunction, PlainKinds, emit_function
from inloop.codegen.pieces import number
from inloop.symbolic import Expr, Notation, Program, reachable
from inloop.symbolic.text import Template

LANE = "il_lane"


@dataclass(frozen=True)
class _LaneNotation(Notation):
    """Writes choices between derivatives, whose condition is a plain number."""

    lanes: frozenset[Expr] = frozenset()

    def function(self, node: Expr, args: list[str]) -> str:
        """Text of a function call."""
        if node not in self.lanes:
            return super().function(node, args)
        assert node.op == "where", f"a direction within {node.op}"
        chosen = [
            text if arg in self.lanes else f"IL_ALL_LANES({text})"
            for arg, text in zip(node.args[1:], args[1:], strict=True)
        ]
        return f"({args[0]} != 0.0 ? {chosen[0]} : {chosen[1]})"


class LaneKinds(PlainKinds):
    """Types of values of a program some of whose arrays hold a number for each direction."""

    def __init__(self, program: Program, blocks: Collection[str]) -> None:
        """Find out what depends on a direction.

        Args:
            program: what is printed.
            blocks: its arrays with lanes.
        """
        self._blocks = frozenset(blocks)
        found = {s for block in program.inputs if block.name in blocks for s in block.symbols}
        for node in reachable(program.exprs):
            if not found.isdisjoint(node.args):
                found.add(node)
        self._lanes = frozenset(found)

    def of(self, node: Expr) -> str:
        """The type of a value."""
        return LANE if node in self._lanes else "real"

    def of_block(self, program: Program, name: str) -> str:
        """The type of the entries of an array."""
        return LANE if name in self._blocks else super().of_block(program, name)

    def stored(self, expr: Expr, block: str, text: str) -> str:
        """A result as an entry of its array."""
        if block in self._blocks and expr not in self._lanes:
            return f"IL_ALL_LANES({text})"
        return text

    def zero(self, block: str) -> str:
        """Nothing, as an entry of an array of results."""
        return "IL_ALL_LANES(0.0)" if block in self._blocks else "0.0"

    def notation(self, functions: dict[str, Template]) -> Notation:
        """How expressions are written."""
        return _LaneNotation(number, functions, self._lanes)


def emit_with_lanes(program: Program, prefix: str, blocks: Collection[str]) -> CFunction:
    """C text of a program some of whose arrays hold a number for each direction.

    Args:
        program: what to print.
        prefix: first part of the name.
        blocks: names of its arrays with lanes.
    """
    return emit_function(program, prefix, kinds=LaneKinds(program, blocks))
