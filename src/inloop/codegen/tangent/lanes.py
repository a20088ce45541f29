"""Directional derivatives along several directions at once, one per lane of a vector register.

Values are the same for all directions: they stay plain numbers, computed once. Derivatives are
    linear in the direction, so only sums, products with values and selections by values occur; each
    becomes one instruction for all directions.
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
    """Writes selections between derivatives, whose condition is a plain number."""

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
    """Types of the values of a program in which some arrays hold a number per direction."""

    def __init__(self, program: Program, blocks: Collection[str]) -> None:
        """Determine which nodes depend on a direction.

        Args:
            program: the program to print.
            blocks: names of its arrays with lanes.
        """
        self._blocks = frozenset(blocks)
        lanes = {s for block in program.inputs if block.name in blocks for s in block.symbols}
        for node in reachable(program.exprs):
            if not lanes.isdisjoint(node.args):
                lanes.add(node)
        self._lanes = frozenset(lanes)

    def of(self, node: Expr) -> str:
        """The type of a value."""
        return LANE if node in self._lanes else "real"

    def of_block(self, program: Program, name: str) -> str:
        """The type of the entries of an array."""
        return LANE if name in self._blocks else super().of_block(program, name)

    def stored(self, expr: Expr, block: str, text: str) -> str:
        """A result converted to the type of its output array."""
        if block in self._blocks and expr not in self._lanes:
            return f"IL_ALL_LANES({text})"
        return text

    def zero(self, block: str) -> str:
        """Zero, as an entry of an output array."""
        return "IL_ALL_LANES(0.0)" if block in self._blocks else "0.0"

    def notation(self, functions: dict[str, Template]) -> Notation:
        """The notation in which expressions are printed."""
        return _LaneNotation(number, functions, self._lanes)


def emit_with_lanes(program: Program, prefix: str, blocks: Collection[str]) -> CFunction:
    """C text of a program in which some arrays hold a number per direction.

    Args:
        program: the program to print.
        prefix: first part of the name.
        blocks: names of its arrays with lanes.
    """
    return emit_function(program, prefix, kinds=LaneKinds(program, blocks))
