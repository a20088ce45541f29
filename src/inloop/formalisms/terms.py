"""Terms of the constrained equations of large mechanisms, as compact arrays.

Instead of the solution of Eq. 16, generated code gives what it is made of: constraint values, the
entries of J and M that are not zero anywhere, and the terms of velocity. The runtime
(`native/runtime/il_closed.c`) solves with them.

Inside, coordinates come in the order dependent, independent, driven; see `Terms.order`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inloop.formalisms.constraints import Row
from inloop.formalisms.derive import Derivation, state_rates
from inloop.formalisms.partition import Partition
from inloop.formalisms.reactions import complete_rates
from inloop.symbolic import Expr, Input, Output, Program
from inloop.symbolic.sparsity import Place

Entries = dict[Place, Expr]


@dataclass(frozen=True)
class Terms:
    """What the solution needs, for one partition.

    Attributes:
        order: coordinates as they come inside.
        Jv: entries of the dependent columns by row in use and column.
        Jk: entries of the known columns, independent ones first.
        M: entries of the lower half of the mass matrix, by inner order.
        used: constraint rows in use.
    """

    order: tuple[int, ...]
    Jv: Entries
    Jk: Entries
    M: Entries
    used: tuple[Row, ...]


def gather_terms(derivation: Derivation, rows: list[Row], partition: Partition) -> Terms:
    """The entries of J and M, row by row."""
    m = len(partition.dependent)
    order = (*partition.dependent, *partition.independent, *partition.driven)
    inner = {column: k for k, column in enumerate(order)}
    used = tuple(rows[k] for k in partition.rows)
    J = sorted(
        ((i, inner[column]), entry) for i, row in enumerate(used) for column, entry in row.J.items()
    )
    M = {}
    for (i, j), entry in derivation.mass.entries.items():
        a, b = inner[i], inner[j]
        if entry is not derivation.graph.zero:
            M[max(a, b), min(a, b)] = entry
    return Terms(
        order=order,
        Jv={(i, j): entry for (i, j), entry in J if j < m},
        Jk={(i, j - m): entry for (i, j), entry in J if j >= m},
        M=dict(sorted(M.items())),
        used=used,
    )


def term_programs(derivation: Derivation, terms: Terms, time: str, suffix: str) -> list[Program]:
    """Programs of the terms: for Newton's step, at a position, at a velocity, rates of laws.

    Args:
        derivation: of the mechanism.
        terms: their entries.
        time: name of the time input if constraints depend on time, else empty.
        suffix: of the names of the programs.
    """
    d, used = derivation, terms.used
    Jv = Output.vector("Jv", terms.Jv.values(), "∂h/∂q of dependent coordinates, entry by entry")
    values = Output.vector("h", [row.h for row in used], "constraint values [m or rad]")
    at_position = (
        Jv,
        Output.vector("Jk", terms.Jk.values(), "∂h/∂q of known coordinates, entry by entry"),
        Output.vector("nu", [row.nu for row in used], "J qd + nu = 0"),
        Output.vector("M", terms.M.values(), "lower half of the mass matrix, entry by entry"),
    )
    at_velocity = (
        Output.vector("gamma", [row.gamma for row in used], "J qdd + gamma = 0"),
        Output.vector("c", d.c, "bias [N·m or N]"),
    )
    loads = "loads" if d.uses_time or not time else f"loads {time}"
    make = d.make
    how = "entries of the sparse solution"
    programs = [
        make(f"newton_terms{suffix}", f"q {time}", (values, Jv), "Terms of Newton's step.", how),
        make(f"position_terms{suffix}", f"q {time}", at_position, "Terms of the position.", how),
        make(f"velocity_terms{suffix}", f"q qd {loads}", at_velocity, "Terms of velocity.", how),
    ]
    return [*programs, *_rates(d, terms, loads, suffix)]


def _rates(d: Derivation, terms: Terms, loads: str, suffix: str) -> Iterator[Program]:
    """Rates of the states of force laws, which may need the reactions in joints."""
    if not d.loads.rates:
        return
    lam = [d.graph.symbol(f"lam_{k}") for k in range(1, len(terms.used) + 1)]
    rates = complete_rates(d.skeleton, d.loads, d.symbols.qdd, terms.used, lam)
    doc = "Rates of the states of force laws."
    found = d.make(f"rate_terms{suffix}", f"q qd qdd {loads}", state_rates(rates), doc, "")
    block = Input("lam", tuple(lam), "multipliers of the rows in use [N or N·m]")
    yield Program(found.name, (*found.inputs, block), found.outputs, doc, "force laws")
