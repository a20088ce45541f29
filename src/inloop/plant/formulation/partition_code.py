"""Straight-line code for one choice of independent coordinates: what is printed and built."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from inloop.codegen.c_closed import emit_closed_rates
from inloop.codegen.c_formulas import emit_formulas
from inloop.codegen.c_sparse import RUNTIME, SparseUnit
from inloop.codegen.c_steps import (
    emit_closed_contacts,
    emit_closed_jacobian,
    emit_closed_steps,
)
from inloop.codegen.closed_pattern import ClosedPattern
from inloop.codegen.closed_unit import ClosedUnit
from inloop.formalisms import Derivation
from inloop.formalisms.events import ModeEvents
from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.loops.terms import Terms
from inloop.formalisms.stepping import steps
from inloop.formalisms.stepping.contact_rows import closed_contact_rows, first_rows
from inloop.joints import LENGTH
from inloop.native import runtime_sources
from inloop.plant.formulation.code import Code, Files
from inloop.plant.progress import deriving
from inloop.symbolic import Program, solved

if TYPE_CHECKING:
    from inloop.plant.equations import Equations

# Operations of the solution up to which it is unrolled. Unrolled ones run up to twice as fast up to
# some 150,000, but from some 10,000 on they take longer to derive and compile, and a repartition
# has to wait for that. See `python -m benchmarks loops_large --all`.
UNROLLED_UP_TO = 25_000


class PartitionCode(Code):
    """Newton's step and the constrained motion for one partition, and what belongs to them."""

    motion = "constrained"
    beside_rates = ("expand", "settle", "pivots")
    why_not_implicit = (
        "ball joints in loops, constraints on velocities and couplings without an offset have no "
        "generated Jacobian"
    )

    def __init__(
        self, equations: Equations, closed: ClosedLoops, partition: Partition, suffix: str
    ) -> None:
        """Code that is not built yet.

        Args:
            equations: where it is built.
            closed: the constraints, in the derivation that the code comes from.
            partition: roles of coordinates and rows.
            suffix: end of the names of its functions.
        """
        self._equations, self._closed = equations, closed
        self._partition, self.suffix = partition, suffix

    def build(self) -> None:
        """Derive and build the constrained motion, and impacts.

        With the first choice all that events need is built, which holds for every choice.
        """
        equations, derivation = self._equations, self._closed.derivation
        with deriving("the constrained motion", equations.name):
            programs = self.programs()
        equations.add(programs, self.sources, self.callable, derivation)
        if equations.modes is not None:
            events = ModeEvents(derivation, self._closed.rows, self._partition)
            first = not self.suffix
            following = (
                events.programs(equations.modes) if first else [events.projection(self.suffix)]
            )
            equations.add(following, emit_formulas, None, derivation)

    @property
    def unrolled(self) -> bool:
        """False if the solution is left to the sparse runtime, which needs native code."""
        if not self._equations.is_native:
            return True
        return self.solution_operations <= UNROLLED_UP_TO

    @property
    def solution_operations(self) -> int:
        """Operations of the constrained motion once its terms are known."""
        return self._sparse[1].motion_operations()

    @cached_property
    def _sparse(self) -> tuple[Terms, ClosedPattern]:
        """Entries that a sparse solution needs, and where they belong."""
        parts = self._partition
        terms = self._closed.terms(parts)
        sizes = (len(parts.dependent), len(parts.independent), len(parts.driven))
        places = (tuple(terms.Jv), tuple(terms.Jk), tuple(terms.M))
        return terms, ClosedPattern(terms.order, *sizes, *places).with_little_fill()

    def programs(self) -> tuple[Program, ...]:
        """What is to be printed.

        Newton's step and the constrained motion, or the terms that a sparse solution needs.
        """
        if self.unrolled:
            return (
                self._closed.newton(self._partition, self.suffix),
                self._closed.constrained(self._partition, self.suffix),
            )
        return tuple(self._closed.term_programs(self._sparse[0], self.suffix))

    def callable(self, programs: Sequence[Program]) -> Sequence[Program]:
        """Newton's step and the constrained motion, made of programs that went through the passes.

        Those of a sparse solution take what their terms take, and cost what these and it cost.
        """
        if self.unrolled:
            return programs
        prepared, (_, pattern) = programs[0].inputs[0], self._sparse
        newton, motion = self._closed.stand_ins(self._partition, self.suffix)
        return [
            solved(newton, prepared, programs[:1], pattern.newton_operations()),
            solved(motion, prepared, programs[1:], pattern.motion_operations()),
        ]

    def unit(self) -> ClosedUnit:
        """What generated C needs to know about the partition."""
        parts, mechanism = self._partition, self._equations.mechanism
        return ClosedUnit(
            self._equations.n,
            parts.independent,
            parts.dependent,
            parts.driven,
            len(mechanism.states),
            any(mechanism.bodies[k].joint.kind.dimension is LENGTH for k in parts.dependent),
            mechanism.turned,
        )

    def sources(self, programs: Sequence[Program], prefix: str, about: Sequence[str]) -> Files:
        """C of the rates that the steppers call."""
        sparse: SparseUnit | None = None
        runtime: dict[str, str] = {}
        if not self.unrolled:
            at_rest, at_position, at_velocity, *rates = programs
            rate = rates[0] if rates else None
            names = f"{prefix}_Jv"
            sparse = SparseUnit(at_rest, at_position, at_velocity, rate, self._sparse[1], names)
            runtime = {name: runtime_sources()[name] for name in RUNTIME} | sparse.files()
        rates_text = emit_closed_rates(self.unit(), self.callable(programs), prefix, about, sparse)
        return {**rates_text, **runtime}

    # what integrators need beside the rates

    @property
    def implicit(self) -> bool:  # type: ignore[override]
        """See `Code`: not yet where loops turn quaternions or leave dependent positions free."""
        leads = all(row.leads for row in self._closed.rows)
        return leads and not self._equations.mechanism.attitudes

    @property
    def autonomous(self) -> bool:
        """See `Code`; never judged."""
        return False

    def _closed_in(self, derivation: Derivation) -> ClosedLoops:
        """The constraints of the mechanism in another derivation."""
        return ClosedLoops(derivation, self._equations.external_forces)

    def implicit_steps(self, derivation: Derivation) -> Sequence[Program]:
        """See `Code`."""
        return steps.closed_steps(self._closed_in(derivation), self._partition, self.suffix)

    def jacobian(self, derivation: Derivation) -> Program:
        """See `Code`."""
        return steps.closed_jacobian(self._closed_in(derivation), self._partition, self.suffix)

    def emit_implicit_steps(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Files:
        """See `Code`."""
        return emit_closed_steps(self.unit(), programs, prefix, about)

    def emit_jacobian(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Files:
        """See `Code`."""
        return emit_closed_jacobian(self.unit(), programs, prefix, about)

    def contact_rows(self, derivation: Derivation) -> Program:
        """See `Code`."""
        return closed_contact_rows(self._closed_in(derivation), self._partition, self.suffix)

    def emit_contact_rows(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Files:
        """See `Code`."""
        rows = first_rows(self._closed.derivation.mechanism)[-1]
        return emit_closed_contacts(self.unit(), programs, prefix, about, rows)


def suffix_of(partition: Partition) -> str:
    """A short name that tells partitions apart, whatever the order in which they are built."""
    return "_" + hashlib.sha256(repr(partition).encode()).hexdigest()[:8]
