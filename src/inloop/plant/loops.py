"""Loops and drives of a plant: assembly, partition, and the motion that they leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from inloop.codegen.c_closed import emit_closed_rates
from inloop.codegen.c_sparse import RUNTIME, SparseUnit
from inloop.codegen.closed_pattern import ClosedPattern
from inloop.codegen.closed_unit import ClosedUnit
from inloop.errors import InputError, SimulationError
from inloop.formalisms.closed import ClosedLoops
from inloop.formalisms.partition import Partition, choose
from inloop.formalisms.terms import Terms
from inloop.native import runtime_sources
from inloop.plant.assembly import Assembly, assemble
from inloop.plant.engine import Array
from inloop.symbolic import Program, solved

if TYPE_CHECKING:
    from inloop.plant.equations import Equations

Derived = TypeVar("Derived")
# Operations of the solution up to which it is unrolled. Unrolled ones run up to twice as fast up to
# some 150,000, but from some 10,000 on they take longer to derive and compile, and a repartition
# has to wait for that. See `python -m benchmarks loops_large --all`.
UNROLLED_UP_TO = 25_000
MOST_ITERATIONS = 10
WORST_PIVOT = 2.5  # how far a pivot may shrink before another partition is due
# Newton's corrections below these end it; the error left is of the order of their square
CLOSED = 1e-8  # at samples and for functions
NEARLY_CLOSED = 1e-5  # at the inner stages of a step
CARRY_MOMENTS = ("solid", "hinge")  # kinds of loops
FARTHEST = 0.2  # [rad or m]: where estimates are carried along, longer corrections are jumps


class Loops:
    """The loops and driven joints of a plant.

    Attributes:
        position: a closed position near the joints' initial values.
        partition: roles of coordinates and constraint rows, now.
        first: those at the closed position that was found first.
        notes: dropped rows in words.
    """

    def __init__(self, plant: Equations, closed: ClosedLoops) -> None:
        self._plant = plant
        self._closed = closed
        mechanism = plant.mechanism
        guess = np.array([body.joint.initial[0] for body in mechanism.bodies])
        for drive, value in zip(mechanism.drives, self._drive_positions(), strict=True):
            guess[drive.body] = value
        self.position: Assembly = self.assemble(guess, closed.driven)
        self.partition: Partition = self._choose(self.position.J)
        self.first = self.partition
        self._known: dict[Partition, str] = {self.partition: ""}
        self._patterns: dict[Partition, tuple[Terms, ClosedPattern]] = {}
        self.notes = tuple(
            f"loop '{row.element}' adds nothing in direction {row.direction}; row dropped"
            for row in (closed.rows[k] for k in self.partition.dropped)
        )

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows in use, in the order of the multipliers."""
        return tuple(self.all_row_names[k] for k in self.partition.rows)

    @property
    def all_row_names(self) -> tuple[str, ...]:
        """Names of all rows, dropped ones too."""
        return tuple(row.name for row in self._closed.rows)

    def on_all_rows(self, lam: Array) -> Array:
        """Multipliers of all rows from those of the rows in use; the others are zero."""
        full = np.zeros((*lam.shape[:-1], len(self._closed.rows)))
        full[..., list(self.partition.rows)] = lam
        return full

    @property
    def known(self) -> tuple[Partition, ...]:
        """Partitions that have been built so far, the first one first."""
        return tuple(self._known)

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent coordinates."""
        return tuple(self._plant.coordinates[k] for k in self.partition.independent)

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the driven coordinates."""
        return tuple(self._plant.coordinates[k] for k in self.partition.driven)

    def _drive_positions(self) -> list[float]:
        """Where the drives start."""
        if not self._closed.driven:
            return []
        return [float(x) for x in self._plant.evaluate("drives", t=0.0)["qs"]]

    def _drive_inputs(self) -> tuple[str, ...]:
        """Names of the input blocks of the function of the drives."""
        if not self._closed.driven:
            return ("pre", "t")
        return tuple(block.name for block in self._plant.program("drives").inputs)

    def _choose(self, J: Array) -> Partition:
        wish = self._plant.mechanism.independent
        elements = [row.element for row in self._closed.rows]
        names, small = self._plant.coordinates, self._elastic
        return choose(J, self._closed.driven, wish, names, elements, small)

    @property
    def _elastic(self) -> tuple[int, ...]:
        """Coordinates that displace nodes of flexible links."""
        return tuple(k for link in self._plant.mechanism.flexible_links for k in link.bodies)

    def function(self, kind: str) -> str:
        """Name of "newton" or "constrained" for the current partition."""
        return kind + self._known[self.partition]

    @property
    def unrolled(self) -> bool:
        """False if the solution is left to the sparse runtime, which needs native code."""
        if not self._plant.is_native:
            return True
        return self.solution_operations <= UNROLLED_UP_TO

    @property
    def solution_operations(self) -> int:
        """Operations of the constrained motion once its terms are known."""
        return self._sparse[1].motion_operations()

    @property
    def _sparse(self) -> tuple[Terms, ClosedPattern]:
        """Entries that a sparse solution needs, and where they belong."""
        parts = self.partition
        if parts not in self._patterns:
            terms = self._closed.terms(parts)
            sizes = (len(parts.dependent), len(parts.independent), len(parts.driven))
            places = (tuple(terms.Jv), tuple(terms.Jk), tuple(terms.M))
            pattern = ClosedPattern(terms.order, *sizes, *places).with_little_fill()
            self._patterns[parts] = terms, pattern
        return self._patterns[parts]

    def programs(self) -> tuple[Program, ...]:
        """What is to be printed for the current partition.

        Newton's step and the constrained motion, or the terms that a sparse solution needs.
        """
        suffix = self._known[self.partition]
        if self.unrolled:
            return (
                self._closed.newton(self.partition, suffix),
                self._closed.constrained(self.partition, suffix),
            )
        return tuple(self._closed.term_programs(self._sparse[0], suffix))

    def callable(self, programs: Sequence[Program]) -> Sequence[Program]:
        """Newton's step and the constrained motion, made of programs that went through the passes.

        Those of a sparse solution take what their terms take, and cost what these and it cost.
        """
        if self.unrolled:
            return programs
        prepared, (_, pattern) = programs[0].inputs[0], self._sparse
        newton, motion = self._closed.stand_ins(self.partition, self._known[self.partition])
        return [
            solved(newton, prepared, programs[:1], pattern.newton_operations()),
            solved(motion, prepared, programs[1:], pattern.motion_operations()),
        ]

    def guard(self, q: Array, t: float = 0.0) -> Array:
        """Factors that bring the reciprocal pivots that the partition may reach from q to 0..1."""
        found = self._plant.evaluate(self.function("newton"), q=q, t=t)["pivots"]
        return np.asarray(1.0 / (WORST_PIVOT * found))

    def loop_of(self, row: int) -> str:
        """Name of the loop or constraint that a row in use belongs to."""
        return self._closed.rows[self.partition.rows[row]].element

    def use(self, partition: Partition) -> None:
        """Take a partition that was in use before, such as the first one."""
        self.partition = partition

    def repartition(self, q: Array) -> bool:
        """Choose other independent coordinates at a closed position; False if there are none."""
        rest = np.zeros(self._plant.n)
        J = self._plant.evaluate("constraints", q=q, qd=rest)["J"]
        names, small = self._plant.coordinates, self._elastic
        chosen = choose(J, self._closed.driven, (), names, small=small)
        # the same roles in another order of elimination are the same partition
        same = set(chosen.independent) == set(self.partition.independent)
        if same and chosen.rows == self.partition.rows:
            return False
        fresh = chosen not in self._known
        if fresh:
            self._known[chosen] = f"_{len(self._known) + 1}"
        self.partition = chosen
        if fresh:
            self._plant.add_partition()
        return True

    def derived(self, derive: Callable[[ClosedLoops, Partition, str], Derived]) -> Derived:
        """Further programs for the current partition."""
        return derive(self._closed, self.partition, self._known[self.partition])

    def unit(self) -> ClosedUnit:
        """What generated C needs to know about the current partition."""
        parts = self.partition
        return ClosedUnit(
            self._plant.n,
            parts.independent,
            parts.dependent,
            parts.driven,
            len(self._plant.mechanism.states),
            self._drive_inputs(),
        )

    def sources(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Mapping[str, str]:
        """C of the rates that the steppers call."""
        sparse: SparseUnit | None = None
        runtime: dict[str, str] = {}
        if not self.unrolled:
            at_rest, at_position, at_velocity, *rates = programs
            rate = rates[0] if rates else None
            sparse = SparseUnit(at_rest, at_position, at_velocity, rate, self._sparse[1])
            runtime = {name: runtime_sources()[name] for name in RUNTIME}
        rates_text = emit_closed_rates(self.unit(), self.callable(programs), prefix, about, sparse)
        return {**rates_text, **runtime}

    def assemble(self, guess: Array, held: Sequence[int] = ()) -> Assembly:
        """A closed position near a guess; coordinates in `held` stay where they are."""
        if not np.all(np.isfinite(guess)):
            raise InputError("q holds NaN or infinity", fix="Give finite numbers.")
        rest = np.zeros(self._plant.n)

        def constraints(q: Array) -> tuple[Array, Array]:
            found = self._plant.evaluate("constraints", q=q, qd=rest)
            return found["h"], found["J"]

        return assemble(constraints, guess, held, self._closed.rows, self._plant.name)

    def close(self, q: Array, t: float = 0.0) -> Array:
        """Dependent coordinates found from independent and driven ones, by Newton's method."""
        q = np.array(q, dtype=np.float64)
        dependent = list(self.partition.dependent)
        for _ in range(MOST_ITERATIONS if dependent else 0):
            step = self._plant.evaluate(self.function("newton"), q=q, t=t)["step"]
            q[dependent] += step
            if np.abs(step).max() <= CLOSED:
                return q
        if not dependent:
            return q
        raise SimulationError(
            f"model '{self._plant.name}': loops cannot be closed with these coordinates",
            fix="Start nearer to a closed position, or use plant.assemble(q).",
        )

    def motion(self, q: Array, qd: Array, tau: Array, **others: Any) -> dict[str, Array]:
        """v, a, lam and effort at a closed position.

        Args:
            q: all coordinates; dependent ones are brought to closure first.
            qd: velocities; those of dependent coordinates are not used.
            tau: efforts on all joints.
            others: qdd (of driven joints), u, t.
        """
        closed = self.close(q, float(others.get("t", 0.0)))
        given = {"qdd": np.zeros(self._plant.n), **others}
        name = self.function("constrained")
        found = self._plant.evaluate(name, q=closed, qd=qd, tau=tau, **given)
        return {"q": closed, **found}

    def cut_forces(self, q: Array, lam: Array) -> dict[str, Array]:
        """What the loops exert on their second ends, in world axes; see `BarePlant.cut_forces`.

        Args:
            q: closed position or positions, shape (n,) or (N, n).
            lam: multipliers of the rows in use, in their order.
        """
        found = self._plant.evaluate("cut_forces", q=q, lam=self.on_all_rows(lam))
        signals: dict[str, Array] = {}
        for k, loop in enumerate(self._plant.mechanism.loops):
            signals[f"{loop.name}.force"] = found["force"][..., k, :]
            if loop.kind in CARRY_MOMENTS:
                signals[f"{loop.name}.torque"] = found["torque"][..., k, :]
            if loop.kind == "rod":
                signals[f"{loop.name}.tension"] = found["tension"][..., k]
        return signals
