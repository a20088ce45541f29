"""The programs of a run with derivatives, derived in a graph of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.codegen.tangent.placing import StateLayout
from inloop.formalisms import Derivation
from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.tangents import attitude_rates
from inloop.formalisms.variation.balance import Balance, Roles
from inloop.formalisms.variation.forward import Change, change
from inloop.plant.bare_plant import BarePlant
from inloop.plant.variation.names import TIME, state_names
from inloop.symbolic import Expr, Input, Output, Program


@dataclass(frozen=True)
class Observed:
    """What is told of a motion, in order: names, and how values and changes are found.

    Attributes:
        names: of the entries.
        values: expressions.
        changes: their derivatives along the directions.
    """

    names: tuple[str, ...]
    values: list[Expr]
    changes: list[Expr]


class RunPrograms:
    """Programs of the rates of a state x, and of their derivatives along directions.

    Attributes:
        states: names of x.
        layout: where the entries of x belong.
        derivation: where the programs come from.
    """

    def __init__(self, plant: BarePlant, roles: Roles, varied: Sequence[str]) -> None:
        self._plant, self._roles = plant, roles
        d = self.derivation = plant.equations.fresh_derivation()
        self._balance = Balance(d, roles, plant.equations.external_forces)
        self._loops = ClosedLoops(d, plant.equations.external_forces)
        self.states = state_names(plant, roles)
        self.layout = _layout(plant, roles)
        self._x = _state_symbols(d, roles)
        self._dx = [d.graph.symbol(f"dx.{name}") for name in self.states]
        self._dg = [d.graph.symbol(f"dg.{name}") for name in varied]
        seeds = dict(zip(self._x, self._dx, strict=True))
        seeds |= dict(zip(varied_symbols(d, varied), self._dg, strict=True))
        self._change: Change = change(self._balance, seeds)

    def newton(self) -> Program | None:
        """One Newton step of the dependent coordinates."""
        roles: Partition = self._roles.positions
        return self._loops.newton(roles) if roles.dependent else None

    def drives(self) -> Program | None:
        """The motion of driven joints."""
        return self._loops.drives() if self._roles.velocities.driven else None

    def tangent(self) -> Program:
        """xd, and its derivatives along the directions."""
        found = self._balance.solution
        free, led = self._roles.velocities.independent, self._roles.led
        d, c = self.derivation, self._change
        turning = attitude_rates(d.mechanism, d.symbols, found.qd)
        xd = [*_at(found.qd, free), *_at(found.qdd, free), *found.rates, *_at(found.qd, led)]
        dxd = [*_at(c.qd, free), *_at(c.qdd, free), *c.zd, *_at(c.qd, led)]
        return self._program("tangent", [*xd, *turning], [*dxd, *c.pd])

    @property
    def observed(self) -> Observed:
        """Positions, velocities, accelerations, multipliers, efforts, outputs of laws."""
        plant, found, c, d = self._plant, self._balance.solution, self._change, self.derivation
        names = plant.coordinates
        rows: list[tuple[str, Expr, Expr]] = []
        rows += zip((f"{x}.q" for x in names), d.symbols.q, c.q, strict=False)
        rows += zip((f"{x}.qd" for x in names), found.qd, c.qd, strict=True)
        rows += zip((f"{x}.qdd" for x in names), found.qdd, c.qdd, strict=True)
        states = (state.name for state in plant.mechanism.states)
        place = self.layout.z
        changes = self._dx[place : place + len(d.symbols.states)]
        rows += zip(states, d.symbols.states, changes, strict=True)
        lam = (f"lam.{self._loops.rows[k].name}" for k in self._roles.velocities.rows)
        rows += zip(lam, found.lam, c.lam, strict=True)
        efforts = (f"{names[k]}.effort" for k in self._roles.velocities.driven)
        rows += zip(efforts, found.effort, c.effort, strict=True)
        solved = self._balance.with_solution(list(self._balance.observed.values()))
        rows += zip(c.observed, solved, c.observed.values(), strict=True)
        return Observed(
            tuple(row[0] for row in rows), [row[1] for row in rows], [row[2] for row in rows]
        )

    def observation(self) -> Program:
        """What is told of a motion, and its derivatives along the directions."""
        found = self.observed
        return self._program("observation", found.values, found.changes)

    def _program(self, name: str, values: Sequence[Expr], changes: Sequence[Expr]) -> Program:
        d = self.derivation
        state = d.make(name, "q qd qdd tau loads t", (), "", "").inputs
        blocks = dict.fromkeys(block.name for block in state)
        inputs = [next(b for b in state if b.name == key) for key in blocks]
        inputs.append(Input("dx", tuple(self._dx), "derivatives of the state"))
        if self._dg:
            inputs.append(Input("dg", tuple(self._dg), "of parameters and inputs"))
        outputs = (Output.vector("y", values), Output.vector("dy", changes))
        doc = "Values, and their derivatives along several directions."
        return Program(name, tuple(inputs), outputs, doc, "balances at a fixed solution")


def varied_symbols(d: Derivation, names: Sequence[str]) -> list[Expr]:
    """Symbols of time, parameters, efforts and inputs; a parameter comes before an input."""
    symbols: dict[str, Expr] = {TIME: d.symbols.t}
    for block in d.load_blocks():
        if block.name == "u":
            symbols |= zip(d.input_names, block.symbols, strict=True)
    efforts = zip(d.mechanism.coordinates, d.symbols.tau, strict=True)
    symbols |= {f"{name}.tau": symbol for name, symbol in efforts}
    parameters = zip(d.symbols.parameters, d.symbols.symbols, strict=True)
    symbols |= {parameter.name: symbol for parameter, symbol in parameters}
    return [symbols[name] for name in names]


def _state_symbols(d: Derivation, roles: Roles) -> list[Expr]:
    symbols, free = d.symbols, roles.velocities.independent
    return [
        *_at(symbols.q, free), *_at(symbols.qd, free), *symbols.states,
        *_at(symbols.q, roles.led), *symbols.q[d.n :],
    ]  # fmt: skip


def _layout(plant: BarePlant, roles: Roles) -> StateLayout:
    free, nz = roles.velocities.independent, len(plant.mechanism.states)
    nu = len(free)
    behind = 2 * nu + nz
    q = [(k, i) for i, k in enumerate(free)]
    q += [(k, behind + i) for i, k in enumerate(roles.led)]
    q += [(k, behind + len(roles.led) + i) for i, k in enumerate(range(plant.n, plant.nq))]
    qd = [(k, nu + i) for i, k in enumerate(free)]
    return StateLayout(
        plant.n, plant.nq, tuple(q), tuple(qd), 2 * nu,
        roles.positions.dependent, roles.velocities.driven,
    )  # fmt: skip


def _at(values: Sequence[Expr], places: Sequence[int]) -> list[Expr]:
    return [values[k] for k in places]
