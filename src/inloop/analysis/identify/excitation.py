"""Motions that tell as much as possible of the base parameters, within limits.

Each joint follows a Fourier series with the same period (Swevers et al. 1997),

    q(t) = center + Σ_l a_l/(ω l) sin(ω l t) - b_l/(ω l) cos(ω l t),

whose coefficients minimize the condition number of the regressor along it, by sequential quadratic
programming. Derivatives of its singular values are σ' = uᵀ Y' v; limits hold for a smooth estimate
of each largest value, and in the end for the values themselves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from inloop.analysis.identify.base_parameters import BaseParameters, chosen_base
from inloop.analysis.identify.closing import Closing, Motion
from inloop.errors import InputError, SimulationError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name, real, whole
from inloop.plant.keywords import checked_call

NORM = 16  # power of the mean that stands for a largest value
PEAK = 1.107  # by which the mean of a sine's powers must be multiplied to give its peak
CLOSE = 1e-6  # part of a unit over which differences of the regressor are taken
FINE = 20  # samples per period of the highest harmonic, where limits are checked
OPEN = 50.0  # log of the condition number that a motion counts as along which loops do not close
SCALING = 200  # random states from which the sizes of columns are known
FIRST = 0.7  # of the limits that the first, random motion uses

Limit = float | Mapping[str, float]


@dataclass(frozen=True)
class Excitation:
    """A periodic motion of all joints: `q, qd, qdd = excitation(t)`.

    Attributes:
        coordinates: names of the joints; of loops the measured ones.
        period: [s].
        center: of each joint [rad or m].
        sines: a_l, velocities of the harmonics, shape (n, harmonics) [rad/s or m/s].
        cosines: b_l.
        condition: of the regressor along it, columns scaled by their size at random states.
        first_condition: of the random motion from which it was found.
    """

    coordinates: tuple[str, ...]
    period: float
    center: Array
    sines: Array
    cosines: Array
    condition: float = math.nan
    first_condition: float = math.nan

    def __call__(self, t: Sequence[float] | Array) -> tuple[Array, Array, Array]:
        """q, qd, qdd at times [s], shape (N, n) each."""
        turns = 2.0 * np.pi / self.period * np.arange(1, self.sines.shape[1] + 1)
        angle = np.outer(np.asarray(t, dtype=np.float64), turns)
        S, C = np.sin(angle), np.cos(angle)
        a, b = self.sines.T, self.cosines.T
        q = self.center + S / turns @ a - C / turns @ b
        return q, C @ a + S @ b, (C * turns) @ b - (S * turns) @ a


@checked_call
def excitation(
    plant: BarePlant,
    *,
    speed: Limit,
    acceleration: Limit,
    position: Mapping[str, tuple[float, float]] | None = None,
    period: float = 10.0,
    harmonics: int = 5,
    base: BaseParameters | None = None,
    friction: str | Sequence[str] = ("viscous", "coulomb"),
    seed: int = 0,
    iterations: int = 50,
) -> Excitation:
    """Find a periodic motion that excites all base parameters, the same for the same seed.

    Args:
        plant: the compiled mechanism, without modes and flexible links.
        speed: largest velocity of all joints, or by name [rad/s or m/s].
        acceleration: largest acceleration of all joints, or by name [rad/s² or m/s²].
        position: (lowest, highest) by name [rad or m]; else the limits of the joints, else half a
            turn to both sides.
        period: [s].
        harmonics: of the series.
        base: base parameters that were found before.
        friction: see `regressor`.
        seed: of the random motion it begins with.
        iterations: of the optimization, at most.
    """
    if plant.nq > plant.n:
        raise InputError(
            f"model '{plant.name}' has ball joints: their motion cannot be a Fourier series",
            fix="Use revolute joints instead: il.ball(angles=True).",
        )
    count = whole(harmonics, "harmonics")
    if count < 1 or not real(period, "period") > 0.0:
        raise InputError("a Fourier series needs a period and harmonics", fix="Give both above 0.")
    told = chosen_base(plant, base, True, friction)
    limits = _Limits.read(told.regressor.closing, position, speed, acceleration)
    search = _Search(told, limits, float(period), count)
    start = search.within(np.random.default_rng(seed).normal(size=search.size), FIRST)
    if not search.closes(start):
        raise InputError(
            f"model '{plant.name}': loops cannot be closed everywhere within the limits of "
            f"{', '.join(told.regressor.coordinates)}",
            fix='Give narrower ones: position={"crank": (lowest, highest)}.',
        )
    found = scipy.optimize.minimize(
        search.cost, start, jac=True, method="SLSQP",
        constraints={"type": "ineq", "fun": search.room, "jac": search.room_slopes},
        options={"maxiter": whole(iterations, "iterations")},
    )  # fmt: skip
    best = min((start, search.within(found.x, 1.0)), key=lambda x: search.cost(x)[0])
    conditions = [math.exp(search.cost(x)[0]) for x in (best, start)]
    return replace(search.motion(best), condition=conditions[0], first_condition=conditions[1])


@dataclass(frozen=True)
class _Limits:
    """Of each joint: middle and half of the range of q, largest qd and qdd."""

    middle: Array
    most: tuple[Array, Array, Array]

    @classmethod
    def read(
        cls,
        closing: Closing,
        position: Mapping[str, tuple[float, float]] | None,
        speed: Limit,
        acceleration: Limit,
    ) -> _Limits:
        given, ranges = by_name(position, "position"), []
        _check_measured(given, "position", closing.names)
        for place in closing.places:
            joint = closing.plant.mechanism.bodies[place].joint
            turn = (-math.pi, math.pi) if joint.kind.dimension.unit == "rad" else None
            pair = given.get(joint.name, joint.limits or turn)
            if pair is None:
                raise InputError(
                    f"joint '{joint.name}' has no limits",
                    fix=f'Give position={{"{joint.name}": (lowest, highest)}} [m].',
                )
            low, high = (real(value, f"position of '{joint.name}'") for value in pair)
            if not low < high:
                raise InputError(
                    f"limits of '{joint.name}' are {low:g} and {high:g}", fix="Write low, high."
                )
            ranges.append((low, high))
        low_, high_ = np.array(ranges).T
        for what, each in (("speed", speed), ("acceleration", acceleration)):
            _check_measured(each if isinstance(each, Mapping) else {}, what, closing.names)
        rates = tuple(
            np.array([_limit(each, name, what) for name in closing.names])
            for each, what in ((speed, "speed"), (acceleration, "acceleration"))
        )
        return cls((low_ + high_) / 2, ((high_ - low_) / 2, rates[0], rates[1]))


def _check_measured(given: Mapping[str, object], what: str, names: Sequence[str]) -> None:
    """Refuse limits of what is no measured joint."""
    for name in given:
        if name not in names:
            raise InputError(
                f"{what} of '{name}', which is no measured joint", fix=name_hint(name, names)
            )


def _limit(given: Limit, joint: str, what: str) -> float:
    if isinstance(given, Mapping) and joint not in given:
        raise InputError(f"{what} of '{joint}' is missing", fix="Name all joints, or give one.")
    value = real(given[joint] if isinstance(given, Mapping) else given, f"{what} of '{joint}'")
    if not 0.0 < value < math.inf:
        raise InputError(f"{what} of '{joint}' is {value:g}", fix="Give a value above 0.")
    return value


class _Search:
    """Condition number and limits as functions of x: of each joint center, sines and cosines.

    The center counts in half ranges from the middle, the others in largest velocities.
    """

    def __init__(self, base: BaseParameters, limits: _Limits, period: float, count: int) -> None:
        self._base, self._limits, self._period, self._count = base, limits, period, count
        closing = self._closing = base.regressor.closing
        self._names, self._sizes = closing.names, closing.sizes
        n = self._n = len(closing.names)
        samples = max(8 * count, 16, math.ceil(4 * len(base) / n))
        self._t = period / samples * np.arange(samples, dtype=np.float64)
        self.size = n * (2 * count + 1)
        random = self._rows(closing.random_states(SCALING, 0))
        self._columns = np.sqrt(np.mean(random**2, axis=(0, 1)))
        # q - middle, qd, qdd in units of their limits are linear in x: of joint j, parts[kind][j]
        self._parts = self._linear_parts()

    def motion(self, x: Array) -> Excitation:
        """The motion of coefficients."""
        table, limits = x.reshape(self._n, -1), self._limits
        most = limits.most[1][:, None]
        return Excitation(
            self._names,
            self._period,
            limits.middle + limits.most[0] * table[:, 0],
            most * table[:, 1 : self._count + 1],
            most * table[:, self._count + 1 :],
        )

    def _linear_parts(self) -> list[Array]:
        """Of each kind, values at the samples for one unit of each coefficient of a joint."""
        units = np.eye(2 * self._count + 1)
        tables = [self.motion(np.tile(unit, self._n))(self._t) for unit in units]
        most, middle = self._limits.most, self._limits.middle
        parts = []
        for kind in range(3):
            values = np.stack([table[kind] for table in tables])  # coefficient, sample, joint
            values = (values - middle if kind == 0 else values) / most[kind]
            parts.append(np.ascontiguousarray(values.transpose(2, 1, 0)))
        return parts

    def _rows(self, motion: Motion) -> Array:
        """Powers of all base parameters along a motion."""
        Y = self._base.regressor.along(motion)
        return np.asarray(Y[..., list(self._base.kept)] * self._sizes[:, None])

    def closes(self, x: Array) -> bool:
        """Whether loops can be closed along a motion."""
        return self.cost(x)[0] < OPEN

    def cost(self, x: Array) -> tuple[float, Array]:
        """log of the condition number, and its slopes."""
        state = self.motion(x)(self._t)
        try:
            motion = self._closing.complete(*state)
        except SimulationError:
            return OPEN, np.zeros(self.size)
        W = self._rows(motion) / self._columns
        U, s, Vt = np.linalg.svd(W.reshape(-1, W.shape[2]), full_matrices=False)
        slopes = np.zeros((self._n, 2 * self._count + 1))
        u = U[:, [0, -1]].reshape(*W.shape[:2], 2)
        v = (Vt[[0, -1]] / self._columns).T
        signs = np.array([1.0 / s[0], -1.0 / s[-1]])
        for kind in range(3):
            for j in range(self._n):
                width = CLOSE * self._limits.most[kind][j]
                ends = []
                for sign in (-1.0, 1.0):
                    moved = [values.copy() for values in state]
                    moved[kind][:, j] += sign * width
                    beside = self._closing.complete(moved[0], moved[1], moved[2], motion.q)
                    ends.append(self._rows(beside) @ v)
                # σ' = uᵀ W' v at each sample, for one unit of the limit
                change = np.sum(u * (ends[1] - ends[0]), axis=1) @ signs / (2.0 * CLOSE)
                slopes[j] += change @ self._parts[kind][j]
        return float(np.log(s[0] / s[-1])), slopes.ravel()

    def room(self, x: Array) -> Array:
        """What is left of each limit, as a part of it."""
        return 1.0 - np.concatenate([self._means(x, kind)[0] for kind in range(3)])

    def room_slopes(self, x: Array) -> Array:
        """Its slopes."""
        slopes = np.zeros((3, self._n, self._n, 2 * self._count + 1))
        for kind in range(3):
            mean, values = self._means(x, kind)
            inner = np.abs(values) ** (NORM - 1) * np.sign(values)
            weight = PEAK**NORM / values.shape[1] / np.maximum(mean, 1e-12) ** (NORM - 1)
            own = np.einsum("js,jsc->jc", inner, self._parts[kind]) * weight[:, None]
            slopes[kind, range(self._n), range(self._n)] = -own
        return slopes.reshape(3 * self._n, -1)

    def _means(self, x: Array, kind: int) -> tuple[Array, Array]:
        """Smooth estimates of the largest values of each joint, and the values."""
        values = np.einsum("jsc,jc->js", self._parts[kind], x.reshape(self._n, -1))
        mean = np.mean(np.abs(values) ** NORM, axis=1) ** (1.0 / NORM)
        return PEAK * mean, values

    def within(self, x: Array, part: float) -> Array:
        """x with each joint scaled down until it keeps to a part of its limits at every time."""
        fine = self._period / (FINE * self._count) * np.arange(FINE * self._count, dtype=np.float64)
        q, qd, qdd = self.motion(x)(fine)
        used = np.stack([q - self._limits.middle, qd, qdd])
        peak = np.max(np.abs(used) / np.array(self._limits.most)[:, None], axis=(0, 1))
        # between the fine samples a series may be 2 % higher
        scale = part / np.maximum(1.02 * peak, part)
        return np.asarray((x.reshape(self._n, -1) * scale[:, None]).ravel())
