"""Motion of all coordinates from those that are measured: loops are closed along the way.

Measured are all coordinates of a tree, and the independent and driven ones q_m of a mechanism with
loops. The others follow from h(q) = 0, J qd = 0 and J qdd = -gamma. With qd = T qd_m, the forces in
the loops do no work along T, and what is left of the equations of motion is

    Tᵀ tau = Tᵀ Y(q, qd, qdd) π.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inloop.analysis.reduction import Reduction
from inloop.errors import InputError, SimulationError
from inloop.plant import Array, BarePlant
from inloop.plant.variation.timed_elements import timed_elements

TOGETHER = 256  # rows that are closed at once, from the last one before them
NEAR = 0.2  # of a unit of a coordinate: so far it may be, in a row, from where it was led
SMALL = 0.1  # steps of measured coordinates, in units, where longer ones fail
SPEED, ACCELERATION = 2.0, 5.0  # of random states, in units of the coordinates [1/s, 1/s²]
STRIDE, LEAP = 2, 0.5  # attempts between random states of loops, and their lengths in units
STEEP = 20.0  # largest entry of T, in units, at a random state: singular positions are farther
PATIENCE = 50  # attempts for each random state


@dataclass(frozen=True)
class Motion:
    """A motion that fits the loops, a row for each time.

    Attributes:
        q, qd, qdd: of all coordinates, shape (N, nq) and (N, n).
        T: ∂q/∂q_m, shape (N, n, measured); None for a tree, where it is a unit matrix.
    """

    q: Array
    qd: Array
    qdd: Array
    T: Array | None

    def cut(self, part: slice) -> Motion:
        """Some of its rows."""
        T = None if self.T is None else self.T[part]
        return Motion(self.q[part], self.qd[part], self.qdd[part], T)

    def along(self, rows: Array) -> Array:
        """Tᵀ times what has one row for each coordinate, shape (N, n, ...)."""
        if self.T is None:
            return rows
        return np.asarray(np.einsum("ijm,ij...->im...", self.T, rows))


class Closing:
    """The measured coordinates of a plant, and how the others follow from them.

    Attributes:
        plant: the compiled mechanism.
        places: of the measured coordinates among all.
        names: of them.
    """

    def __init__(self, plant: BarePlant) -> None:
        """See a plant so.

        Raises:
            InputError: its motion does not follow from coordinates that can be measured.
        """
        self.plant = plant
        self._reduction = Reduction(plant)
        self.is_tree = not self._reduction.rows and not self._reduction.driven
        self.places = list(range(plant.n))
        if not self.is_tree:
            self._check()
            self.places = sorted([*self._reduction.independent, *self._reduction.driven])
        self.names = tuple(plant.coordinates[k] for k in self.places)

    def _check(self) -> None:
        plant, why = self.plant, ""
        if plant.nq > plant.n:
            why = "has ball joints beside loops"
        elif self._reduction.led:
            names = ", ".join(plant.coordinates[k] for k in self._reduction.led)
            why = f"has constraints on velocities, which leave positions of {names} free"
        for each in timed_elements(plant.mechanism):
            if each.kind not in ("law", "drive"):
                why = f"has a {each.kind} '{each.name}' that depends on time"
        if why:
            raise InputError(
                f"model '{plant.name}' {why}: its motion cannot be determined from the measured "
                "coordinates",
                fix="Use il.fit for its recordings.",
            )

    @property
    def sizes(self) -> Array:
        """Units of the measured coordinates [rad or m]."""
        return self.plant.coordinate_sizes[self.places]

    def picked(self, table: Array) -> Array:
        """Columns of the measured coordinates, of a table that has all or only these."""
        if self.is_tree or table.shape[-1] != self.plant.n:
            return table
        return table[..., self.places]

    def complete(self, q: Array, qd: Array, qdd: Array, guess: Array | None = None) -> Motion:
        """The motion of all coordinates.

        Args:
            q: positions of the measured coordinates, in order of time, shape (N, measured).
            qd: their velocities.
            qdd: their accelerations.
            guess: positions of all coordinates near those of the rows; without it loops are closed
                row after row, from the start of the plant on.

        Raises:
            SimulationError: loops cannot be closed.
        """
        if self.is_tree:
            return Motion(q, qd, qdd, None)
        r = self._reduction
        at = self._positions(q) if guess is None else r.close(self._put(q, guess))
        rest = np.zeros((len(at), self.plant.n))
        found = r.constraints(at, rest)
        T = r.tangent(found["J"], self.places)
        speeds = r.fill(found["J"], self._put(qd, rest), found["nu"])
        gamma = r.constraints(at, speeds)["gamma"]
        return Motion(at, speeds, r.fill(found["J"], self._put(qdd, rest), gamma), T)

    def _put(self, values: Array, table: Array) -> Array:
        found = np.array(table, dtype=np.float64)
        found[:, self.places] = values
        return found

    def _positions(self, q: Array) -> Array:
        """Closed positions, each near the one before it.

        Raises:
            SimulationError: loops cannot be closed on the way.
        """
        found = np.empty((len(q), self.plant.n))
        last = self._led(self._reduction.start(None), q[0], "the first row")
        done, together = 0, TOGETHER
        while done < len(q):
            rows = q[done : done + together]
            closed = self._from(last, rows)
            if closed is None and together > 1:
                together = max(1, together // 4)
                continue
            if closed is None:
                closed = self._led(last, rows[0], f"row {done}")[None]
            found[done : done + len(rows)] = closed
            last, done, together = closed[-1], done + len(rows), min(2 * together, TOGETHER)
        return found

    def _led(self, last: Array, q: Array, where: str) -> Array:
        """A closed position at measured coordinates, from another one in small steps."""
        way = q - last[self.places]
        count = max(1, int(np.ceil(np.abs(way / self.sizes).max(initial=0.0) / SMALL)))
        for part in np.arange(1, count + 1) / count:
            closed = self._from(last, (q - (1.0 - part) * way)[None])
            if closed is None:
                raise SimulationError(
                    f"model '{self.plant.name}': loops cannot be closed on the way to {where} of "
                    "the measured coordinates",
                    fix="Is it a motion of this mechanism? Declare an initial position near it, "
                    "and stay away from singular positions.",
                )
            last = closed[0]
        return last

    def _from(self, last: Array, rows: Array) -> Array | None:
        """Rows closed near a closed position, led by its tangent; None where they are not near."""
        first = self._tangent(last[None])
        lead = last + (rows - last[self.places]) @ first[0].T
        try:
            closed = self._reduction.close(lead)
        except SimulationError:
            return None
        # from row to row by the mean of both tangents: else it is another branch, or a long step
        T, steps = (
            np.vstack([first, self._tangent(closed)]),
            np.diff(closed, axis=0, prepend=[last]),
        )
        led = np.einsum("ijm,im->ij", 0.5 * (T[1:] + T[:-1]), steps[:, self.places])
        near = np.abs(steps - led) <= NEAR * self.plant.coordinate_sizes
        return closed if np.all(near) else None

    def _tangent(self, q: Array) -> Array:
        J = self._reduction.constraints(q, np.zeros((len(q), self.plant.n)))["J"]
        return self._reduction.tangent(J, self.places)

    def random_states(self, count: int, seed: int) -> Motion:
        """States all over the workspace: anywhere of a tree, along a random walk of loops."""
        plant, random = self.plant, np.random.default_rng(seed)
        shape, sizes = (count, len(self.places)), self.sizes
        anywhere = random.uniform(-np.pi, np.pi, shape) * sizes
        turned = random.normal(size=(count, plant.nq - plant.n))
        qd = SPEED * sizes * random.uniform(-1.0, 1.0, shape)
        qdd = ACCELERATION * sizes * random.uniform(-1.0, 1.0, shape)
        if self.is_tree:
            q = plant.configuration.normalized(np.hstack([anywhere, turned]))
            return Motion(q, qd, qdd, None)
        walk = self._walk(count, random)
        return self.complete(walk[:, self.places], qd, qdd, walk)

    def _walk(self, count: int, random: np.random.Generator) -> Array:
        """Closed positions of a random walk that turns back where loops end."""
        last, found = self._reduction.start(None), []
        for attempt in range(PATIENCE * count):
            leap = LEAP * self.sizes * random.uniform(-1.0, 1.0, len(self.places))
            closed = self._from(last, (last[self.places] + leap)[None])
            if closed is not None and self._is_regular(closed):
                last = closed[0]
                if attempt % STRIDE == 0:
                    found.append(last)
            if len(found) == count:
                return np.array(found)
        raise SimulationError(
            f"model '{self.plant.name}': loops can hardly be moved from the start",
            fix="Declare an initial position away from singular positions.",
        )

    def _is_regular(self, q: Array) -> bool:
        T = self._tangent(q)[0] / self.plant.coordinate_sizes[:, None] * self.sizes
        return bool(np.abs(T).max() <= STEEP)
