"""Mechanisms with loops or drives, reduced to independent coordinates."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.codegen.c_motions import emit_motions
from inloop.errors import SimulationError
from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.loops.partition import Partition
from inloop.native import TERMS_FLAGS
from inloop.plant.engine import Array
from inloop.plant.formulation import any_choice, closed_motion
from inloop.plant.formulation.choosing import first_choice, is_bad, other_choice
from inloop.plant.formulation.closed_rows import ClosedRows
from inloop.plant.formulation.closing import refuse_what_cannot_close
from inloop.plant.formulation.formulation import Formulation
from inloop.plant.formulation.partition_code import PartitionCode, suffix_of
from inloop.plant.formulation.positions import ClosedPositions
from inloop.plant.formulation.terms import TERMS, Terms
from inloop.plant.progress import deriving

if TYPE_CHECKING:
    from inloop.plant.equations import Equations

MOST_ITERATIONS = 10
WORST_PIVOT = 2.5  # how far a pivot may shrink before another partition is due
# Newton's corrections below this end it, in radians, or in parts of the mechanism's characteristic
# length; the error left is of the order of its square
CLOSED = 1e-8


class ReducedLoops(Formulation):
    """Loops and driven joints, with one choice of independent coordinates.

    Dependent coordinates are found by Newton's method, and the constrained equations are reduced to
    the independent ones (coordinate partitioning). There is code for the first choice, and for
    those named in `compile_partitions`; every other one is solved while it runs, which takes a few
    times as long.

    Attributes:
        closed: the constraints and what is derived from them.
    """

    positions: ClosedPositions

    # the open tree of a closed mechanism may have massless tips: no accelerations of its own
    core = ("inverse_dynamics", "mass_matrix", "bias", "energy")
    core_of_large = "inverse_dynamics"

    def __init__(self, equations: Equations) -> None:
        """Assemble the loops, choose independent coordinates, build the constrained motion."""
        super().__init__(equations)
        self.closed = closed = ClosedLoops(equations.derivation, equations.external_forces)
        if closed.driven:
            equations.add([closed.drives()], emit_motions)
        alignment = [closed.alignment()] if closed.alignments else []
        equations.add([closed.constraints(), closed.cut_forces(), *alignment])
        modes = [] if equations.modes is None else list(equations.modes.values())
        strict = not modes or modes[0] is equations.mechanism
        self.positions = positions = ClosedPositions(equations, closed, strict)
        self.rows = ClosedRows(equations, closed, positions)
        small = self.elastic
        self.partition = first_choice(equations.mechanism, closed, positions, small)
        singular = positions.singular_at(positions.first.q)
        self.notes = (
            *(
                f"loop '{row.element}' adds nothing in direction {row.direction}; row dropped"
                for row in (closed.rows[k] for k in self.partition.dropped)
            ),
            *positions.notes,
            *([singular] if singular else []),
        )
        first = PartitionCode(equations, closed, self.partition, "")
        first.build()
        # what has been built, the same in all objects of a plant; written under equations.building
        self._built: dict[Partition, PartitionCode] = {self.partition: first}
        # hard contacts need code for every choice: there are no terms of theirs
        if equations.is_native and not equations.mechanism.hard_contacts:
            self._build_terms()
        equations.parameters.check_with(partial(refuse_what_cannot_close, self, equations))

    def _build_terms(self) -> None:
        """Build what a reduction at run time needs, for any choice of independent coordinates."""
        terms = Terms(self.closed)
        with deriving("the terms of the loops", self._equations.name):
            programs = terms.programs()
        self._equations.add(programs, terms.sources, flags=TERMS_FLAGS)

    @property
    def dropped_loop(self) -> str:
        """Name of the first loop with a row that was dropped though it is not always zero."""
        rows = [self.closed.rows[k] for k in self.partition.dropped]
        return next((row.element for row in rows if row.J), rows[0].element if rows else "")

    def close(self, q: Array, t: float = 0.0) -> Array:
        """See `Formulation`: by Newton's method.

        Raises:
            SimulationError: the loops cannot be closed.
        """
        q = np.array(q, dtype=np.float64)
        dependent, closure = list(self.partition.dependent), self.positions.closure
        for _ in range(MOST_ITERATIONS if dependent else 0):
            motion = np.zeros(self._equations.n)
            motion[dependent] = step = self._newton(q, t)["step"]
            q = self._equations.configuration.moved(q, motion)
            if np.abs(step / closure.coordinate_sizes[dependent]).max() <= CLOSED:
                break
        if closure.at(t).is_nearly_closed(q):
            return q
        raise SimulationError(
            f"model '{self._equations.name}': loops cannot be closed with these coordinates",
            fix="Start closer to a closed position, or use plant.formulation.assemble(q).q.",
        )

    def locked_at(self, q: Array) -> str:
        """See `Formulation`."""
        missing, free = self.positions.rows_missing_at(q), len(self.partition.independent)
        if not missing:
            return ""
        return (
            f"a branch with {free - missing} degrees of freedom, {missing} fewer than where it "
            f"was assembled: loop '{self.dropped_loop}' needs rows that were dropped there"
        )

    # choices of independent coordinates

    @property
    def known(self) -> tuple[Partition, ...]:
        """See `Formulation`."""
        return tuple(self._built)

    @property
    def chooses_freely(self) -> bool:
        """See `Formulation`."""
        return bool(self.partition.dependent) and self._equations.is_built(TERMS)

    @property
    def rows_that_may_act(self) -> tuple[int, ...]:
        """See `Formulation`."""
        if self.chooses_freely:
            return tuple(k for k, row in enumerate(self.closed.rows) if row.J)
        return tuple(sorted({row for known in self.known for row in known.rows}))

    def with_partition(self, partition: Partition) -> ReducedLoops:
        """See `Formulation`; where the equations run as Python, further ones are derived."""
        if not self._equations.is_built(TERMS):
            self.compile_partitions([partition])
        other = copy.copy(self)
        other.partition = partition
        return other

    def partition_of(self, roles: Array) -> Partition:
        """See `Formulation`."""
        m, numbers = len(self.partition.rows), [int(role) for role in roles]
        rows = numbers[len(numbers) - m :]
        return Partition(
            independent=tuple(numbers[m : len(numbers) - m]),
            driven=self.closed.driven,
            dependent=tuple(numbers[:m]),
            rows=tuple(rows),
            dropped=tuple(k for k in range(len(self.closed.rows)) if k not in rows),
        )

    def compile_partitions(self, partitions: Iterable[Partition]) -> None:
        """See `Formulation`."""
        equations = self._equations
        for partition in partitions:
            with equations.building:
                if partition not in self._built:
                    closed = ClosedLoops(equations.fresh_derivation(), equations.external_forces)
                    code = PartitionCode(equations, closed, partition, suffix_of(partition))
                    code.build()
                    self._built[partition] = code

    def repartition(self, q: Array, t: float = 0.0) -> ReducedLoops | None:
        """See `Formulation`."""
        J, rank = self.rows.scaled(q, t)[1], self.positions.mobility.rank
        names, small = self._equations.coordinates, self.elastic
        chosen = other_choice(J, rank, self.partition, names, small)
        return None if chosen is None else self.with_partition(chosen)

    def good_at(self, q: Array, t: float = 0.0) -> ReducedLoops:
        """See `Formulation`."""
        parts = self.partition
        if not parts.dependent or not is_bad(self.rows.scaled(q, t)[1], parts):
            return self
        return self.repartition(q, t) or self

    def guard(self, q: Array, t: float = 0.0) -> Array:
        """See `Formulation`."""
        return np.asarray(1.0 / (WORST_PIVOT * self._newton(q, t)["pivots"]))

    @property
    def code(self) -> PartitionCode:
        """See `Formulation`; where nothing is built, what would be."""
        parts = self.partition
        known = self._built.get(parts)
        return known or PartitionCode(self._equations, self.closed, parts, suffix_of(parts))

    # motion

    def _newton(self, q: Array, t: float) -> dict[str, Array]:
        """Corrections of the dependent coordinates and reciprocal pivots, whatever is built."""
        if self.is_compiled:
            return self._equations.evaluate(self.function("newton"), q=q, t=t)
        return any_choice.newton(self._equations, self.partition, q, t)

    def motion(self, q: Array, qd: Array, tau: Array, **others: Any) -> dict[str, Array]:
        """See `Formulation`; takes one state."""
        closed = self.close(q, float(others.get("t", 0.0)))
        given = {"qdd": np.zeros(self._equations.n), **others}
        if self.is_compiled:
            return {"q": closed, **self.motion_at(closed, qd, tau, **given)}
        terms = self.closed.common_terms
        state = {"q": closed, "qd": qd, "tau": tau, **given}
        return {"q": closed, **any_choice.motion(self._equations, terms, self.partition, **state)}

    def motion_at(self, q: Array, qd: Array, tau: Array, **others: Any) -> dict[str, Array]:
        """See `Formulation`."""
        return self._equations.evaluate(self.motion_function, q=q, qd=qd, tau=tau, **others)

    def accelerations(self, q: Any, qd: Any, tau: Any, **others: Any) -> Array:
        """See `Formulation`."""
        return closed_motion.accelerations(self._equations, self, q, qd, tau, **others)

    def reduced_equations(self, q: Array, qd: Array, **others: Any) -> dict[str, Array]:
        """See `Formulation`."""
        return closed_motion.reduced_equations(self._equations, self, q, qd, **others)

    def impulses(self, q: Array, qd: Array, t: float, e: Array) -> Array:
        """See `Formulation`."""
        if self.is_compiled:
            name, state = self.function("project"), {"q": q, "qd": qd, "t": t, "e": e}
            return self._equations.evaluate(name, **state)["impulse"]
        return any_choice.impulses(self._equations, self.partition, q, qd, t, e)
