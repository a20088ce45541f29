"""The loops of a plant as numbers without units: how far they are from closed, and which way.

Coordinates are counted in radians or in parts of the mechanism's size, rows in parts of their own
size, so that a mechanism in nanometers is treated as the same one in kilometers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.loops.rows import Row
from inloop.plant.engine import Array

if TYPE_CHECKING:
    from inloop.plant.equations import Equations

SAMPLES, SPREAD = 4, 0.3  # positions at which rows are measured, and how far around the guess
NEARLY = 1e-7  # in units of the rows
ROUNDING = 64.0 * float(np.finfo(np.float64).eps)  # of the size, in the value of a row


@dataclass(frozen=True)
class Gap:
    """What is left of a loop that cannot close.

    Attributes:
        loop: its name.
        size: how far it is open.
        unit: of that: "m" or "rad"; empty for constraints of the user's.
        others: names of other loops that stay open.
    """

    loop: str
    size: float
    unit: str
    others: tuple[str, ...]

    def __str__(self) -> str:
        also = f" (also: {', '.join(self.others[:4])})" if self.others else ""
        return f"{self.size:.3g} {self.unit}".rstrip() + f" is left{also}"


class Closure:
    """h(q) = 0 and its Jacobian for given parameters, scaled and with sides.

    The rows of solid cuts and hinges are replaced by the angles themselves, so that half a turn is
    no solution: the rotation vector of a solid cut, the angle between the axes of a hinge.

    Attributes:
        coordinate_sizes: one unit of each coordinate [rad or m].
        row_sizes: one unit of each row.
        linear: which rows are linear in q.
        holonomic: which rows restrict positions; the others restrict velocities alone.
        live_rows: number of rows that change with the coordinates at all.
    """

    def __init__(
        self,
        plant: Equations,
        closed: ClosedLoops,
        guess: Array,
        values: Array | None = None,
        t: float = 0.0,
    ) -> None:
        """Measure the rows around a guess.

        Args:
            plant: has the functions "constraints" and, for solid cuts and hinges, "alignment".
            closed: the rows.
            guess: coordinates.
            values: of the live parameters; those of the plant by default.
            t: time, for constraints that depend on it [s].
        """
        self._plant, self._rows, self._t = plant, tuple(closed.rows), t
        self._prepared: dict[str, Array | None] = {"constraints": None, "alignment": None}
        if values is not None:
            names = [n for n in self._prepared if n == "constraints" or closed.alignments]
            self._prepared = {name: plant.prepared_for(name, values) for name in names}
        self._turns = _turns(closed)
        size = plant.size_with(values)
        self.coordinate_sizes, self._length = size.units, size.length
        self.row_sizes = self._measure(np.asarray(guess, dtype=np.float64))
        extent = [self._length if row.unit == "m" else 1.0 for row in self._rows]
        self._rounding = np.maximum(1e-12, ROUNDING * np.array(extent) / self.row_sizes)
        self.linear = np.array([row.linear for row in self._rows], dtype=bool)
        self.holonomic = np.array([row.holonomic for row in self._rows], dtype=bool)

    @cached_property
    def _rest(self) -> Array:
        return np.zeros(self._plant.n)

    @property
    def count(self) -> int:
        """Number of coordinates that may move."""
        return self._plant.n

    def moved(self, q: Array, motion: Array) -> Array:
        """Positions after motions of the coordinates, in units."""
        return self._plant.configuration.moved(q, motion * self.coordinate_sizes)

    def difference(self, q: Array, origin: Array) -> Array:
        """The motion from one position to another, in units."""
        apart = self._plant.configuration.difference(q, origin)
        return np.asarray(apart / self.coordinate_sizes)

    def at(self, t: float) -> Closure:
        """The same loops at another time [s]."""
        other = copy(self)
        other._t = t
        return other

    def _constraints(self, q: Array) -> dict[str, Array]:
        pre = self._prepared["constraints"]
        return self._plant.evaluate(
            "constraints", pre=pre, q=q, qd=self._rest, t=self._t, lanes=False
        )

    def raw(self, q: Array) -> tuple[Array, Array]:
        """h and J as the equations have them, at one position or at many."""
        found = self._constraints(q)
        return found["h"], found["J"]

    def rates_at_rest(self, q: Array) -> Array:
        """How h changes by time alone, as the equations have it."""
        return self._constraints(q)["nu"]

    def __call__(self, q: Array) -> tuple[Array, Array]:
        """h and J in units of rows and coordinates, with sides."""
        h, J = self.raw(q)
        if self._turns:
            h, J = h.copy(), J.copy()
            self._take_sides(q, h, J)
        return h / self.row_sizes, J * self.coordinate_sizes / self.row_sizes[:, None]

    def on_positions(self, J: Array) -> Array:
        """J with zeros in the rows that restrict velocities alone."""
        return np.where(self.holonomic[:, None], J, 0.0)

    def _take_sides(self, q: Array, h: Array, J: Array) -> None:
        """Angles in place of their sines."""
        pre = self._prepared["alignment"]
        found = self._plant.evaluate("alignment", pre=pre, q=q)
        for (rows, first), cosine in zip(self._turns, found["facing"], strict=True):
            sine = float(np.linalg.norm(h[rows]))
            if first is not None:
                J[rows] = found["J"][first : first + len(rows)]
            if sine > 0.0:
                h[rows] *= math.atan2(sine, cosine) / sine
            elif cosine < 0.0:
                h[rows[0]] = math.pi

    def _measure(self, guess: Array) -> Array:
        """Sizes of the rows: their largest slopes around the guess, loop by loop."""
        nearby = np.random.default_rng(2)
        shifts = nearby.uniform(-SPREAD, SPREAD, (SAMPLES, self.count))
        _, J = self.raw(np.vstack([guess, self.moved(guess, shifts)]))
        norms = np.linalg.norm(J * self.coordinate_sizes, axis=2)
        slopes = np.where(np.isfinite(norms), norms, 0.0).max(axis=0)
        self.live_rows = int(np.sum(slopes > 0.0))
        return np.array([self._size(k, row, slopes) for k, row in enumerate(self._rows)])

    def _size(self, k: int, row: Row, slopes: Array) -> float:
        if row.unit == "rad":
            return 1.0
        if row.unit == "m":
            alike = [row.element == r.element and r.unit == "m" for r in self._rows]
            return float(slopes[alike].max()) or self._length
        return float(slopes[k]) or 1.0

    def rounding(self, q: Array, J: Array) -> Array:
        """Largest value of each row that may be rounding, in units of the row.

        The coordinates of loops that turn count as small, those of linear rows as they are: gears
        turn on and on.

        Args:
            q: coordinates.
            J: there, in units of rows and coordinates.
        """
        terms = np.abs(J) @ np.abs(q[: self.count] / self.coordinate_sizes)
        return np.where(self.linear, np.maximum(self._rounding, ROUNDING * terms), self._rounding)

    def is_nearly_closed(self, q: Array) -> bool:
        """Whether Newton's method has ended at a closed position, and on the right side."""
        return bool(np.all(np.abs(self(q)[0]) <= NEARLY))

    def gap(self, q: Array) -> Gap:
        """The loop that is farthest from closed."""
        scaled: dict[tuple[str, str], float] = {}
        sizes: dict[tuple[str, str], float] = {}
        for row, value, size in zip(self._rows, self(q)[0], self.row_sizes, strict=True):
            key = row.element, row.unit
            scaled[key] = math.hypot(scaled.get(key, 0.0), float(value))
            sizes[key] = math.hypot(sizes.get(key, 0.0), float(value * size))
        worst = max(scaled, key=lambda key: scaled[key])
        others = [k[0] for k, x in scaled.items() if k[0] != worst[0] and x > 0.1 * scaled[worst]]
        return Gap(worst[0], sizes[worst], worst[1], tuple(dict.fromkeys(others)))


def _turns(closed: ClosedLoops) -> list[tuple[list[int], int | None]]:
    """Rows of rotation of each alignment, and where its own rows begin."""
    found: list[tuple[list[int], int | None]] = []
    first = 0
    for alignment in closed.alignments:
        rows = [
            k
            for k, row in enumerate(closed.rows)
            if row.element == alignment.element and row.unit == "rad"
        ]
        found.append((rows, first if alignment.J else None))
        first += len(alignment.J)
    return found


def free_of(count: int, held: Sequence[int]) -> np.ndarray:
    """Which of the coordinates may move."""
    taken = set(held)
    return np.array([k not in taken for k in range(count)])
