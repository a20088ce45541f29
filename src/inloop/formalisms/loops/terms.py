"""Terms of the constrained equations, as compact arrays.

Instead of the solution of Eq. 16, generated code computes its terms: constraint values, the
structurally nonzero entries of J and M, and the velocity terms. The runtime
(`native/runtime/il_closed.c`) solves with them.

`Terms` are those of large mechanisms, for one partition: internally, coordinates come in the order
dependent, independent, driven; see `Terms.order`. `CommonTerms` are valid for all partitions; the
runtime receives one at run time (`native/runtime/il_reduction.c`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inloop.formalisms.derive import Derivation, state_rates
from inloop.formalisms.laws.reactions import complete_rates
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.loops.rows import Row
from inloop.symbolic import Expr, Input, Output, Program
from inloop.symbolic.sparsity import Place

Entries = dict[Place, Expr]


@dataclass(frozen=True)
class Terms:
    """Terms that the solution needs, for one partition.

    Attributes:
        order: coordinates in internal order.
        Jv: entries of the dependent columns by row in use and column.
        Jk: entries of the known columns, independent ones first.
        M: entries of the lower half of the mass matrix, in internal order.
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
        derivation: derivation of the mechanism.
        terms: their entries.
        time: name of the time input if constraints depend on time, else empty.
        suffix: suffix of the program names.
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
    """Rates of the states of force laws, which may need joint reactions."""
    if not d.loads.rates:
        return
    yield _rate_program(d, terms.used, f"rate_terms{suffix}", loads)


def _rate_program(d: Derivation, rows: Sequence[Row], name: str, loads: str) -> Program:
    """Rates of the states of force laws from the motion and the multipliers of given rows."""
    lam = [d.graph.symbol(f"lam_{k}") for k in range(1, len(rows) + 1)]
    rates = complete_rates(d.skeleton, d.loads, d.symbols.qdd, rows, lam)
    doc = "Rates of the states of force laws."
    found = d.make(name, f"q qd qdd {loads}", state_rates(rates), doc, "")
    block = Input("lam", tuple(lam), "multipliers of these rows [N or N·m]")
    return Program(found.name, (*found.inputs, block), found.outputs, doc, "force laws")


@dataclass(frozen=True)
class CommonTerms:
    """Terms that the solution needs, for all partitions.

    Attributes:
        J: entries of all rows and columns.
        M: entries of the lower half of the mass matrix.
        rows: all constraint rows, redundant ones included.
    """

    J: Entries
    M: Entries
    rows: tuple[Row, ...]


def common_terms(derivation: Derivation, rows: Sequence[Row]) -> CommonTerms:
    """The entries of J and M, row by row."""
    zero = derivation.graph.zero
    J = {(i, j): row.J[j] for i, row in enumerate(rows) for j in sorted(row.J)}
    mass = derivation.mass.entries.items()
    M = {(max(i, j), min(i, j)): entry for (i, j), entry in mass if entry is not zero}
    return CommonTerms(J, dict(sorted(M.items())), tuple(rows))


def common_programs(derivation: Derivation, terms: CommonTerms, time: str) -> list[Program]:
    """Programs of these terms: at a position, of the motion there, rates of laws if any.

    Args:
        derivation: derivation of the mechanism.
        terms: their entries.
        time: name of the time input if constraints depend on time, else empty.
    """
    d, rows = derivation, terms.rows
    closing = (
        Output.vector("h", [row.h for row in rows], "constraint values [m or rad]"),
        Output.vector("J", terms.J.values(), "∂h/∂q, entry by entry"),
        Output.vector("nu", [row.nu for row in rows], "J qd + nu = 0"),
    )
    motion = (
        Output.vector("M", terms.M.values(), "lower half of the mass matrix, entry by entry"),
        Output.vector("gamma", [row.gamma for row in rows], "J qdd + gamma = 0"),
        Output.vector("c", d.c, "bias [N·m or N]"),
    )
    loads = "loads" if d.uses_time or not time else f"loads {time}"
    how = "entries for every choice of independent coordinates"
    programs = [
        d.make("closing_terms", f"q {time}", closing, "Terms of the loops.", how),
        d.make("motion_terms", f"q qd {loads}", motion, "Terms of the motion.", how),
    ]
    if d.loads.rates:
        programs.append(_rate_program(d, rows, "state_terms", loads))
    return programs
