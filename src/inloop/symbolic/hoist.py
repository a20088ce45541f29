"""Pass: move computations that depend on parameters only from the step to a `prepare` program.

`prepare` runs when a parameter changes; the other programs read its results as plain inputs.
"""

from __future__ import annotations

from collections.abc import Sequence

from inloop.symbolic.expression import Expr
from inloop.symbolic.graph import reachable, rebuild
from inloop.symbolic.program import Input, Output, Program

PREPARED = "pre"


def hoist(programs: Sequence[Program], parameters: Input) -> tuple[Program, list[Program]]:
    """Split programs of one graph into `prepare` and the programs that use its results.

    Args:
        programs: programs whose expressions live in one graph.
        parameters: the block of parameter symbols.

    Returns:
        The prepare program (parameters in, `pre` out) and the programs with `pre` as their first
        input.
    """
    border = _border([e for program in programs for e in program.exprs])
    names = _names(border, parameters.name)
    graph = parameters.symbols[0].graph if parameters.symbols else programs[0].graph
    stand_ins = {node: graph.symbol(name) for node, name in zip(border, names, strict=True)}
    doc = "Quantities that depend on the parameters only; run when a parameter changes."
    prepare = Program("prepare", (parameters,), (Output.vector(PREPARED, border),), doc, "hoist")
    block = Input(PREPARED, tuple(stand_ins[node] for node in border), "prepared quantities")
    hoisted = [
        program.with_exprs(rebuild(program.exprs, graph, stand_ins), (block, *program.inputs))
        for program in programs
    ]
    return prepare, hoisted


def _border(exprs: list[Expr]) -> list[Expr]:
    """Static nodes (except numbers) that are outputs or are used by a node that is not static."""
    found: set[Expr] = {e for e in exprs if e.static and not e.is_constant}
    for node in reachable(exprs):
        if not node.static:
            found.update(a for a in node.args if a.static and not a.is_constant)
    return sorted(found, key=lambda node: node.id)


def _names(border: list[Expr], parameters: str) -> list[str]:
    """Unique names: the label, the parameter's own name, or a number."""
    names: list[str] = []
    used: set[str] = set()
    for k, node in enumerate(border):
        own = node.name.removeprefix(f"{parameters}.") if node.is_symbol else f"k_{k}"
        base = node.graph.labels.get(node) or own
        name, again = f"pre.{base}", 1
        while name in used:
            again += 1
            name = f"pre.{base}_{again}"
        used.add(name)
        names.append(name)
    return names
