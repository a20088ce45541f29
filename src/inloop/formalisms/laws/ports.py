"""Force laws as ports: the motion they depend on, and the motion on which they do work.

A law computes efforts e(s, sd, z) as functions of positions s, their rates sd and its own states z.
Its generalized efforts are Jᵀ e with J = ∂(work)/∂qd. Implicit methods need only the derivatives of
e and of the states' rates, not the origin of the law.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inloop.formalisms.symbols import Symbols
from inloop.model import LawState
from inloop.symbolic import Expr, Scalar, directional

Entries = dict[tuple[int, int], Expr]
Tangent = Mapping[Expr, Expr]


@dataclass(frozen=True)
class Feel:
    """One component of the motion that a law depends on.

    Attributes:
        position: tangent of the law's placeholders for a unit change; empty: none.
        velocity: placeholder of its rate.
        rate: its rate, as an expression of the derivation.
    """

    position: Tangent
    velocity: Expr
    rate: Expr


@dataclass(frozen=True)
class Port:
    """One law.

    Attributes:
        name: name of the law, or of the flexible link.
        efforts: expressions of the law's placeholders.
        work: the velocities on which they do work, as expressions of the derivation.
        feels: the motion on which they depend.
        t: placeholder of time.
        states: internal states of the law.
        first: index of the first of them among all states of the model.
        known: placeholders → expressions of the derivation.
    """

    name: str
    efforts: tuple[Scalar, ...]
    work: tuple[Expr, ...]
    feels: tuple[Feel, ...]
    t: Expr
    states: tuple[LawState, ...]
    first: int
    known: Mapping[Expr, Expr]

    @property
    def scalar(self) -> bool:
        """True if a single effort works on the motion it depends on, as for a spring."""
        return len(self.work) == 1 and [feel.rate for feel in self.feels] == list(self.work)


@dataclass(frozen=True)
class Slopes:
    """Derivatives of a law, by (row, column), without zeros.

    Attributes:
        e_s, e_v, e_z, e_t: of the efforts by positions, rates, states and time.
        z_s, z_v, z_z, z_t: of the rates of the states.
    """

    e_s: Entries
    e_v: Entries
    e_z: Entries
    e_t: Entries
    z_s: Entries
    z_v: Entries
    z_z: Entries
    z_t: Entries


def slopes(port: Port, symbols: Symbols) -> Slopes:
    """All derivatives of a law, in the graph of the derivation."""
    graph = port.feels[0].velocity.graph
    by_position = [feel.position for feel in port.feels]
    by_rate = [{feel.velocity: graph.one} for feel in port.feels]
    by_state = [{state.symbol: graph.one} for state in port.states]
    by_time = [{port.t: graph.one}]
    efforts = [graph.wrap(e) for e in port.efforts]
    rates = [graph.wrap(state.rate) for state in port.states]
    blocks = [
        _columns(rows, tangents, port, symbols)
        for rows in (efforts, rates)
        for tangents in (by_position, by_rate, by_state, by_time)
    ]
    return Slopes(*blocks)


def _columns(
    rows: Sequence[Expr], tangents: Sequence[Tangent], port: Port, symbols: Symbols
) -> Entries:
    found: Entries = {}
    for j, tangent in enumerate(tangents):
        if not tangent:
            continue
        column = symbols.substitute(directional(rows, tangent), port.known)
        for i, entry in enumerate(column):
            if entry is not symbols.graph.zero:
                found[i, j] = entry
    return found


def jacobian_entries(exprs: Sequence[Expr], columns: Sequence[Expr]) -> Entries:
    """Derivatives of expressions by symbols, by (row, column), without zeros."""
    found: Entries = {}
    for j, symbol in enumerate(columns):
        for i, entry in enumerate(directional(exprs, {symbol: symbol.graph.one})):
            if entry is not symbol.graph.zero:
                found[i, j] = entry
    return found
