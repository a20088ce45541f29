"""Programs of mechanisms with loops and driven joints."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property

from inloop.errors import InputError
from inloop.formalisms.constraints import Row, build_rows
from inloop.formalisms.derive import Derivation, state_rates
from inloop.formalisms.partition import Partition
from inloop.formalisms.reduced import Constrained, constrained, newton, reduced
from inloop.formalisms.symbols import Selection
from inloop.symbolic import Expr, Input, Output, Program, Scalar, forward, reachable


class ClosedLoops:
    """The constraints of a derivation and the programs that solve them."""

    def __init__(self, derivation: Derivation, external_forces: Selection = ()) -> None:
        self.derivation = derivation
        self._external_forces = external_forces

    @property
    def driven(self) -> tuple[int, ...]:
        """Coordinates whose motion is prescribed."""
        return tuple(drive.body for drive in self.derivation.mechanism.drives)

    @cached_property
    def rows(self) -> list[Row]:
        """All constraint rows, redundant ones included."""
        return build_rows(self.derivation.mechanism, self.derivation.skeleton)

    @cached_property
    def _time(self) -> str:
        """The name of the time input where constraints depend on time."""
        exprs = [e for row in self.rows for e in (row.h, row.nu, row.gamma, *row.J.values())]
        return "t" if self.derivation.symbols.t in reachable(exprs) else ""

    def constraints(self) -> Program:
        """h, J, nu and gamma of all rows."""
        d = self.derivation
        zero = d.graph.zero
        jacobian = tuple(row.J.get(k, zero) for row in self.rows for k in range(d.n))
        outputs = (
            Output.vector("h", [row.h for row in self.rows], "constraint values [m or rad]"),
            Output("J", jacobian, (len(self.rows), d.n), "∂h/∂q"),
            Output.vector("nu", [row.nu for row in self.rows], "J qd + nu = 0"),
            Output.vector("gamma", [row.gamma for row in self.rows], "J qdd + gamma = 0"),
        )
        doc = "Loop constraints, their Jacobian and velocity terms."
        return d.make("constraints", f"q qd {self._time}", outputs, doc, "geometric Jacobian")

    def newton(self, partition: Partition, suffix: str = "") -> Program:
        """One Newton step of the dependent coordinates."""
        d = self.derivation
        found = newton(self.rows, partition, d.graph)
        outputs = (
            Output.vector("step", found.step, "corrections of the dependent coordinates"),
            Output.vector("h", found.h, "constraint values [m or rad]"),
            Output.vector("pivots", found.reciprocals, "reciprocals of the pivots"),
        )
        doc = "One Newton step towards closed loops."
        return d.make(f"newton{suffix}", f"q {self._time}", outputs, doc, "unrolled sparse LU")

    def constrained(self, partition: Partition, suffix: str = "") -> Program:
        """Velocities, accelerations, multipliers and efforts at a closed position."""
        d = self.derivation
        found = reduced(d.mechanism, d.skeleton, partition, self._external_forces)
        outputs = (
            Output.vector("v", found.qd, "all velocities [rad/s or m/s]"),
            Output.vector("a", found.qdd, "all accelerations [rad/s² or m/s²]"),
            Output.vector("lam", found.lam, "multipliers of the rows in use [N or N·m]"),
            Output.vector("effort", found.effort, "efforts of the driven joints [N·m or N]"),
            *state_rates(found.rates),
        )
        doc = "Motion of the whole mechanism from its independent and driven coordinates."
        state = self.state("q qd qdd tau loads" if self.driven else "q qd tau loads")
        return d.make(f"constrained{suffix}", state, outputs, doc, "coordinate partitioning")

    def state(self, blocks: str) -> str:
        """Names of input blocks with "loads", and time where only constraints depend on it."""
        return f"{blocks} t" if self._time and not self.derivation.uses_time else blocks

    def at(self, partition: Partition) -> Constrained:
        """The mechanism at a closed position, with the velocities of a partition."""
        d = self.derivation
        return constrained(d.mechanism, d.skeleton, partition, self._external_forces)

    def drives(self, motions: Mapping[str, Callable[[Expr], Scalar]] | None = None) -> Program:
        """Position, velocity and acceleration of the driven joints as functions of time.

        Args:
            motions: functions of time by joint name, in place of those of the model; a live input
                without one rests at the joint's initial value.
        """
        d = self.derivation
        wanted = dict(motions or {})
        position: list[Expr] = []
        for drive in d.mechanism.drives:
            joint = d.mechanism.bodies[drive.body].joint
            if joint.name in wanted:
                position.append(d.graph.wrap(wanted.pop(joint.name)(d.symbols.t)))
            else:
                value = joint.initial[0] if drive.position is None else drive.position
                position += d.symbols.substitute([value], {drive.t: d.symbols.t})
        if wanted:
            raise InputError(
                f"{', '.join(wanted)}: not a driven joint of model '{d.mechanism.name}'",
                fix="Declare it with m.drive(...).",
            )
        velocity = forward(position, d.symbols.t)
        acceleration = forward(velocity, d.symbols.t)
        outputs = (
            Output.vector("qs", position, "positions [rad or m]"),
            Output.vector("qds", velocity, "velocities [rad/s or m/s]"),
            Output.vector("qdds", acceleration, "accelerations [rad/s² or m/s²]"),
        )
        name = "drives"
        if motions:
            ids = ",".join(str(e.id) for e in position)
            name = f"drives_{hashlib.sha256(ids.encode()).hexdigest()[:8]}"
        doc = "Prescribed motion of the driven joints."
        return Program(name, (Input("t", (d.symbols.t,), "time [s]"),), outputs, doc, "")
