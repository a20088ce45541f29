"""The programs of a run with derivatives, derived in a graph of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from inloop.codegen.tangent.placing import StateLayout
from inloop.errors import InputError, name_hint
from inloop.formalisms import Derivation
from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.tangents import attitude_rates
from inloop.formalisms.variation.balance import Balance, Roles
from inloop.formalisms.variation.corners import Corners, corners_of
from inloop.formalisms.variation.forward import Change, change
from inloop.formalisms.variation.reverse import pull_back
from inloop.formalisms.variation.touched import TouchedBalance
from inloop.model.geometry import Scalar
from inloop.plant.bare_plant import BarePlant
from inloop.plant.variation.names import TIME, state_names
from inloop.symbolic import Expr, Input, Output, Program, reachable


@dataclass(frozen=True)
class Observed:
    """Observed signals of a motion, in order.

    Attributes:
        names: names of the signals.
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
        layout: layout of x.
        derivation: the derivation of the programs.
    """

    def __init__(self, plant: BarePlant, roles: Roles, varied: Sequence[str]) -> None:
        self._plant, self._roles = plant, roles
        d = self.derivation = plant.equations.fresh_derivation()
        touched = bool(plant.mechanism.declared_contacts)
        kind = TouchedBalance if touched else Balance
        self._balance = kind(d, roles, plant.equations.external_forces)
        self._loops = ClosedLoops(d, plant.equations.external_forces)
        self.states = state_names(plant, roles)
        self.layout = _layout(plant, roles)
        self._x = _state_symbols(d, roles)
        self._dx = [d.graph.symbol(f"dx.{name}") for name in self.states]
        self._dg = [d.graph.symbol(f"dg.{name}") for name in varied]
        self._g = varied_symbols(d, varied)

    @cached_property
    def _change(self) -> Change:
        seeds = dict(zip(self._x, self._dx, strict=True))
        seeds |= dict(zip(self._g, self._dg, strict=True))
        return change(self._balance, seeds, self._touches)

    @property
    def _touches(self) -> list[Expr]:
        """Quantities at hard contacts, in symbols of the balance."""
        b = self._balance
        return b.touches.all if isinstance(b, TouchedBalance) else []

    def newton(self) -> Program | None:
        """One Newton step of the dependent coordinates."""
        roles: Partition = self._roles.positions
        return self._loops.newton(roles) if roles.dependent else None

    def drives(self) -> Program | None:
        """The motion of driven joints."""
        return self._loops.drives() if self._roles.velocities.driven else None

    def tangent(self) -> Program:
        """xd, and its derivatives along the directions."""
        return self._with_changes("tangent", self._rates, self._rate_changes)

    def touching(self) -> Program:
        """xd and quantities at hard contacts, and their derivatives along the directions."""
        seen = self._balance.with_solution(self._touches)
        changes = [*self._rate_changes, *self._change.watched]
        return self._with_changes("touching", [*self._rates, *seen], changes)

    @property
    def _rate_changes(self) -> list[Expr]:
        free, led, c = self._roles.velocities.independent, self._roles.led, self._change
        dxd = [*_at(c.qd, free), *_at(c.qdd, free), *c.zd, *_at(c.qd, led)]
        return [*dxd, *c.pd]

    @property
    def _rates(self) -> list[Expr]:
        solution, d = self._balance.solution, self.derivation
        free, led = self._roles.velocities.independent, self._roles.led
        turning = attitude_rates(d.mechanism, d.symbols, solution.qd)
        xd = [
            *_at(solution.qd, free),
            *_at(solution.qdd, free),
            *solution.rates,
            *_at(solution.qd, led),
        ]
        return [*xd, *turning]

    @property
    def switches(self) -> tuple[str, ...]:
        """Names of laws that compare numbers or take a sign: their forces may jump at any time.

        The name of the model if no law does so itself, but a drive or an output used elsewhere.
        """
        if not _compares(self._rates):
            return ()
        laws = tuple(
            law.name
            for law in self._plant.mechanism.laws
            if _compares([*law.value, *(state.rate for state in law.states)])
        )
        return laws or (self._plant.name,)

    @cached_property
    def corners(self) -> Corners:
        """Corners of laws."""
        return corners_of(self._balance)

    def corner_values(self) -> Program | None:
        """Expressions that change their sign at corners; None: there are none."""
        values = self.corners.values
        return self._program("corners", [Output.vector("y", values)], ()) if values else None

    def rates(self) -> Program:
        """xd."""
        return self._program("rates", [Output.vector("y", self._rates)], ())

    def pulled_rates(self) -> Program:
        """Derivatives of Σ w xd by x, then by the varied quantities."""
        b, d = self._balance, self.derivation
        free, led = self._roles.velocities.independent, self._roles.led
        turning = attitude_rates(d.mechanism, d.symbols, b.qd)
        xd = [*_at(b.qd, free), *_at(b.qdd, free), *b.rates, *_at(b.qd, led), *turning]
        return self._pulled("pulled_rates", xd)

    def pulled_signals(self, names: Sequence[str]) -> Program:
        """Derivatives of Σ w signal by x, then by the varied quantities."""
        b, coordinates = self._balance, self._plant.coordinates
        known: dict[str, Expr] = {}
        for kind, symbols in (("q", self.derivation.symbols.q), ("qd", b.qd), ("qdd", b.qdd)):
            known |= {f"{x}.{kind}": s for x, s in zip(coordinates, symbols, strict=False)}
        states = zip(self._plant.mechanism.states, self.derivation.symbols.states, strict=True)
        known |= {state.name: symbol for state, symbol in states}
        known |= dict(
            zip(self._quaternions, self.derivation.symbols.q[self._plant.n :], strict=True)
        )
        rows = zip(self._roles.velocities.rows, b.lam, strict=True)
        known |= {f"lam.{self._loops.rows[k].name}": symbol for k, symbol in rows}
        # efforts of drives are the residuals of their balances
        efforts = zip(self._roles.velocities.driven, b.effort, strict=True)
        known |= {f"{coordinates[k]}.effort": b.efforts[k] + given for k, given in efforts}
        known |= b.observed
        for name in names:
            if name not in known:
                raise InputError(
                    f"the loss uses '{name}', for which there are no backward derivatives",
                    fix=name_hint(name, list(known)),
                )
        return self._pulled("pulled_signals", [known[name] for name in names])

    def _pulled(self, name: str, exprs: Sequence[Expr]) -> Program:
        graph = self.derivation.graph
        weights = [graph.symbol(f"w.{k}") for k in range(len(exprs))]
        pairs = list(zip(weights, exprs, strict=True))
        gradient = pull_back(self._balance, pairs, [*self._x, *self._g])
        inputs = [Input("w", tuple(weights), "weights of the results")]
        return self._program(name, [Output.vector("y", gradient)], inputs)

    @property
    def _quaternions(self) -> tuple[str, ...]:
        """Names of the components of quaternions, which are the last states."""
        return self._plant.positions[self._plant.n :]

    @property
    def observed(self) -> Observed:
        """Positions, velocities, accelerations, multipliers, efforts, laws, quaternions."""
        plant, solution, c, d = self._plant, self._balance.solution, self._change, self.derivation
        names = plant.coordinates
        rows: list[tuple[str, Expr, Expr]] = []
        rows += zip((f"{x}.q" for x in names), d.symbols.q, c.q, strict=False)
        rows += zip((f"{x}.qd" for x in names), solution.qd, c.qd, strict=True)
        rows += zip((f"{x}.qdd" for x in names), solution.qdd, c.qdd, strict=True)
        states = (state.name for state in plant.mechanism.states)
        place = self.layout.z
        changes = self._dx[place : place + len(d.symbols.states)]
        rows += zip(states, d.symbols.states, changes, strict=True)
        lam = (f"lam.{self._loops.rows[k].name}" for k in self._roles.velocities.rows)
        rows += zip(lam, solution.lam, c.lam, strict=True)
        efforts = (f"{names[k]}.effort" for k in self._roles.velocities.driven)
        rows += zip(efforts, solution.effort, c.effort, strict=True)
        solved = self._balance.with_solution(list(self._balance.observed.values()))
        rows += zip(c.observed, solved, c.observed.values(), strict=True)
        parts = self._quaternions
        rows += zip(
            parts, d.symbols.q[plant.n :], self._dx[len(self._dx) - len(parts) :], strict=True
        )
        return Observed(
            tuple(row[0] for row in rows), [row[1] for row in rows], [row[2] for row in rows]
        )

    def observation(self) -> Program:
        """Observed signals of a motion, and their derivatives along the directions."""
        observed = self.observed
        return self._with_changes("observation", observed.values, observed.changes)

    def _with_changes(self, name: str, values: Sequence[Expr], changes: Sequence[Expr]) -> Program:
        inputs = [Input("dx", tuple(self._dx), "derivatives of the state")]
        if self._dg:
            inputs.append(Input("dg", tuple(self._dg), "of parameters and inputs"))
        return self._program(
            name, [Output.vector("y", values), Output.vector("dy", changes)], inputs
        )

    def _program(self, name: str, outputs: Sequence[Output], more: Sequence[Input]) -> Program:
        d = self.derivation
        state = d.make(name, "q qd qdd tau loads t", (), "", "").inputs
        inputs = list({block.name: block for block in state}.values())
        doc = "Of a run with derivatives."
        formalism = "balances at a fixed solution"
        return Program(name, (*inputs, *more), tuple(outputs), doc, formalism)


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


def _compares(values: Sequence[Scalar]) -> bool:
    exprs = [value for value in values if isinstance(value, Expr)]
    return any(node.op in ("sign", "lt", "le") for node in reachable(exprs))


def _at(values: Sequence[Expr], places: Sequence[int]) -> list[Expr]:
    return [values[k] for k in places]
