"""The equations of motion as balances, with symbols for the unknowns.

    0 = J qd + nu                          velocities of dependent coordinates
    0 = J qdd + gamma                      accelerations
    0 = M qdd + c - tau - Jᵀ lam - effort  accelerations, multipliers, efforts of drives
    zd = g(q, qd, qdd, lam, ...)           rates of states of laws

Derivatives of a solution follow from those of its balance at a fixed solution, by one more linear
solve with the existing factors: the factorization itself is never differentiated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from inloop.formalisms.derive import Derivation
from inloop.formalisms.laws.ports import Port
from inloop.formalisms.laws.reactions import complete_rates
from inloop.formalisms.loops import lu
from inloop.formalisms.loops.constraints import build_rows
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.loops.reduced import (
    Constrained,
    Reduced,
    at_velocities,
    constrained,
    factorize_rows,
    reduced,
)
from inloop.formalisms.loops.rows import Row
from inloop.formalisms.recursions import crb
from inloop.formalisms.signals import with_derivatives
from inloop.formalisms.symbols import Selection
from inloop.symbolic import Expr, rebuild


@dataclass(frozen=True)
class Roles:
    """Roles of coordinates and constraint rows.

    Attributes:
        velocities: partition on velocity level.
        positions: partition on position level: velocity constraints leave more coordinates free.
        unconstrained: whether there are neither rows nor drives.
    """

    velocities: Partition
    positions: Partition
    unconstrained: bool

    @property
    def led(self) -> tuple[int, ...]:
        """Coordinates with free positions whose velocities are dependent."""
        free = set(self.velocities.independent)
        return tuple(k for k in self.positions.independent if k not in free)


class Balance:
    """The motion of a mechanism: its solution, and the balances it satisfies.

    Attributes:
        derivation: the derivation.
        roles: roles of coordinates and rows.
        qd: symbols of all velocities; those of dependent coordinates stand for the solution.
        qdd: symbols that stand for all accelerations; those of driven joints are given.
        lam, effort: symbols that stand for the multipliers and for the efforts of drives.
    """

    def __init__(
        self, derivation: Derivation, roles: Roles, external_forces: Selection = ()
    ) -> None:
        self.derivation, self.roles = derivation, roles
        self._external_forces = external_forces
        symbols, graph, parts = derivation.symbols, derivation.graph, roles.velocities
        dependent = set(parts.dependent)
        self.qd = [
            graph.symbol(f"solved_qd_{k + 1}") if k in dependent else qd
            for k, qd in enumerate(symbols.qd)
        ]
        self.qdd = list(symbols.qdd)
        self.lam = [graph.symbol(f"solved_lam_{k + 1}") for k in range(len(parts.rows))]
        self.effort = [graph.symbol(f"solved_effort_{k + 1}") for k in range(len(parts.driven))]

    # the solution

    @cached_property
    def _constrained(self) -> Constrained:
        d = self.derivation
        return constrained(d.mechanism, d.skeleton, self.roles.velocities, self._external_forces)

    @cached_property
    def solution(self) -> Reduced:
        """Velocities, accelerations, multipliers, efforts and rates, as a run computes them."""
        d = self.derivation
        if self.roles.unconstrained:
            qdd, _ = d.qdd
            rates = complete_rates(d.skeleton, d.loads, qdd)
            return Reduced(list(d.symbols.qd), qdd, [], [], rates)
        return reduced(d.mechanism, d.skeleton, self.roles.velocities, self._external_forces)

    @cached_property
    def _solved(self) -> dict[Expr, Expr]:
        """By symbol, the solution it stands for."""
        solution, parts = self.solution, self.roles.velocities
        given = set(parts.driven)
        pairs = [(self.qd[k], solution.qd[k]) for k in parts.dependent]
        pairs += [
            (a, b)
            for k, (a, b) in enumerate(zip(self.qdd, solution.qdd, strict=True))
            if k not in given
        ]
        pairs += zip(self.lam, solution.lam, strict=True)
        pairs += zip(self.effort, solution.effort, strict=True)
        return dict(pairs)

    def with_solution(self, exprs: Sequence[Expr]) -> list[Expr]:
        """Expressions with symbols replaced by the solution."""
        return rebuild(exprs, self.derivation.graph, self._solved)

    # the balances

    @cached_property
    def _moving(self) -> Constrained:
        """The mechanism with symbols for its velocities."""
        d = self.derivation
        if self.roles.unconstrained:
            return self._constrained
        return at_velocities(
            d.mechanism,
            d.skeleton,
            self.roles.velocities,
            self._constrained.factors,
            self.qd,
            self._external_forces,
        )

    @cached_property
    def closing(self) -> list[Expr]:
        """h of the rows that close positions."""
        return [self._rows[k].h for k in self.roles.positions.rows]

    @cached_property
    def velocities(self) -> list[Expr]:
        """J qd + nu of the rows in use."""
        return [row.rate(self.qd) for row in self._moving.used]

    @cached_property
    def accelerations(self) -> list[Expr]:
        """J qdd + gamma of the rows in use."""
        return [
            sum((entry * self.qdd[k] for k, entry in row.J.items()), row.gamma)
            for row in self._moving.used
        ]

    @cached_property
    def efforts(self) -> list[Expr]:
        """M qdd + c - tau - Jᵀ lam - effort, by coordinate."""
        needed = self._moving.efforts(self.qdd)
        total = [need - tau for need, tau in zip(needed, self.derivation.symbols.tau, strict=True)]
        for row, force in zip(self._moving.used, self.lam, strict=True):
            for k, entry in row.J.items():
                total[k] = total[k] - entry * force
        for k, effort in zip(self.roles.velocities.driven, self.effort, strict=True):
            total[k] = total[k] - effort
        return total

    @cached_property
    def rates(self) -> list[Expr]:
        """Rates of the states of laws."""
        at = self._moving
        return complete_rates(at.moving, at.loads, self.qdd, at.used, self.lam)

    @cached_property
    def observed(self) -> dict[str, Expr]:
        """Outputs of the laws, by name."""
        return self._moving.loads.observed

    @property
    def ports(self) -> list[Port]:
        """The laws."""
        return self._moving.loads.ports

    @property
    def reactions(self) -> frozenset[Expr]:
        """Placeholders in laws for forces known only with the accelerations."""
        return frozenset(self._moving.loads.reactions)

    @cached_property
    def drives(self) -> dict[int, tuple[Expr, Expr, Expr]]:
        """By driven coordinate, q, qd and qdd as functions of time, inputs and states."""
        d, motions = self.derivation, {}
        for drive in d.mechanism.drives:
            if drive.velocity is None or drive.acceleration is None:
                (position,) = d.symbols.substitute([drive.position], {drive.t: d.symbols.t})
                motions[drive.body] = with_derivatives(position, d.symbols.t)
            else:
                live = (drive.position, drive.velocity, drive.acceleration)
                q, qd, qdd = d.symbols.substitute(live, {})
                motions[drive.body] = q, qd, qdd
        return motions

    # linear systems with the factors of the solution

    def close(self, right: Sequence[Expr]) -> list[Expr]:
        """x with J_v x = right, for the dependent positions."""
        return self._closing.solve(right)

    def close_transposed(self, right: Sequence[Expr]) -> list[Expr]:
        """x with J_vᵀ x = right, for the rows that close positions."""
        return self._closing.solve_transposed(right)

    def solve_velocities(self, right: Sequence[Expr]) -> list[Expr]:
        """x with J_v x = right, for the dependent velocities."""
        return self._constrained.factors.solve(right)

    def solve_velocities_transposed(self, right: Sequence[Expr]) -> list[Expr]:
        """x with J_vᵀ x = right, for the rows in use."""
        return self._constrained.factors.solve_transposed(right)

    def solve_motion(
        self, efforts: Sequence[Expr], rows: Sequence[Expr]
    ) -> tuple[list[Expr], list[Expr]]:
        """x and y with M x - Jᵀ y = efforts, J x = rows; x of driven coordinates is 0.

        Args:
            efforts: right sides by coordinate; those of driven ones are not read.
            rows: right sides of the rows in use.
        """
        if self.roles.unconstrained:
            return self.derivation.factors.solve(efforts), []
        at, parts, graph = self._constrained, self.roles.velocities, self.derivation.graph
        x = [graph.zero] * self.derivation.n
        for k, value in zip(parts.dependent, at.factors.solve(rows), strict=True):
            x[k] = value
        B, M = self._columns, self._mass_rows
        left = [
            _less(right, ((M[i][k], x[k]) for k in parts.dependent))
            for i, right in enumerate(efforts)
        ]
        independent = lu.solve_symmetric(self._reduced_mass, at.projected(B, left), "Mr")
        for j, value, column in zip(parts.independent, independent, B, strict=True):
            x[j] = value
            for k, entry in zip(parts.dependent, column, strict=True):
                x[k] = x[k] + entry * value
        moved = (*parts.independent, *parts.dependent)
        need = [_less(-efforts[i], ((M[i][k], -x[k]) for k in moved)) for i in parts.dependent]
        return x, at.factors.solve_transposed(need)

    @cached_property
    def _rows(self) -> list[Row]:
        return build_rows(self.derivation.mechanism, self.derivation.skeleton)

    @cached_property
    def _closing(self) -> lu.LU:
        roles = self.roles.positions
        used = [self._rows[k] for k in roles.rows]
        return factorize_rows(used, roles, self.derivation.graph)

    @cached_property
    def _columns(self) -> list[list[Expr]]:
        return self._constrained.columns()

    @cached_property
    def _mass_rows(self) -> list[list[Expr]]:
        return crb.mass_matrix(self._constrained.base).rows(self.derivation.graph.zero)

    @cached_property
    def _reduced_mass(self) -> dict[tuple[int, int], Expr]:
        return self._constrained.mass(self._columns)[1]


def _less(start: Expr, products: Iterable[tuple[Expr, Expr]]) -> Expr:
    """start - Σ a b."""
    total = start
    for a, b in products:
        total = total - a * b
    return total
