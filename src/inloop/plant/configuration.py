"""Positions of a mechanism as numbers: small motions, differences and rates of q.

q holds the coordinates of all joints, one per velocity, and behind them the unit quaternions of
ball joints. A coordinate is moved by adding to it; a quaternion by turning it. The coordinates of a
ball joint count how far it has turned about each axis of its body; no function reads them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inloop.errors import InputError

Array = NDArray[np.float64]
COMPONENTS = 4
SMALL_TURN = 1e-4  # [rad] where the first terms of series are exact enough
ROUNDING = 8.0 * float(np.finfo(np.float64).eps)  # of the square of a length


@dataclass(frozen=True)
class Configuration:
    """What q is made of.

    Attributes:
        n: number of coordinates, and of velocities.
        turned: of each quaternion, the first of the three coordinates that turn it.
    """

    n: int
    turned: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Length of q."""
        return self.n + COMPONENTS * len(self.turned)

    def moved(self, q: Array, motion: Array) -> Array:
        """q after a motion of the joints, shape (n,) each or (N, n)."""
        q, motion = np.asarray(q, dtype=np.float64), np.asarray(motion, dtype=np.float64)
        if not self.turned:
            return np.asarray(q + motion)
        shape = np.broadcast_shapes(q.shape[:-1], motion.shape[:-1])
        found = np.array(np.broadcast_to(q, (*shape, self.size)))
        found[..., : self.n] += motion
        for part, coordinates in self._parts():
            turn = quaternion_of(motion[..., coordinates])
            found[..., part] = normalized(product(found[..., part], turn))
        return found

    def placed(self, q: Array, coordinates: Array) -> Array:
        """q after the motion that gives its coordinates other values, shape (n,) or (N, n).

        About q, coordinates of ball joints are then a rotation vector: a chart of the attitudes.
        """
        found = self.moved(q, np.asarray(coordinates, dtype=np.float64) - q[..., : self.n])
        found[..., : self.n] = coordinates  # to the last bit
        return found

    def difference(self, q: Array, origin: Array) -> Array:
        """The motion that leads from one position to another: moved(origin, it) is q.

        Of ball joints the shortest turn; their coordinates do not count.
        """
        q, origin = np.asarray(q, dtype=np.float64), np.asarray(origin, dtype=np.float64)
        found = np.array(q[..., : self.n] - origin[..., : self.n])
        for part, coordinates in self._parts():
            found[..., coordinates] = turn_of(product(conjugate(origin[..., part]), q[..., part]))
        return found

    def rates(self, q: Array, qd: Array) -> Array:
        """dq/dt, shape of q, at velocities qd."""
        q, qd = np.asarray(q, dtype=np.float64), np.asarray(qd, dtype=np.float64)
        found = np.zeros((*np.broadcast_shapes(q.shape[:-1], qd.shape[:-1]), self.size))
        found[..., : self.n] = qd
        for part, coordinates in self._parts():
            om = qd[..., coordinates]
            spin = np.concatenate([np.zeros((*om.shape[:-1], 1)), om], axis=-1)
            found[..., part] = 0.5 * product(q[..., part], spin)
        return found

    def placed_rates(self, q: Array, coordinates: Array, rates: Array) -> Array:
        """Rates of `placed(q, coordinates)` while the coordinates change, shapes (n,) or (N, n)."""
        coordinates, found = np.asarray(coordinates), np.array(rates, dtype=np.float64)
        for _, part in self._parts():
            turn = coordinates[..., part] - q[..., part]
            found[..., part] = body_rates(turn, found[..., part])
        return self.rates(self.placed(q, coordinates), found)

    def variation_rates(self, motion: Array, qd: Array) -> Array:
        """Rates of a small motion away from a position that moves itself, shapes (N, n).

        Of ball joints, in the axes of the body, which turn: δ × om beside what velocities differ.

        Args:
            motion: the small motion.
            qd: velocities of what has moved away.
        """
        found = np.array(qd, dtype=np.float64)
        for _, coordinates in self._parts():
            found[..., coordinates] += np.cross(motion[..., coordinates], qd[..., coordinates])
        return found

    def velocities(self, q: Array, rates: Array) -> Array:
        """qd of positions whose rates dq/dt are known, shapes (N, nq)."""
        q, rates = np.asarray(q, dtype=np.float64), np.asarray(rates, dtype=np.float64)
        found = np.array(rates[..., : self.n])
        for part, coordinates in self._parts():
            p = q[..., part]
            spin = 2.0 * product(conjugate(p), rates[..., part])[..., 1:]
            found[..., coordinates] = spin / np.sum(p * p, axis=-1, keepdims=True)
        return found

    def normalized(self, q: Array) -> Array:
        """q with quaternions of unit length.

        Raises:
            InputError: a quaternion is zero, and so stands for no rotation.
        """
        found = np.array(q, dtype=np.float64)
        for part, _ in self._parts():
            if not np.all(np.any(found[..., part] != 0.0, axis=-1)):
                raise InputError(
                    "a quaternion in q is zero", fix="Give one with nonzero length: (1, 0, 0, 0)."
                )
            found[..., part] = normalized(found[..., part])
        return found

    def _parts(self) -> list[tuple[slice, slice]]:
        """Where each quaternion and its coordinates are."""
        return [
            (
                slice(self.n + COMPONENTS * k, self.n + COMPONENTS * (k + 1)),
                slice(first, first + 3),
            )
            for k, first in enumerate(self.turned)
        ]


# quaternions (w, x, y, z) along the last axis


def product(a: Array, b: Array) -> Array:
    """The turn b, then a: a b."""
    v, u = a[..., 1:], b[..., 1:]
    w = a[..., :1] * b[..., :1] - np.sum(v * u, axis=-1, keepdims=True)
    rest = a[..., :1] * u + b[..., :1] * v + np.cross(v, u)
    return np.concatenate([w, rest], axis=-1)


def conjugate(p: Array) -> Array:
    """The turn back."""
    return np.concatenate([p[..., :1], -p[..., 1:]], axis=-1)


def normalized(p: Array) -> Array:
    """p / |p|; what has no length, or unit length up to rounding, stays as il_attitude.h has it."""
    square = np.sum(p * p, axis=-1, keepdims=True)
    stays = (square == 0.0) | (np.abs(square - 1.0) <= ROUNDING)
    return np.asarray(p / np.where(stays, 1.0, np.sqrt(square)))


def quaternion_of(turn: Array) -> Array:
    """The unit quaternion of a rotation vector [rad]."""
    half = 0.5 * np.linalg.norm(turn, axis=-1, keepdims=True)
    # sin(x)/x; np.sinc has π inside
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * turn], axis=-1)


def turn_of(p: Array) -> Array:
    """The rotation vector of a quaternion of any length, of at most half a turn [rad]."""
    p = np.where(p[..., :1] < 0.0, -p, p)
    sine = np.linalg.norm(p[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, p[..., :1])
    whole = np.linalg.norm(p, axis=-1, keepdims=True)
    small = 2.0 / np.where(whole > 0.0, whole, 1.0)
    factor = np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), small)
    return np.asarray(factor * p[..., 1:])


def body_rates(turn: Array, rates: Array) -> Array:
    """Angular velocity, in the axes of the body, while its rotation vector changes [rad/s]."""
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    small = angle < SMALL_TURN
    whole = np.where(small, 1.0, angle)
    # ω = φd - (1 - cos φ)/φ² φ × φd + (φ - sin φ)/φ³ φ × (φ × φd)
    first = np.where(small, 0.5, (1.0 - np.cos(whole)) / whole**2)
    second = np.where(small, 1.0 / 6.0, (whole - np.sin(whole)) / whole**3)
    across = np.cross(turn, rates)
    return np.asarray(rates - first * across + second * np.cross(turn, across))
