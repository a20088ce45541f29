"""Programs as tapes: register instructions that C interprets without a compiler.

Used for functions passed to a run after everything else has been compiled. The format is that of
`native/runtime/il_tape.h`: registers hold the inputs, then the constants, then intermediate values;
a register is reused when its value is no longer needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from inloop.codegen.pieces import Table
from inloop.symbolic import Expr, Program
from inloop.symbolic.charts import Chart, ChartData
from inloop.symbolic.operations import OPERATIONS
from inloop.symbolic.schedule import schedule
from inloop.symbolic.tables import PiecewisePolynomial

Reals = np.ndarray[Any, np.dtype[np.float64]]
Indices = np.ndarray[Any, np.dtype[np.int32]]

# opcodes, as in il_tape.h
CODES = {name: code for code, name in enumerate((*OPERATIONS, "sincos", "table", "table2"))}
CHARTS = ("table2", "spline2", "station")  # indices of functions of two variables, likewise
ANGULAR = {"sin": "cos", "cos": "sin"}


@dataclass(frozen=True)
class Tape:
    """A program as instructions; immutable.

    Attributes:
        instructions: rows of opcode, result register, three arguments.
        registers: initial values: zeros for inputs, constants, zeros.
        results: registers of the outputs, in order.
        tables: interpolation tables: below, above, breaks, four coefficients per piece.
        inputs: number of inputs.
    """

    instructions: Indices
    registers: Reals
    results: Indices
    tables: Reals
    inputs: int


def emit_tape(program: Program) -> Tape:
    """The tape of a program; its input blocks are concatenated, and so are its outputs."""
    inputs = [symbol for block in program.inputs for symbol in block.symbols]
    order = schedule(program.exprs)
    constants = [node for node in order if node.is_constant]
    writer = _Writer([*inputs, *constants], _last_uses(order, program.exprs))
    for position, node in enumerate(order):
        writer.write(position, node)
    registers = np.zeros(writer.count)
    registers[len(inputs) : len(inputs) + len(constants)] = [node.value for node in constants]
    return Tape(
        np.array(writer.instructions, dtype=np.int32).reshape(-1, 5),
        registers,
        np.array([writer.place[e] for e in program.exprs], dtype=np.int32),
        np.array(writer.tables, dtype=np.float64),
        len(inputs),
    )


def _last_uses(order: Sequence[Expr], results: Iterable[Expr]) -> dict[Expr, int]:
    """Position of the last use of each node; results are used beyond the end."""
    last = {arg: position for position, node in enumerate(order) for arg in node.args}
    return last | dict.fromkeys(results, len(order))


class _Writer:
    """Writes instructions and hands out registers.

    Attributes:
        place: the register of each node.
        count: number of registers.
        instructions, tables: what has been written so far.
    """

    def __init__(self, fixed: Sequence[Expr], last: dict[Expr, int]) -> None:
        """Start with nodes that keep their registers, and the last use of each node."""
        self.place = {node: register for register, node in enumerate(fixed)}
        self.count = len(fixed)
        self.instructions: list[tuple[int, ...]] = []
        self.tables: list[float] = []
        self._fixed, self._last = len(fixed), last
        self._free: list[int] = []
        self._offsets: dict[Table, int] = {}
        self._charts: dict[Chart, int] = {}
        self._angular = {(node.op, node.args[0]): node for node in last if node.op in ANGULAR}

    def write(self, position: int, node: Expr) -> None:
        """Write the instruction of a node, unless it is a leaf or already written."""
        arguments = [self.place[a] for a in node.args]
        # registers with their last use here are free for the result
        for arg in dict.fromkeys(node.args):
            if self._last[arg] == position and self.place[arg] >= self._fixed:
                self._free.append(self.place[arg])
        if node.args and node not in self.place:
            self._append(node, arguments)

    def _append(self, node: Expr, arguments: list[int]) -> None:
        twin = self._twin(node)
        if twin is not None:
            sine, cosine = (node, twin) if node.op == "sin" else (twin, node)
            out, second = self._take(sine), self._take(cosine)
            self._instruct("sincos", out, [*arguments, second])
        elif isinstance(node.payload, PiecewisePolynomial):
            pieces = len(node.payload.coefficients)
            offset = self._offset(node.payload)
            self._instruct("table", self._take(node), [*arguments, offset, pieces])
        elif isinstance(node.payload, Chart):
            offset = self._chart(node.payload)
            self._instruct("table2", self._take(node), [*arguments, offset])
        else:
            self._instruct(node.op, self._take(node), arguments)

    def _instruct(self, operation: str, out: int, arguments: list[int]) -> None:
        unused = [0] * (3 - len(arguments))
        self.instructions.append((CODES[operation], out, *arguments, *unused))

    def _twin(self, node: Expr) -> Expr | None:
        """For a sine the cosine of the same angle, and vice versa."""
        if node.op not in ANGULAR:
            return None
        return self._angular.get((ANGULAR[node.op], node.args[0]))

    def _take(self, node: Expr) -> int:
        """Allocate a register for a node."""
        if not self._free:
            self._free.append(self.count)
            self.count += 1
        self.place[node] = self._free.pop()
        return self.place[node]

    def _offset(self, table: Table) -> int:
        """Offset of a table."""
        if table not in self._offsets:
            self._offsets[table] = len(self.tables)
            self.tables += _laid_out(table)
        return self._offsets[table]

    def _chart(self, chart: Chart) -> int:
        """Offset of the description of a chart."""
        begin = self._offset(chart.data)
        if chart not in self._charts:
            self._charts[chart] = len(self.tables)
            settings = [*chart.settings, 0, 0, 0, 0][:4]
            self.tables += [CHARTS.index(chart.function), begin, *settings]
        return self._charts[chart]


def _laid_out(table: Table) -> Iterator[float]:
    """A table as numbers, in the order of il_tape.h."""
    if isinstance(table, ChartData):
        yield from table.numbers
    else:
        yield from (table.below, table.above, *table.breaks)
        yield from chain.from_iterable(table.coefficients)
