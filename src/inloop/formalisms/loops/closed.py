"""Programs of mechanisms with loops and driven joints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from inloop.formalisms.derive import Derivation, state_rates
from inloop.formalisms.loops.alignment import Alignment, build_alignments
from inloop.formalisms.loops.constraints import build_rows
from inloop.formalisms.loops.cut_forces import cut_forces
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.loops.reduced import (
    Constrained,
    Newton,
    Reduced,
    constrained,
    newton,
    reduced,
)
from inloop.formalisms.loops.rows import Row
from inloop.formalisms.loops.terms import (
    CommonTerms,
    Terms,
    common_programs,
    common_terms,
    gather_terms,
    term_programs,
)
from inloop.formalisms.signals import motion_outputs, with_derivatives
from inloop.formalisms.symbols import Selection
from inloop.symbolic import Expr, Input, Output, Program, reachable


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
        """Name of the time input if constraints depend on time, else empty."""
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

    @cached_property
    def alignments(self) -> list[Alignment]:
        """Orientation of solid cuts and hinges."""
        return build_alignments(self.derivation.mechanism, self.derivation.skeleton)

    def alignment(self) -> Program:
        """Cosines of solid cuts and hinges, and the rows of the hinges' angles."""
        d = self.derivation
        zero = d.graph.zero
        rows = [row for found in self.alignments for row in found.J]
        angles = tuple(row.get(k, zero) for row in rows for k in range(d.n))
        cosines = [found.cosine for found in self.alignments]
        outputs: tuple[Output, ...] = (Output.vector("facing", cosines, "cosines, 1 when closed"),)
        if rows:
            outputs += (Output("J", angles, (len(rows), d.n), "of the angles of hinges"),)
        doc = "How far the frames of solid cuts and the axes of hinges are turned to each other."
        return d.make("alignment", "q", outputs, doc, "geometric Jacobian")

    def cut_forces(self) -> Program:
        """Forces and torques in the cuts of all loops, in world axes."""
        d = self.derivation
        lam = [d.graph.symbol(f"lam_{k}") for k in range(1, len(self.rows) + 1)]
        cuts = cut_forces(d.mechanism.loops, self.rows, lam, d.skeleton)
        outputs = (
            Output("force", tuple(e for cut in cuts for e in cut.force), (len(cuts), 3), "[N]"),
            Output("torque", tuple(e for cut in cuts for e in cut.torque), (len(cuts), 3), "[N·m]"),
            Output.vector("tension", [cut.tension for cut in cuts], "of rods [N]"),
            *self._coupled_efforts(lam),
        )
        inputs = (
            Input("q", tuple(d.symbols.q), "coordinates [rad or m]"),
            Input("lam", tuple(lam), "multipliers of all rows; 0 for dropped ones [N or N·m]"),
        )
        doc = "What each loop exerts on its second end at the cut point, in world axes."
        return Program("cut_forces", inputs, outputs, doc, "geometric Jacobian")

    def _coupled_efforts(self, lam: Sequence[Expr]) -> tuple[Output, ...]:
        """Efforts of each coupling on its joints, in the order of its factors."""
        zero = self.derivation.graph.zero
        found = {row.element: (row.J, x) for row, x in zip(self.rows, lam, strict=True)}
        efforts = [
            found[item.name][0].get(k, zero) * found[item.name][1]
            for item in self.derivation.mechanism.couplings
            for k, _ in item.factors
        ]
        return (Output.vector("effort", efforts, "of couplings [N·m or N]"),) if efforts else ()

    def newton(self, partition: Partition, suffix: str = "") -> Program:
        """One Newton step of the dependent coordinates."""
        found = newton(self.rows, partition, self.derivation.graph)
        return self._newton(found, suffix, "unrolled sparse LU")

    def constrained(self, partition: Partition, suffix: str = "") -> Program:
        """Velocities, accelerations, multipliers and efforts at a closed position."""
        d = self.derivation
        found = reduced(d.mechanism, d.skeleton, partition, self._external_forces)
        return self._constrained(found, suffix, "coordinate partitioning")

    def _newton(self, found: Newton, suffix: str, formalism: str) -> Program:
        outputs = (
            Output.vector("step", found.step, "corrections of the dependent coordinates"),
            Output.vector("h", found.h, "constraint values [m or rad]"),
            Output.vector("pivots", found.reciprocals, "reciprocals of the pivots"),
        )
        doc = "One Newton step towards closed loops."
        return self.derivation.make(f"newton{suffix}", f"q {self._time}", outputs, doc, formalism)

    def _constrained(self, found: Reduced, suffix: str, formalism: str) -> Program:
        d = self.derivation
        outputs = (
            Output.vector("v", found.qd, "all velocities [rad/s or m/s]"),
            Output.vector("a", found.qdd, "all accelerations [rad/s² or m/s²]"),
            Output.vector("lam", found.lam, "multipliers of the rows in use [N or N·m]"),
            Output.vector("effort", found.effort, "efforts of the driven joints [N·m or N]"),
            *state_rates(found.rates),
        )
        doc = "Motion of the whole mechanism from its independent and driven coordinates."
        state = self.state("q qd qdd tau loads" if self.driven else "q qd tau loads")
        return d.make(f"constrained{suffix}", state, outputs, doc, formalism)

    def stand_ins(self, partition: Partition, suffix: str = "") -> tuple[Program, Program]:
        """The same two functions with symbols for the results of the sparse solution."""
        d, m = self.derivation, len(partition.dependent)

        def symbols(name: str, count: int) -> list[Expr]:
            return [d.graph.symbol(f"{name}_{k}") for k in range(1, count + 1)]

        step = Newton(symbols("step", m), symbols("h", m), symbols("pivot", m))
        motion = Reduced(
            symbols("v", d.n),
            symbols("a", d.n),
            symbols("lam", m),
            symbols("effort", len(partition.driven)),
            symbols("zd", len(d.loads.rates)),
        )
        formalism = "sparse LU in a fixed order"
        return self._newton(step, suffix, formalism), self._constrained(motion, suffix, formalism)

    def terms(self, partition: Partition) -> Terms:
        """Entries of the constrained equations for the sparse solution."""
        return gather_terms(self.derivation, self.rows, partition)

    def term_programs(self, terms: Terms, suffix: str = "") -> list[Program]:
        """The functions that compute them."""
        return term_programs(self.derivation, terms, self._time, suffix)

    @cached_property
    def common_terms(self) -> CommonTerms:
        """Entries of the constrained equations, valid for all partitions."""
        return common_terms(self.derivation, self.rows)

    def common_programs(self) -> list[Program]:
        """The functions that compute them."""
        return common_programs(self.derivation, self.common_terms, self._time)

    def state(self, blocks: str) -> str:
        """Names of input blocks with "loads", and time if only constraints depend on it."""
        return f"{blocks} t" if self._time and not self.derivation.uses_time else blocks

    def at(self, partition: Partition) -> Constrained:
        """The mechanism at a closed position, with the velocities of a partition."""
        d = self.derivation
        return constrained(d.mechanism, d.skeleton, partition, self._external_forces)

    def drives(self) -> Program:
        """Position, velocity and acceleration of the driven joints, as prescribed by the model."""
        d, t = self.derivation, self.derivation.symbols.t
        rows: list[Sequence[Expr]] = []
        for drive in d.mechanism.drives:
            if drive.velocity is None or drive.acceleration is None:
                (position,) = d.symbols.substitute([drive.position], {drive.t: t})
                rows.append(with_derivatives(position, t))
            else:
                live = (drive.position, drive.velocity, drive.acceleration)
                rows.append(d.symbols.substitute(live, {}))
        inputs = (Input("t", (t,), "time [s]"), *d.load_blocks())
        doc = "Prescribed motion of the driven joints."
        return Program("drives", inputs, motion_outputs(rows), doc, "")
