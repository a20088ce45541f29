"""Positions and velocities that fit the constraints of a mechanism; in a tree, all do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from inloop.errors import InputError
from inloop.model import Mechanism
from inloop.plant.engine import Array
from inloop.plant.formulation.positions.assembly import Assembly
from inloop.plant.formulation.positions.closure import Gap
from inloop.plant.formulation.positions.kept_values import (
    KeptPositions,
    KeptVelocities,
    declared_positions,
)
from inloop.plant.formulation.positions.mobility import Mobility


class Positions(ABC):
    """Where a mechanism can be, whichever of its coordinates are independent.

    Attributes:
        first: where the mechanism was put together, near the initial values of its joints.
        mobility: rank of the constraint rows around it.
        notes: declared values that were not kept, in words.
    """

    first: Assembly
    mobility: Mobility
    notes: tuple[str, ...] = ()

    @property
    @abstractmethod
    def declared(self) -> tuple[int, ...]:
        """Coordinates whose first position the user wrote; wished independent ones come first."""

    @abstractmethod
    def home(self, values: Array | None = None) -> Array:
        """Where the mechanism starts with other parameters.

        Args:
            values: of the live parameters; those of the plant by default.
        """

    @abstractmethod
    def assemble(self, guess: Array, held: Sequence[int] = ()) -> Assembly:
        """A position near a guess that fits; coordinates in `held` stay where they are.

        Raises:
            ModelError: a loop cannot close; says which, and by how much.
        """

    @abstractmethod
    def lead(
        self,
        goal: Array,
        led: Sequence[int],
        values: Array | None = None,
        start: Array | None = None,
        t: float = 0.0,
    ) -> Array | None:
        """A position that fits, reached from another one without leaving its branch.

        Args:
            goal: where the led coordinates shall be.
            led: coordinates; the others follow.
            values: of the live parameters; those of the plant by default.
            start: where to begin; the first position by default.
            t: time [s].

        Returns:
            The position, or None where no such way is found.
        """

    @abstractmethod
    def keep(
        self,
        wish: Array,
        must: Sequence[int],
        wanted: Sequence[int] | None = None,
        values: Array | None = None,
        near: Array | None = None,
    ) -> KeptPositions:
        """A position that fits and keeps coordinates where they are.

        Args:
            wish: where coordinates are.
            must: those that do not move.
            wanted: those that shall not move; declared ones by default.
            values: of the live parameters; those of the plant by default.
            near: a position that fits, with `must` where they are, to start from; the wish by
                default.
        """

    @abstractmethod
    def keep_velocities(
        self,
        q: Array,
        must: Mapping[int, float],
        wanted: Mapping[int, float],
        rest: Sequence[int],
        values: Array | None = None,
    ) -> KeptVelocities:
        """The smallest velocities that fit at t = 0, and keep what was said.

        Args:
            q: a position that fits.
            must: velocities that have to be.
            wanted: velocities that shall be, the most important first.
            rest: coordinates that rest if they may.
            values: of the live parameters; those of the plant by default.
        """

    @abstractmethod
    def gap(self, q: Array, tolerance: float, t: float = 0.0) -> Gap | None:
        """What is open at a position by more than a tolerance in units of the rows; else None."""

    @abstractmethod
    def rows_missing_at(self, q: Array) -> int:
        """How many rows the loops need at a closed position beyond those of the first one."""

    @abstractmethod
    def weakest_loop(self, q: Array, t: float = 0.0) -> str:
        """The loop whose rows come nearest to depending on others at a position; or none."""

    @abstractmethod
    def singular_at(self, q: Array) -> str:
        """What to tell about a position that is singular; empty where it is not."""


class TreePositions(Positions):
    """Every position and every velocity fits."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Start at the initial values of the joints."""
        self._mechanism, self._n = mechanism, len(mechanism.coordinates)
        self.first = self._as_given(np.array(mechanism.first_q))
        self.mobility = Mobility(0, self.first, False)

    def _as_given(self, q: Array) -> Assembly:
        check_finite(q)
        return Assembly(np.array(q, dtype=np.float64), np.zeros((0, self._n)), 0, 0.0, True)

    @property
    def declared(self) -> tuple[int, ...]:
        """See `Positions`."""
        return declared_positions(self._mechanism, ())

    def home(self, values: Array | None = None) -> Array:
        """See `Positions`; initial values do not depend on parameters."""
        return self.first.q.copy()

    def assemble(self, guess: Array, held: Sequence[int] = ()) -> Assembly:
        """See `Positions`."""
        return self._as_given(guess)

    def lead(
        self,
        goal: Array,
        led: Sequence[int],
        values: Array | None = None,
        start: Array | None = None,
        t: float = 0.0,
    ) -> Array | None:
        """See `Positions`."""
        return np.array(goal, dtype=np.float64)

    def keep(
        self,
        wish: Array,
        must: Sequence[int],
        wanted: Sequence[int] | None = None,
        values: Array | None = None,
        near: Array | None = None,
    ) -> KeptPositions:
        """See `Positions`."""
        return KeptPositions(self._as_given(wish), ())

    def keep_velocities(
        self,
        q: Array,
        must: Mapping[int, float],
        wanted: Mapping[int, float],
        rest: Sequence[int],
        values: Array | None = None,
    ) -> KeptVelocities:
        """See `Positions`."""
        qd = np.zeros(self._n)
        for k, speed in {**wanted, **must}.items():
            qd[k] = speed
        return KeptVelocities(qd, (), ())

    def gap(self, q: Array, tolerance: float, t: float = 0.0) -> Gap | None:
        """See `Positions`."""
        return None

    def rows_missing_at(self, q: Array) -> int:
        """See `Positions`."""
        return 0

    def weakest_loop(self, q: Array, t: float = 0.0) -> str:
        """See `Positions`."""
        return ""

    def singular_at(self, q: Array) -> str:
        """See `Positions`."""
        return ""


def check_finite(q: Array) -> None:
    """Refuse what is not a number.

    Raises:
        InputError: some entry is NaN or infinity.
    """
    if not np.all(np.isfinite(q)):
        raise InputError("q holds NaN or infinity", fix="Give finite numbers.")
