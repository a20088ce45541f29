"""What a formulation answers: how the motion of a mechanism is written down."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from inloop.errors import InputError
from inloop.formalisms.loops.partition import Partition, choose
from inloop.model.names import quoted
from inloop.plant.engine import Array
from inloop.plant.formulation.code import Code
from inloop.plant.formulation.positions import Positions
from inloop.plant.formulation.positions.assembly import Assembly
from inloop.plant.formulation.positions.kept_values import KeptVelocities
from inloop.plant.formulation.rows import Rows

if TYPE_CHECKING:
    from inloop.plant.equations import Equations


class Formulation(ABC):
    """How the motion of a mechanism is written down, and solved.

    The equations of every mechanism are those of a tree of bodies, M qdd + c = tau, to which loops
    and drives add constraints and their forces: M qdd + c = tau + Jᵀ lam + effort. A formulation
    decides which of these unknowns a run carries along and how the others follow from them:

    - *Roles.* `partition` says which coordinates are independent (their q and qd are the state of a
      run, with the states of force laws), driven (given over time) or dependent (follow from the
      others), and which constraint rows are in use, with one multiplier lam each. `repartition`
      and `good_at` choose other roles where those in use become bad.
    - *Motion.* Accelerations, multipliers and efforts of drives at a state (`motion`), and what
      they are called in results (`signals`).
    - *Code.* Which functions have to be derived and built, and what the unit of the plant calls
      (`core`, `code`).

    What does not depend on the roles belongs to two parts that all formulations of a mechanism
    share: `rows`, the constraints as numbers, and `positions`, where the mechanism starts and how
    values of coordinates are made to fit the constraints.

    Consumers ask these questions and need not know which formulation answers. What a formulation
    does not have is empty: a tree has no rows, so `rows.names` is () and `motion` finds lam of
    length 0.

    `plant.formulation` has the roles of the first position and keeps them. A run that needs others
    gets an object of its own, which shares what has been built.

    Attributes:
        name: as `il.Model.compile` takes it.
        core: functions of the tree that are built at once.
        core_of_large: the one of them that is built at once of a large mechanism.
        method: the integrator that belongs to it; None where any does.
        rows: all constraint rows of the mechanism.
        positions: positions and velocities that fit them.
        partition: roles of coordinates and constraint rows.
        notes: what was decided when the mechanism was put together, in words.
    """

    name: ClassVar[str] = "reduced"
    core: ClassVar[tuple[str, ...]]
    core_of_large: ClassVar[str]
    method: ClassVar[str | None] = None
    rows: Rows
    positions: Positions
    partition: Partition
    notes: tuple[str, ...]

    def __init__(self, equations: Equations) -> None:
        self._equations = equations

    @classmethod
    def made(
        cls, equations: Equations, damping: float | None = None, solves: int | None = None
    ) -> Self:
        """The formulation of a mechanism.

        Args:
            equations: of the mechanism.
            damping: of what is faster than the steps, where steps belong to the formulation.
            solves: of each step of Newton's method, where steps belong to the formulation.

        Raises:
            InputError: they do not.
        """
        for name, value in (("damping", damping), ("solves", solves)):
            if value is not None:
                raise InputError(
                    f"{name} is {quoted(value)}",
                    fix="Leave it out: it applies only to formulation='redundant'.",
                )
        return cls(equations)

    @property
    def facts(self) -> dict[str, str]:
        """What `il.Model.compile` was told of it, beside which the same model steps otherwise."""
        return {"formulation": self.name}

    # roles

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent coordinates."""
        return tuple(self._equations.coordinates[k] for k in self.partition.independent)

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the driven coordinates."""
        return tuple(self._equations.coordinates[k] for k in self.partition.driven)

    @property
    def driven_indices(self) -> tuple[int, ...]:
        """Indices of the driven coordinates."""
        return self.partition.driven

    @property
    def elastic(self) -> tuple[int, ...]:
        """Coordinates that displace nodes of flexible links."""
        links = self._equations.mechanism.flexible_links
        return tuple(k for link in links for k in link.bodies)

    @property
    def unconstrained(self) -> bool:
        """M qdd + c = tau is the whole motion, and every q and qd are a state."""
        return not self._equations.mechanism.closed

    @property
    def carried(self) -> Partition:
        """Roles in the state of a run: independent coordinates are in it with their velocities.

        Those of `partition`, unless a run carries more than it must.
        """
        return self.partition

    @property
    def position_roles(self) -> Partition:
        """Roles as far as positions go.

        Where rows restrict velocities alone, more positions are free than velocities are: those
        that are dependent in `partition` and independent here.
        """
        holonomic = self.rows.holonomic
        return self.partition if np.all(holonomic) else self._roles_by(holonomic)

    def _roles_by(self, rows: NDArray[np.bool_]) -> Partition:
        """Roles if only some rows held."""
        regular = self.positions.mobility.regular.q
        J = np.where(rows[:, None], self.rows.scaled(regular)[1], 0.0)
        return choose(J, self.partition.driven, self.partition.independent)

    @property
    def unknowns(self) -> int:
        """Of the linear equations that lead to a motion."""
        return len(self.partition.independent)

    @property
    def carries_dependent(self) -> bool:
        """Whether a run carries coordinates that follow from others."""
        return len(self.carried.independent) > len(self.partition.independent)

    @property
    def led_positions(self) -> tuple[int, ...]:
        """Coordinates whose positions are free, while their velocities follow from others."""
        free = set(self.partition.independent)
        return tuple(k for k in self.position_roles.independent if k not in free)

    @property
    def placed_positions(self) -> tuple[int, ...]:
        """Coordinates that a start puts anywhere, while their velocities follow from others.

        Those that are led, and those that couplings and locks hold as they find them.
        """
        rows, free = self.rows.holonomic & ~self.rows.as_found, self.partition.independent
        found = () if np.all(rows) else self._roles_by(rows).independent
        return tuple(k for k in found if k not in free)

    # rows in use

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows in use, in the order of the multipliers."""
        return tuple(self.rows.names[k] for k in self.partition.rows)

    def loop_of(self, row: int) -> str:
        """Name of the loop or constraint that a row in use belongs to; empty if there is none."""
        used = self.partition.rows
        return self.rows.elements[used[row]] if used else ""

    def on_all_rows(self, lam: Array) -> Array:
        """Multipliers of all rows from those of the rows in use; the others are zero."""
        full = np.zeros((*lam.shape[:-1], len(self.rows)))
        full[..., list(self.partition.rows)] = lam
        return full

    # positions and velocities that go with the roles

    def keep_velocities(
        self,
        q: Array,
        must: Mapping[int, float],
        wanted: Mapping[int, float],
        values: Array | None = None,
    ) -> KeptVelocities:
        """The smallest velocities that fit at t = 0, and keep what was said.

        Independent coordinates about which nothing was said rest if they may.

        Args:
            q: a position that fits.
            must: velocities that have to be.
            wanted: velocities that shall be, the most important first.
            values: of the live parameters; those of the plant by default.
        """
        rest = self.partition.independent
        return self.positions.keep_velocities(q, must, wanted, rest, values)

    @abstractmethod
    def close(self, q: Array, t: float = 0.0) -> Array:
        """All coordinates, the dependent ones found from independent and driven ones."""

    def locked_at(self, q: Array) -> str:
        """What to tell about a position on a branch with fewer degrees of freedom; else empty.

        Rows are needed there that were dropped where the loops were assembled.
        """
        return ""

    # short for what users ask most

    def home(self) -> Array:
        """Where the mechanism starts; see `Positions.home`."""
        return self.positions.home()

    def assemble(self, guess: Array, held: Sequence[int] = ()) -> Assembly:
        """A position near a guess that fits; see `Positions.assemble`."""
        return self.positions.assemble(guess, held)

    def constraints(self, q: Array, qd: Array, t: float | Array = 0.0) -> dict[str, Array]:
        """h, J, nu and gamma of all rows; see `Rows.constraints`."""
        return self.rows.constraints(q, qd, t)

    # choices of independent coordinates

    @property
    @abstractmethod
    def known(self) -> tuple[Partition, ...]:
        """Partitions for which there is code, the first one first."""

    @property
    def is_compiled(self) -> bool:
        """There is code for the present partition."""
        return self.partition in self.known

    @property
    @abstractmethod
    def chooses_freely(self) -> bool:
        """Runs may use partitions for which there is no code."""

    @property
    @abstractmethod
    def rows_that_may_act(self) -> tuple[int, ...]:
        """Numbers of the rows that can have multipliers in a run."""

    @abstractmethod
    def with_partition(self, partition: Partition) -> Formulation:
        """The same with other roles of the coordinates."""

    @abstractmethod
    def partition_of(self, roles: Array) -> Partition:
        """What an instance tells about its coordinates: dependent, independent, rows in use."""

    @abstractmethod
    def compile_partitions(self, partitions: Iterable[Partition]) -> None:
        """Build code for partitions: runs of which they are expected are faster with it."""

    @abstractmethod
    def repartition(self, q: Array, t: float = 0.0) -> Formulation | None:
        """The same with independent coordinates chosen at a position that fits.

        None if these are the best ones there, or if it is singular: every choice would lose a row.
        """

    @abstractmethod
    def good_at(self, q: Array, t: float = 0.0) -> Formulation:
        """The same, with other independent coordinates where these are bad at a position."""

    @abstractmethod
    def guard(self, q: Array, t: float = 0.0) -> Array:
        """Factors that bring the reciprocal pivots that the partition may reach from q to 0..1."""

    # code

    @property
    @abstractmethod
    def code(self) -> Code:
        """What is built for the present partition, and what the unit calls."""

    def function(self, kind: str) -> str:
        """Name of the function of a kind, such as "predictor", for the present partition."""
        return self.code.function(kind)

    @property
    def motion_function(self) -> str:
        """Name of the function that finds the accelerations, whose cost is told."""
        return self.code.function(self.code.motion)

    # motion

    @abstractmethod
    def motion(self, q: Array, qd: Array, tau: Array, **others: Any) -> dict[str, Array]:
        """q, v, a, lam, effort of drives, and rates zd of force laws that have states.

        Args:
            q: all coordinates; dependent ones are brought to closure first.
            qd: velocities; those of dependent coordinates are not used.
            tau: efforts on all joints.
            others: qdd (of driven joints), u, t, z.
        """

    @abstractmethod
    def motion_at(self, q: Array, qd: Array, tau: Array, **others: Any) -> dict[str, Array]:
        """The same without q, for positions that fit, shape (N, n) each; needs compiled roles."""

    @abstractmethod
    def accelerations(self, q: Any, qd: Any, tau: Any, **others: Any) -> Array:
        """Accelerations at states that must fit, whatever coordinates are independent.

        Args:
            q: coordinates, shape (n,) or (N, n).
            qd: velocities.
            tau: efforts on all joints.
            others: z, u, t.

        Raises:
            InputError: position or velocities do not fit.
        """

    @abstractmethod
    def reduced_equations(self, q: Array, qd: Array, **others: Any) -> dict[str, Array]:
        """M, c and T of M qdd_u + c = Tᵀ tau in the independent coordinates, at one state.

        Args:
            q: a position that fits.
            qd: velocities that fit.
            others: z, u, t.
        """

    @abstractmethod
    def impulses(self, q: Array, qd: Array, t: float, e: Array) -> Array:
        """Impulses of the rows in use when the constraints of a mode grip [N·s or N·m·s].

        Args:
            q: a position that fits.
            qd: velocities before.
            t: time [s].
            e: restitution of all rows.
        """

    def cut_forces(self, q: Array, lam: Array, lanes: bool = True) -> dict[str, Array]:
        """What loops exert on their second ends, in world axes; see `plant.cut_forces`.

        Args:
            q: position or positions that fit, shape (n,) or (N, n).
            lam: multipliers of the rows in use, in their order.
            lanes: let many positions use vector code.
        """
        return self.rows.cut_forces(q, self.on_all_rows(lam), lanes)

    def signals(self, qdd: Array, lam: Array, effort: Array) -> dict[str, Array]:
        """What results of runs tell of the motion beside q and qd, by name.

        Nothing where the motion is unconstrained: `plant` finds accelerations from q and qd.

        Args:
            qdd: accelerations of all coordinates, shape (N, n).
            lam: multipliers of the rows in use.
            effort: of the drives.
        """
        if self.unconstrained:
            return {}
        found = {f"{name}.qdd": qdd[:, k] for k, name in enumerate(self._equations.coordinates)}
        found |= {f"lam.{row}": lam[:, k] for k, row in enumerate(self.row_names)}
        return found | {f"{joint}.effort": effort[:, k] for k, joint in enumerate(self.driven)}

    @property
    def signal_places(self) -> dict[str, tuple[str, int]]:
        """Where the unit finds each of these signals: kind of il_kind, and number.

        Those of rows that never act in a run are among them too.
        """
        if self.unconstrained:
            return {}
        names = self._equations.coordinates
        known = {f"{name}.qdd": ("IL_OF_QDD", k) for k, name in enumerate(names)}
        known |= {f"lam.{row}": ("IL_OF_LAM", k) for k, row in enumerate(self.rows.names)}
        return known | {f"{j}.effort": ("IL_OF_EFFORT", k) for k, j in enumerate(self.driven)}

    @property
    def signal_names(self) -> tuple[str, ...]:
        """Names of the signals that a run can have, in the order of the outputs of the unit."""
        names = self.rows.names
        idle = {f"lam.{name}" for name in names}
        idle -= {f"lam.{names[k]}" for k in self.rows_that_may_act}
        return tuple(name for name in self.signal_places if name not in idle)
