"""Quantities that laws use from other elements: outputs of laws, multipliers, efforts of drives.

While the laws are collected, symbols stand for these quantities. Outputs are known after all laws
have been collected; multipliers and efforts only with the accelerations, see `reactions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from inloop.errors import InputError
from inloop.formalisms.laws.loads import Loads
from inloop.formalisms.loops.rows import Row
from inloop.formalisms.recursions.rne import Wrench
from inloop.formalisms.vectors import as_vector
from inloop.model import Mechanism, Quantity
from inloop.symbolic import Expr, Graph, reachable, rebuild


def register(mechanism: Mechanism, graph: Graph) -> Loads:
    """Empty loads with symbols for the quantities that laws use from other elements."""
    loads = Loads()
    driven = {mechanism.coordinates[drive.body]: drive.body for drive in mechanism.drives}
    for law in mechanism.laws:
        for item in law.quantities:
            symbol = graph.symbol(f"{item.kind}.{item.key}")
            loads.others[item.symbols[0]] = symbol
            if item.kind == "force":
                loads.multipliers[item.key] = symbol
            elif item.kind == "effort":
                if item.key not in driven:
                    raise _missing(mechanism, law.name, item, driven)
                loads.drive_efforts[driven[item.key]] = symbol
            elif item.key not in (known := [out.name for out in mechanism.law_outputs]):
                raise _missing(mechanism, law.name, item, known)
    return loads


def check_multipliers(mechanism: Mechanism, rows: Sequence[Row]) -> None:
    """Check that the rows whose multipliers laws use exist."""
    known = {name for row in rows for name in (row.name, row.element)}
    for law in mechanism.laws:
        for item in law.quantities:
            if item.kind == "force" and item.key not in known:
                raise _missing(mechanism, law.name, item, [row.name for row in rows])


def multipliers(loads: Loads, rows: Sequence[Row], lam: Sequence[Expr]) -> dict[Expr, Expr]:
    """Multipliers that laws use, by placeholder; without rows the loops are open.

    Args:
        loads: loads with the placeholders.
        rows: constraint rows in use.
        lam: their multipliers.
    """
    found = {row.name: force for row, force in zip(rows, lam, strict=True)}
    elements = [row.element for row in rows]
    # an element with one row is also known by its own name
    found |= {row.element: force for row, force in zip(rows, lam, strict=True)
              if elements.count(row.element) == 1}  # fmt: skip
    values: dict[Expr, Expr] = {}
    for name, symbol in loads.multipliers.items():
        if rows and name not in found:
            several = [row.name for row in rows if row.element == name]
            why = "has several rows" if several else "is redundant, so its force is zero"
            raise InputError(
                f"a law uses the force of '{name}', which {why}",
                fix=f"Use one of: {', '.join(several or list(found))}.",
            )
        values[symbol] = found.get(name, symbol.graph.zero)
    return values


def resolve_outputs(mechanism: Mechanism, loads: Loads, graph: Graph) -> None:
    """Replace the symbols for outputs of other laws by these outputs."""
    keys = {item.key for law in mechanism.laws for item in law.quantities if item.kind == "out"}
    known: dict[Expr, Expr] = {}
    while keys:
        # outputs that depend on no unresolved one
        ready = [key for key in sorted(keys) if not _waits(loads.observed[key], keys, graph)]
        assert ready, "circles are refused by the model"
        for key in ready:
            (value,) = rebuild([loads.observed[key]], graph, known)
            known[graph.symbol(f"out.{key}")] = value
        keys -= set(ready)
    if known:
        _put(loads, known, graph)


def _waits(output: Expr, keys: set[str], graph: Graph) -> bool:
    found = reachable([output])
    return any(graph.symbol(f"out.{key}") in found for key in keys)


def _put(loads: Loads, known: Mapping[Expr, Expr], graph: Graph) -> None:
    def put(exprs: Sequence[Expr]) -> list[Expr]:
        return rebuild(exprs, graph, known)

    for index, wrench in loads.wrenches.items():
        loads.wrenches[index] = Wrench(as_vector(put(wrench.f)), as_vector(put(wrench.n)))
    loads.efforts = dict(zip(loads.efforts, put(list(loads.efforts.values())), strict=True))
    loads.observed = dict(zip(loads.observed, put(list(loads.observed.values())), strict=True))
    loads.rates = put(loads.rates)
    loads.ports = [
        replace(port, known={key: known.get(value, value) for key, value in port.known.items()})
        for port in loads.ports
    ]


def _missing(
    mechanism: Mechanism, law: str, item: Quantity, known: Sequence[str] | Mapping[str, int]
) -> InputError:
    where = f"mode '{mechanism.mode}'" if mechanism.mode else f"model '{mechanism.name}'"
    return InputError(
        f"law '{law}' uses {item.kind}['{item.key}'], which {where} does not have",
        fix=f"It has: {', '.join(known) or 'none'}.",
    )
