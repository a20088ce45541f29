"""Constraint rows of a mechanism, as numbers; a tree has none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inloop.formalisms.loops.rows import Row
from inloop.plant.engine import Array

NONE = np.zeros(0)


@dataclass(frozen=True)
class Slip:
    """A row on velocities that is not met: its name, and J qd + nu."""

    row: str
    speed: float


class Rows(ABC):
    """All constraint rows of a mechanism, those that follow from others too.

    A row restricts positions, h(q, t) = 0, or velocities alone; both ways J qd + nu = 0 and
    J qdd + gamma = 0. Which rows are in use, with a multiplier each, is up to the partition of a
    formulation.

    Attributes:
        names: of the rows.
        elements: name of the loop or constraint that each belongs to.
        holonomic: which restrict positions; the others restrict velocities alone.
        as_found: which keep joints coupled as they were found, so that h is 0 everywhere.
        first_sizes: one unit of each, with the parameters at first: what a free choice of
            coordinates is judged by.
    """

    def __init__(self, rows: Sequence[Row], first_sizes: Array) -> None:
        self.names = tuple(row.name for row in rows)
        self.elements = tuple(row.element for row in rows)
        self.holonomic: NDArray[np.bool_] = np.array([row.holonomic for row in rows], dtype=bool)
        self.as_found: NDArray[np.bool_] = np.array(
            [row.holonomic and not row.leads for row in rows], dtype=bool
        )
        self.first_sizes = first_sizes

    def __len__(self) -> int:
        return len(self.names)

    @property
    @abstractmethod
    def sizes(self) -> Array:
        """One unit of each row: what is small is small beside it."""

    @property
    @abstractmethod
    def moves_with_time(self) -> bool:
        """Some row depends on time: its force does work."""

    @abstractmethod
    def constraints(
        self, q: Array, qd: Array, t: float | Array = 0.0, lanes: bool = True
    ) -> dict[str, Array]:
        """h, J, nu and gamma: J qd + nu = 0, J qdd + gamma = 0.

        Args:
            q: positions, shape (n,) or (N, n).
            qd: velocities.
            t: time [s].
            lanes: let many rows use vector code.
        """

    @abstractmethod
    def scaled(self, q: Array, t: float = 0.0) -> tuple[Array, Array]:
        """h and J at a position, in units of rows and coordinates."""

    @abstractmethod
    def cut_forces(self, q: Array, lam: Array, lanes: bool = True) -> dict[str, Array]:
        """What loops exert on their second ends, in world axes; see `plant.cut_forces`.

        Args:
            q: position or positions that fit, shape (n,) or (N, n).
            lam: multipliers of all rows; 0 for those that are not in use.
            lanes: let many positions use vector code.
        """

    def violation(self, q: Array, qd: Array, t: float | Array = 0.0) -> Array:
        """Largest constraint value at each state; 0 without rows.

        Of rows that restrict velocities alone it is J qd + nu that counts.
        """
        found = self.constraints(q, qd, t, lanes=False)
        rates = np.einsum("...ij,...j->...i", found["J"], qd) + found["nu"]
        values = np.where(self.holonomic, found["h"], rates)
        return np.asarray(np.max(np.abs(values), axis=-1, initial=0.0))

    def slip(self, q: Array, qd: Array, tolerance: float, t: float = 0.0) -> Slip | None:
        """The row on velocities that is violated by more than a part of its terms; else None."""
        found = self.constraints(q, qd, t)
        terms = np.abs(found["J"]) @ np.abs(qd) + np.abs(found["nu"])
        rates = np.where(self.holonomic, 0.0, np.abs(found["J"] @ qd + found["nu"]))
        over = rates - tolerance * terms
        if not np.any(over > 0.0):
            return None
        worst = int(np.argmax(over))
        return Slip(self.names[worst], float(rates[worst]))


class NoRows(Rows):
    """The rows of a tree: arrays of the right shape, with nothing in them."""

    def __init__(self, n: int) -> None:
        """Without rows.

        Args:
            n: number of coordinates.
        """
        super().__init__((), NONE)
        self._n = n

    @property
    def sizes(self) -> Array:
        """See `Rows`."""
        return NONE

    @property
    def moves_with_time(self) -> bool:
        """See `Rows`."""
        return False

    def constraints(
        self, q: Array, qd: Array, t: float | Array = 0.0, lanes: bool = True
    ) -> dict[str, Array]:
        """See `Rows`."""
        shape = np.shape(q)[:-1]
        none = {name: np.zeros((*shape, 0)) for name in ("h", "nu", "gamma")}
        return {**none, "J": np.zeros((*shape, 0, self._n))}

    def scaled(self, q: Array, t: float = 0.0) -> tuple[Array, Array]:
        """See `Rows`."""
        found = self.constraints(q, q, t)
        return found["h"], found["J"]

    def cut_forces(self, q: Array, lam: Array, lanes: bool = True) -> dict[str, Array]:
        """See `Rows`."""
        return {}
