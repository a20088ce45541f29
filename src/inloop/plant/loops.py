"""Loops and drives of a plant: assembly, partition, and the motion that they leave."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from inloop.codegen.c_closed import emit_closed_rates
from inloop.codegen.c_sparse import RUNTIME, SparseUnit
from inloop.codegen.closed_pattern import ClosedPattern
from inloop.codegen.closed_unit import ClosedUnit
from inloop.errors import InputError, SimulationError
from inloop.formalisms import Derivation
from inloop.formalisms.closed import ClosedLoops
from inloop.formalisms.partition import Partition, choose
from inloop.formalisms.size import size_of
from inloop.formalisms.terms import Terms
from inloop.native import runtime_sources
from inloop.plant import any_choice
from inloop.plant.assembly import Assembly, assemble
from inloop.plant.closure import Closure
from inloop.plant.engine import Array
from inloop.plant.kept_values import KeptPositions, contradiction, keep_positions, moved
from inloop.plant.mobility import blamed_row, explore, is_singular
from inloop.plant.reduction import TERMS
from inloop.symbolic import Program, reachable, solved

if TYPE_CHECKING:
    from inloop.plant.equations import Equations

Derived = TypeVar("Derived")
# Operations of the solution up to which it is unrolled. Unrolled ones run up to twice as fast up to
# some 150,000, but from some 10,000 on they take longer to derive and compile, and a repartition
# has to wait for that. See `python -m benchmarks loops_large --all`.
UNROLLED_UP_TO = 25_000
MOST_ITERATIONS = 10
BAD_CHOICE = 1e-3  # smallest singular value of a choice, to that of all coordinates
WORST_PIVOT = 2.5  # how far a pivot may shrink before another partition is due
# Newton's corrections below these end it; the error left is of the order of their square. All in
# radians, or in parts of the mechanism's characteristic length.
CLOSED = 1e-8  # at samples and for functions
NEARLY_CLOSED = 1e-5  # at the inner stages of a step
CARRY_MOMENTS = ("solid", "hinge")  # kinds of loops
FARTHEST = 0.2  # where estimates are carried along, longer corrections are jumps


class Loops:
    """The loops and driven joints of a plant, with one choice of independent coordinates.

    `plant.loops` has the choice of the first closed position and keeps it. A run that needs another
    one takes it from `with_partition` or `repartition`: these give further objects, which share
    what has been built, and leave this one as it is. There is code for the first choice, and for
    those named in `compile_partitions`; every other one is solved while it runs, which takes a few
    times as long.

    Attributes:
        position: a closed position near the joints' initial values.
        mobility: rank of the rows around it.
        partition: roles of coordinates and constraint rows.
        closed: the constraints and what is derived from them.
        first_row_sizes: one unit of each row, with the parameters at first.
        notes: dropped rows, and declared values that were not kept, in words.
        singular: what to tell about a start at a singular position; empty elsewhere.
    """

    def __init__(self, plant: Equations, closed: ClosedLoops, strict: bool = True) -> None:
        """Assemble the loops and choose independent coordinates.

        Args:
            plant: has the functions of the constraints.
            closed: the rows and what is derived from them.
            strict: declared initial values that contradict each other are an error. Modes other
                than the first one begin where the mechanism then is.
        """
        self._plant = plant
        self.closed = closed
        mechanism = plant.mechanism
        guess = np.array([body.joint.initial[0] for body in mechanism.bodies])
        for drive, value in zip(mechanism.drives, self._drive_positions(), strict=True):
            guess[drive.body] = value
        closure = Closure(plant, closed, guess)
        self._measured = plant.parameters.version, closure
        self.first_row_sizes: Array = closure.row_sizes
        kept = keep_positions(closure, guess, closed.driven, self.declared, plant.name)
        if kept.changed and strict:
            raise contradiction(plant, guess, kept.found.q, kept.changed, self.declared)
        self.position: Assembly = kept.found
        self.mobility = explore(closure, kept.found)
        self.partition: Partition = self._choose(self.mobility.regular.J)
        # what has been built, the same in all objects of a plant; written under plant.building
        self._known: dict[Partition, str] = {self.partition: ""}
        self._patterns: dict[Partition, tuple[Terms, ClosedPattern]] = {}
        self.singular = self.singular_at(self.position.q)
        self.notes = (
            *(
                f"loop '{row.element}' adds nothing in direction {row.direction}; row dropped"
                for row in (closed.rows[k] for k in self.partition.dropped)
            ),
            *moved(plant, guess, kept.found.q, kept.changed),
            *([self.singular] if self.singular else []),
        )

    @property
    def _closure(self) -> Closure:
        """The loops as numbers without units, measured with the parameters of the plant."""
        version = self._plant.parameters.version
        if self._measured[0] != version:
            self._measured = version, Closure(self._plant, self.closed, self.home())
        return self._measured[1]

    def home(self, values: Array | None = None) -> Array:
        """The first closed position, its lengths grown with the size of the mechanism since.

        Args:
            values: of the live parameters; those of the plant by default.
        """
        now, first = self._plant.size_with(values), size_of(self._plant.mechanism)
        return np.asarray(self.position.q * (now.units / first.units))

    @property
    def declared(self) -> tuple[int, ...]:
        """Coordinates whose first position the user wrote; wished independent ones come first."""
        mechanism = self._plant.mechanism
        given = [k for k, b in enumerate(mechanism.bodies) if b.joint.declared[0]]
        given = [k for k in given if k not in self.closed.driven]
        moving = [k for k in given if mechanism.bodies[k].joint.initial[1] != 0.0]
        wish = [k for k in mechanism.independent if k in given]
        return tuple(dict.fromkeys([*wish, *moving, *given]))

    @cached_property
    def geometric_parameters(self) -> frozenset[str]:
        """Names of the live parameters that the constraints depend on."""
        symbols = self.closed.derivation.symbols
        used = reachable([row.h for row in self.closed.rows])
        pairs = zip(symbols.parameters, symbols.symbols, strict=True)
        return frozenset(parameter.name for parameter, symbol in pairs if symbol in used)

    @property
    def dropped_loop(self) -> str:
        """Name of the first loop with a row that was dropped though it is not always zero."""
        rows = [self.closed.rows[k] for k in self.partition.dropped]
        return next((row.element for row in rows if row.J), rows[0].element if rows else "")

    @property
    def driven_indices(self) -> tuple[int, ...]:
        """Indices of the driven coordinates."""
        return self.closed.driven

    def keep(
        self, wish: Array, must: Sequence[int], wanted: Sequence[int] | None = None
    ) -> KeptPositions:
        """A closed position that keeps coordinates where they are.

        Args:
            wish: coordinates to start from.
            must: those that do not move.
            wanted: those that shall not move; declared ones by default.
        """
        if not np.all(np.isfinite(wish)):
            raise InputError("q holds NaN or infinity", fix="Give finite numbers.")
        shall = self.declared if wanted is None else wanted
        shall = [k for k in shall if k not in must]
        return keep_positions(self._closure, wish, must, shall, self._plant.name)

    def closure(self, values: Array | None = None, t: float = 0.0) -> Closure:
        """The loops as numbers without units, for given parameters; now by default."""
        if values is not None:
            return Closure(self._plant, self.closed, self.home(values), values, t)
        return self._closure.at(t)

    def singular_at(self, q: Array) -> str:
        """What to tell about a closed position that is singular; empty where it is not."""
        J, rank = self._closure(q)[1], self.mobility.rank
        if not is_singular(J, rank):
            return ""
        loop = self.closed.rows[blamed_row(J, rank)].element
        return (
            f"a singular position, where rows of loop '{loop}' depend on others and branches meet"
        )

    @property
    def row_sizes(self) -> Array:
        """One unit of each row: what is small is small beside it."""
        return self._closure.row_sizes

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows in use, in the order of the multipliers."""
        return tuple(self.all_row_names[k] for k in self.partition.rows)

    @property
    def all_row_names(self) -> tuple[str, ...]:
        """Names of all rows, dropped ones too."""
        return tuple(row.name for row in self.closed.rows)

    def on_all_rows(self, lam: Array) -> Array:
        """Multipliers of all rows from those of the rows in use; the others are zero."""
        full = np.zeros((*lam.shape[:-1], len(self.closed.rows)))
        full[..., list(self.partition.rows)] = lam
        return full

    @property
    def known(self) -> tuple[Partition, ...]:
        """Partitions that have been built so far, the first one first."""
        return tuple(self._known)

    @property
    def is_compiled(self) -> bool:
        """There is code for the present partition."""
        return self.partition in self._known

    @property
    def chooses_freely(self) -> bool:
        """Runs may use partitions for which there is no code."""
        return bool(self.partition.dependent) and self._plant.is_built(TERMS)

    @property
    def rows_that_may_act(self) -> tuple[int, ...]:
        """Numbers of the rows that can have multipliers in a run."""
        if self.chooses_freely:
            return tuple(k for k, row in enumerate(self.closed.rows) if row.J)
        return tuple(sorted({row for known in self._known for row in known.rows}))

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
        if not self.closed.driven:
            return []
        return [float(x) for x in self._plant.evaluate("drives", t=0.0)["qs"]]

    def _choose(self, J: Array) -> Partition:
        wish = self._plant.mechanism.independent
        elements = [row.element for row in self.closed.rows]
        names, small = self._plant.coordinates, self.elastic
        prefer = self._preferred(J.shape[1] - self.mobility.rank)
        return choose(J, self.closed.driven, wish, names, elements, small, prefer)

    def _preferred(self, freedom: int) -> tuple[int, ...]:
        """Declared coordinates, where there are no more of them than can be independent."""
        bodies, driven = self._plant.mechanism.bodies, self.closed.driven
        left = freedom - len(driven)
        moving = [k for k, b in enumerate(bodies) if b.joint.initial[1] != 0.0 and k not in driven]
        for given in (self.declared, tuple(moving)):
            if len(given) <= left:
                return given
        return ()

    @property
    def elastic(self) -> tuple[int, ...]:
        """Coordinates that displace nodes of flexible links."""
        return tuple(k for link in self._plant.mechanism.flexible_links for k in link.bodies)

    def function(self, kind: str) -> str:
        """Name of "newton" or "constrained" for the current partition, which is compiled."""
        return kind + self.suffix

    @property
    def suffix(self) -> str:
        """End of the names of functions for the current partition; empty for the first one."""
        return self._known[self.partition]

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
            terms = self.closed.terms(parts)
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
                self.closed.newton(self.partition, suffix),
                self.closed.constrained(self.partition, suffix),
            )
        return tuple(self.closed.term_programs(self._sparse[0], suffix))

    def callable(self, programs: Sequence[Program]) -> Sequence[Program]:
        """Newton's step and the constrained motion, made of programs that went through the passes.

        Those of a sparse solution take what their terms take, and cost what these and it cost.
        """
        if self.unrolled:
            return programs
        prepared, (_, pattern) = programs[0].inputs[0], self._sparse
        newton, motion = self.closed.stand_ins(self.partition, self._known[self.partition])
        return [
            solved(newton, prepared, programs[:1], pattern.newton_operations()),
            solved(motion, prepared, programs[1:], pattern.motion_operations()),
        ]

    def guard(self, q: Array, t: float = 0.0) -> Array:
        """Factors that bring the reciprocal pivots that the partition may reach from q to 0..1."""
        return np.asarray(1.0 / (WORST_PIVOT * self._newton(q, t)["pivots"]))

    def _newton(self, q: Array, t: float) -> dict[str, Array]:
        """Corrections of the dependent coordinates and reciprocal pivots, whatever is built."""
        if self.is_compiled:
            return self._plant.evaluate(self.function("newton"), q=q, t=t)
        return any_choice.newton(self._plant, self.partition, q, t)

    def loop_of(self, row: int) -> str:
        """Name of the loop or constraint that a row in use belongs to."""
        return self.closed.rows[self.partition.rows[row]].element

    def with_partition(self, partition: Partition) -> Loops:
        """The same loops with other roles of the coordinates.

        Nothing is compiled; where the equations run as Python, further ones are derived.
        """
        other = copy.copy(self)
        other.partition = partition
        if not self._plant.is_built(TERMS):
            self._build(other)
        return other

    def partition_of(self, roles: Array) -> Partition:
        """What an instance tells about its coordinates: dependent, independent, rows in use."""
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
        """Build code for partitions: runs of which they are expected are faster with it."""
        for partition in partitions:
            other = copy.copy(self)
            other.partition = partition
            self._build(other)

    def _build(self, other: Loops) -> None:
        """Build code for another partition, unless it is there."""
        partition = other.partition
        with self._plant.building:
            if partition not in self._known:
                other.closed = self._plant.closed_loops(self._plant.fresh_derivation())
                self._known[partition] = f"_{_digest(partition)}"
                try:
                    self._plant.add_partition(other)
                except BaseException:
                    del self._known[partition]
                    raise

    def repartition(self, q: Array, t: float = 0.0) -> Loops | None:
        """The same loops with independent coordinates chosen at a closed position.

        None if these are the best ones there, or if it is singular: every choice would lose a row.
        """
        names, small = self._plant.coordinates, self.elastic
        chosen = choose(self._closure.at(t)(q)[1], self.closed.driven, (), names, small=small)
        if len(chosen.rows) != self.mobility.rank:
            return None
        # the same roles in another order of elimination are the same partition
        same = set(chosen.independent) == set(self.partition.independent)
        if same and chosen.rows == self.partition.rows:
            return None
        return self.with_partition(chosen)

    def good_at(self, q: Array, t: float = 0.0) -> Loops:
        """The same loops, with other independent coordinates where these are bad at a position.

        At a dead point of an independent coordinate its velocity tells nothing about the others.
        """
        parts = self.partition
        if not parts.dependent:
            return self
        J = self._closure.at(t)(q)[1][list(parts.rows)]
        free = [k for k in range(J.shape[1]) if k not in set(parts.driven)]
        of_choice, best = (
            np.linalg.svd(J[:, list(columns)], compute_uv=False)[-1]
            for columns in (parts.dependent, free)
        )
        if of_choice > BAD_CHOICE * best:
            return self
        return self.repartition(q, t) or self

    def derived(
        self, derive: Callable[[ClosedLoops, Partition, str], Derived], derivation: Derivation
    ) -> Derived:
        """Further programs for the current partition, in a derivation of their own."""
        closed = self._plant.closed_loops(derivation)
        return derive(closed, self.partition, self._known[self.partition])

    def unit(self) -> ClosedUnit:
        """What generated C needs to know about the current partition."""
        parts = self.partition
        return ClosedUnit(
            self._plant.n,
            parts.independent,
            parts.dependent,
            parts.driven,
            len(self._plant.mechanism.states),
            any(self._plant.mechanism.bodies[k].joint.kind != "revolute" for k in parts.dependent),
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
        return assemble(self._closure, guess, held, self._plant.name)

    def close(self, q: Array, t: float = 0.0) -> Array:
        """Dependent coordinates found from independent and driven ones, by Newton's method."""
        q = np.array(q, dtype=np.float64)
        dependent = list(self.partition.dependent)
        for _ in range(MOST_ITERATIONS if dependent else 0):
            step = self._newton(q, t)["step"]
            q[dependent] += step
            if np.abs(step / self._closure.coordinate_sizes[dependent]).max() <= CLOSED:
                break
        if self._closure.at(t).is_nearly_closed(q):
            return q
        raise SimulationError(
            f"model '{self._plant.name}': loops cannot be closed with these coordinates",
            fix="Start nearer to a closed position, or use plant.loops.assemble(q).q.",
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
        if self.is_compiled:
            name = self.function("constrained")
            found = self._plant.evaluate(name, q=closed, qd=qd, tau=tau, **given)
        else:
            found = any_choice.motion(
                self._plant, self.partition, q=closed, qd=qd, tau=tau, **given
            )
        return {"q": closed, **found}

    def impulses(self, q: Array, qd: Array, t: float, e: Array) -> Array:
        """Impulses of the rows in use when the constraints of a mode grip [N·s or N·m·s].

        Args:
            q: a closed position.
            qd: velocities before.
            t: time [s].
            e: restitution of all rows.
        """
        if self.is_compiled:
            return self._plant.evaluate(f"project{self.suffix}", q=q, qd=qd, t=t, e=e)["impulse"]
        return any_choice.impulses(self._plant, self.partition, q, qd, t, e)

    def cut_forces(self, q: Array, lam: Array, lanes: bool = True) -> dict[str, Array]:
        """What the loops exert on their second ends, in world axes; see `BarePlant.cut_forces`.

        Args:
            q: closed position or positions, shape (n,) or (N, n).
            lam: multipliers of the rows in use, in their order.
            lanes: let many positions use vector code.
        """
        lam = self.on_all_rows(lam)
        found = self._plant.evaluate("cut_forces", q=q, lam=lam, lanes=lanes)
        signals: dict[str, Array] = {}
        for k, loop in enumerate(self._plant.mechanism.loops):
            signals[f"{loop.name}.force"] = found["force"][..., k, :]
            if loop.kind in CARRY_MOMENTS:
                signals[f"{loop.name}.torque"] = found["torque"][..., k, :]
            if loop.kind == "rod":
                signals[f"{loop.name}.tension"] = found["tension"][..., k]
        return signals


def _digest(partition: Partition) -> str:
    """A short name that tells partitions apart, whatever the order in which they are built."""
    return hashlib.sha256(repr(partition).encode()).hexdigest()[:8]
