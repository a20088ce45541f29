"""Newton's matrix, scaled so that its condition does not depend on the step size.

A small motion δ of a body or joint changes its velocity by γ' δ and its acceleration by β' δ; a
change of a multiplier is β' δλ. Equations of motion are divided by β', rows on velocities by γ':

    | M + c1 C + c0 K    Gᵀ  |      c0 = 1/β',  c1 = γ'/β',  c2 = 1/γ'
    |       G           -ε I |

With c0 = c1 = c2 = 0 it is the matrix of accelerations and multipliers at a state. ε keeps it
regular for redundant constraints, and appears only in rows of loops and constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inloop.formalisms.redundant import joints
from inloop.formalisms.redundant.bodies import FreeBody
from inloop.formalisms.redundant.system import BodySystem
from inloop.formalisms.tangents import tangents
from inloop.formalisms.vectors import Vector, as_vector
from inloop.symbolic import Expr, directional, reachable, rebuild

Place = tuple[int, int]
SCALES = ("c0", "c1", "c2", "eps")


@dataclass(frozen=True)
class NewtonMatrix:
    """Entries by row and column, in row order; symbols of the scales."""

    entries: dict[Place, Expr]
    scales: tuple[Expr, ...]


@dataclass(frozen=True)
class _Block:
    """Rows that are differentiated together, and the symbols they depend on."""

    first: int
    exprs: Sequence[Expr]
    symbols: frozenset[Expr]


def newton_matrix(system: BodySystem) -> NewtonMatrix:
    """All structurally nonzero entries."""
    scales = tuple(system.graph.symbol(name) for name in SCALES)
    writer = _Writer(system, scales)
    writer.balances()
    writer.joints()
    writer.constraints()
    zero = system.graph.zero
    entries = {at: e for at, e in sorted(writer.entries.items()) if e is not zero}
    return NewtonMatrix(entries, scales)


class _Writer:
    def __init__(self, system: BodySystem, scales: tuple[Expr, ...]) -> None:
        self.system, self.layout = system, system.layout
        self.c0, self.c1, self.c2, self.eps = scales
        self.entries: dict[Place, Expr] = {}
        mechanism, symbols = system.derivation.mechanism, system.skeleton.symbols
        self.tangents = tangents(mechanism, symbols)
        at = 6 * self.layout.bodies
        self.column_of = {k: at + i for i, k in enumerate(system.free)}

    def _acceleration(self, body: FreeBody) -> Vector:
        """Symbols of the acceleration of a body in its own axes."""
        names = (f"acc_{body.link.number}_{axis}" for axis in "xyz")
        return as_vector([self.system.graph.symbol(name) for name in names])

    def _blocks(self) -> list[_Block]:
        s, at, found = self.system, 0, []
        balances = [s.balance(body, self._acceleration(body)) for body in s.bodies]
        groups: list[Sequence[Expr]] = [*balances, *([s.efforts[k]] for k in s.free)]
        for exprs in (*groups, *([row] for row in s.state_rows)):
            nodes = reachable(exprs)
            found.append(_Block(at, exprs, frozenset(e for e in nodes if not e.args)))
            at += len(exprs)
        return found

    def _put(self, blocks: Sequence[_Block], column: int, seeds: Mapping[Expr, Expr]) -> None:
        wanted = frozenset(seeds)
        for block in blocks:
            if wanted.isdisjoint(block.symbols):
                continue
            for k, entry in enumerate(directional(block.exprs, seeds)):
                self.entries[block.first + k, column] = entry

    def balances(self) -> None:
        """Rows of motion, by all unknowns."""
        s, graph, symbols = self.system, self.system.graph, self.system.skeleton.symbols
        blocks, column = self._blocks(), 0
        for body in s.bodies:
            acc = self._acceleration(body)
            for axis in range(6):
                seeds = body.moved(axis, self.c0, self.c1, graph.one)
                self._put(blocks, column, seeds | body.accelerated(acc, axis, self.c0, graph.one))
                column += 1
        for k in s.free:
            seeds = {symbol: self.c0 * slope for symbol, slope in self.tangents[k].items()}
            self._put(blocks, column, {**seeds, symbols.qd[k]: self.c1, symbols.qdd[k]: graph.one})
            column += 1
        for z, zd in zip(symbols.states, s.zd, strict=True):
            self._put(blocks, column, {z: self.c1, zd: graph.one})
            column += 1
        unknown = [e for b in s.bodies for e in (*b.wrench.f, *b.wrench.n)]
        for symbol in (*unknown, *s.mu):
            self._put(blocks, column, {symbol: graph.one})
            column += 1
        self._replace_accelerations()

    def _replace_accelerations(self) -> None:
        """Replace acceleration symbols by their expressions."""
        s, at = self.system, dict[Expr, Expr]()
        for body in s.bodies:
            given = body.acceleration(s.skeleton.gravity)
            at |= zip(self._acceleration(body), given, strict=True)
        found = rebuild([*self.entries.values()], s.graph, at)
        self.entries = dict(zip(self.entries, found, strict=True))

    def joints(self) -> None:
        """Joint rows: derivatives at closure."""
        s, row = self.system, self.layout.moving
        for body in s.bodies:
            found, own = joints.columns(body), 6 * body.number
            for k in range(6):
                self.entries[row + k, own + k] = s.graph.one
            for axis, entries in enumerate(found.parent):
                column = 6 * s.by_link[body.parent].number + axis
                self._column(row, column, entries)
            for coordinate, entries in found.joint.items():
                if coordinate in self.column_of:
                    self._column(row, self.column_of[coordinate], entries)
            row += 6

    def _column(self, row: int, column: int, entries: Sequence[Expr]) -> None:
        for k, entry in enumerate(entries):
            self.entries[row + k, column] = entry

    def constraints(self) -> None:
        """Loop rows by the bodies at their ends, the others by joints."""
        s, one = self.system, self.system.graph.one
        row = self.layout.moving + 6 * self.layout.bodies
        column = self.layout.moving + 6 * self.layout.bodies
        for k, each in enumerate(s.rows):
            on_velocities = s.on_velocities(each)
            scales = (self.c2, one) if on_velocities else (one, s.graph.zero)
            for body in s.ends(each):
                for axis in range(6):
                    seeds = body.moved(axis, *scales, s.graph.zero)
                    (entry,) = directional([s.constraints[k]], seeds)
                    self.entries[row + k, 6 * body.number + axis] = entry
            for joint, entry in each.J.items():
                if joint in self.column_of:
                    self.entries[row + k, self.column_of[joint]] = entry
                    if on_velocities:
                        self._by_position(row + k, joint, s.constraints[k])
            self.entries[row + k, column + k] = -self.eps

    def _by_position(self, row: int, joint: int, rate: Expr) -> None:
        """Rows on velocities change with positions, too."""
        column = self.column_of[joint]
        seeds = {symbol: self.c2 * slope for symbol, slope in self.tangents[joint].items()}
        (entry,) = directional([rate], seeds)
        self.entries[row, column] = self.entries[row, column] + entry
