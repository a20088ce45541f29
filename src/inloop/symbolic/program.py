"""A program: named input arrays, expressions, named output arrays.

Programs are the intermediate form between mathematics and text. A formalism produces one, passes
transform it, a back end prints it, the interpreter evaluates it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from inloop.symbolic.expression import Expr
from inloop.symbolic.graph import Graph, reachable
from inloop.symbolic.operations import OPERATIONS

KINDS = ("mul", "add", "div", "sincos", "function")


@dataclass(frozen=True)
class Input:
    """One array argument: its elements as symbols, in order."""

    name: str
    symbols: tuple[Expr, ...]
    doc: str = ""


@dataclass(frozen=True)
class Output:
    """One array result: its elements in row-major order and its shape."""

    name: str
    exprs: tuple[Expr, ...]
    shape: tuple[int, ...]
    doc: str = ""

    @classmethod
    def vector(cls, name: str, exprs: Iterable[Expr], doc: str = "") -> Output:
        """A one-dimensional result."""
        items = tuple(exprs)
        return cls(name, items, (len(items),), doc)

    @classmethod
    def matrix(cls, name: str, rows: Iterable[Iterable[Expr]], doc: str = "") -> Output:
        """A two-dimensional result."""
        table = [tuple(row) for row in rows]
        columns = len(table[0]) if table else 0
        return cls(name, tuple(e for row in table for e in row), (len(table), columns), doc)

    def __post_init__(self) -> None:
        assert math.prod(self.shape) == len(self.exprs), (
            f"output {self.name}: shape and size differ"
        )


@dataclass(frozen=True)
class Program:
    """One function to be generated.

    Attributes:
        name: name of the function.
        inputs: array arguments, in order.
        outputs: array results, in order.
        doc: what the function computes, with units; goes into generated code.
        formalism: the algorithm it came from.
    """

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    doc: str = ""
    formalism: str = ""

    @property
    def graph(self) -> Graph:
        """The graph of the expressions."""
        for item in self.outputs:
            for expr in item.exprs:
                return expr.graph
        for block in self.inputs:
            for symbol in block.symbols:
                return symbol.graph
        return Graph()

    @property
    def exprs(self) -> list[Expr]:
        """All output expressions in order."""
        return [e for out in self.outputs for e in out.exprs]

    @cached_property
    def nodes(self) -> list[Expr]:
        """All nodes that the outputs depend on, arguments before users."""
        return reachable(self.exprs)

    def with_exprs(self, exprs: Iterable[Expr], inputs: tuple[Input, ...] | None = None) -> Program:
        """The same program with other output expressions."""
        stream = iter(exprs)
        outputs = tuple(
            Output(out.name, tuple(next(stream) for _ in out.exprs), out.shape, out.doc)
            for out in self.outputs
        )
        kept = self.inputs if inputs is None else inputs
        return Program(self.name, kept, outputs, self.doc, self.formalism)

    def operations(self) -> dict[str, int]:
        """Operation counts by kind; nodes that no output needs are not counted.

        "add" counts additions, subtractions and changes of sign; "sincos" counts each angle
        whose sine or cosine (or both) is needed.
        """
        return dict(self._counts)

    @cached_property
    def _counts(self) -> dict[str, int]:
        return _counted(self.nodes)

    def __repr__(self) -> str:
        ins = ", ".join(f"{i.name}[{len(i.symbols)}]" for i in self.inputs)
        outs = ", ".join(f"{o.name}{list(o.shape)}" for o in self.outputs)
        return f"Program {self.name}({ins}) -> {outs}: {self.operations()['total']} operations"


@dataclass(frozen=True)
class Solved(Program):
    """A function computed by hand-written code that calls generated functions.

    The outputs hold symbols that stand for the results.

    Attributes:
        counts: cost of one call, in the form of `operations`.
    """

    counts: dict[str, int] = field(default_factory=dict)

    def operations(self) -> dict[str, int]:
        """Operation counts by kind."""
        return dict(self.counts)


def solved(stand_in: Program, prepared: Input, terms: Iterable[Program], solution: int) -> Solved:
    """A hand-written function that works on the results of generated ones.

    Args:
        stand_in: a program with its inputs and outputs.
        prepared: the block of prepared quantities, which becomes the first input.
        terms: the generated functions.
        solution: operations of the hand-written part, half multiplications, half additions.
    """
    counts = Counter({"mul": solution // 2, "add": solution - solution // 2, "total": solution})
    for program in terms:
        counts.update(program.operations())
    s = stand_in
    inputs, found = (prepared, *s.inputs), {kind: counts[kind] for kind in (*KINDS, "total")}
    return Solved(s.name, inputs, s.outputs, s.doc, s.formalism, found)


def count_operations(exprs: Iterable[Expr]) -> dict[str, int]:
    """Operations needed to evaluate the expressions together."""
    return _counted(reachable(exprs))


def _counted(found: Iterable[Expr]) -> dict[str, int]:
    nodes = [node for node in found if node.args]
    counts: Counter[str] = Counter()
    for op, times in Counter([node.op for node in nodes]).items():
        counts[OPERATIONS[op].kind if op in OPERATIONS else "function"] += times
    counts["sincos"] = len({node.args[0] for node in nodes if node.op in ("sin", "cos")})
    result = {kind: counts[kind] for kind in KINDS}
    result["total"] = sum(result.values())
    return result
