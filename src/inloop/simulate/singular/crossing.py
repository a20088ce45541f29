"""Crossing a singular position, where every choice of independent coordinates is ill-conditioned.

Such a position lies between two states of a smooth motion, but near it rounding errors grow with
the inverse cube of the distance, and Newton's method may converge to another branch. It is
therefore crossed in one long step of high order whose points stay away from it. This is done with
two numbers of points: a crossing with a velocity jump is rejected, two that agree are accepted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inloop.plant import Array, BarePlant
from inloop.simulate.results.result import End
from inloop.simulate.results.samples import Samples
from inloop.simulate.singular.collocation import Curve, collocate
from inloop.simulate.systems import System, largest_violation

# even numbers have no point in the middle; the nearest is at 0.13 of half the step
POINTS, FEWER = 12, 10
JUMP = 0.1  # of the velocity: largest change beyond that explained by the acceleration
AGREEMENT = 1e-7  # of the velocity: largest difference of two valid crossings
MIDDLE = 0.1  # of the crossing: closer to the singular position, results are interpolated
INCREMENT = 1e-6  # of finite differences [rad or characteristic lengths]
LOOK_AHEAD = 0.7  # of the time to it: where the distance is measured again


def time_to_singular(plant: BarePlant, system: System, now: End) -> float:
    """Time until the constraints become dependent if the motion continues [s]; else infinity.

    The smallest singular value of the scaled J measures the distance, whichever coordinates are
    independent and whichever rows are in use. It is extrapolated along q + t qd + t²/2 qdd.
    """
    rank = len(system.formulation.carried.dependent)
    free = [k for k in range(plant.n) if k not in set(system.formulation.partition.driven)]
    here = system.motion(np.array([now.t]), system.start(now.t, now.q, now.qd, now.z, False)[None])
    if not rank or here.qdd is None or not len(here.t):
        return np.inf

    def smallest(t: float) -> float:
        assert here.qdd is not None
        q = plant.configuration.moved(now.q, t * now.qd + 0.5 * t * t * here.qdd[0])
        J = system.formulation.rows.scaled(q, now.t + t)[1]
        return float(np.linalg.svd(J[:, free], compute_uv=False)[rank - 1])

    fastest, first = system.speed(now.qd), smallest(0.0)
    if fastest == 0.0:
        return np.inf
    moment = INCREMENT / fastest
    if not 0.5 * moment * system.speed(here.qdd[0]) * moment <= INCREMENT:
        return np.inf  # nearly at rest: the velocity says nothing
    slope = (smallest(moment) - first) / moment
    if not slope < 0.0:
        return np.inf
    # linear extrapolation, then the secant through a point further ahead
    ahead = LOOK_AHEAD * -first / slope
    if ahead * fastest > 1.0:
        return -first / slope
    second = smallest(ahead)
    return ahead + second * ahead / (first - second) if second < first else np.inf


@dataclass(frozen=True)
class Way:
    """A crossing of a singular position.

    Attributes:
        plant: the mechanism.
        system: the system being integrated.
        curve: stepper states over time.
        ends: first and last state.
        singular: time of the singular position [s].
    """

    plant: BarePlant
    system: System
    curve: Curve
    ends: Samples
    singular: float

    @property
    def turns_over(self) -> bool:
        """Whether a pivot has changed sign: the position was indeed singular."""
        guard, ends = self.system.formulation.guard, self.ends
        first, last = (np.sign(guard(ends.q[k], ends.t[k])) for k in (0, 1))
        return bool(np.any(first != last))

    def samples(self, times: Array) -> Samples:
        """The first state, states at the given times in between, and the last one.

        Away from the singular position everything is computed from the curve. Near it, coordinates
        are projected to closure by the minimum-norm correction; everything else is interpolated.
        """
        t0, t1 = self.ends.t
        far = np.abs(times - self.singular) > MIDDLE * (t1 - t0)
        found = self.ends.rows([0])
        if far.any():
            found = found.followed_by(self.system.expand(times[far], self.curve.at(times[far])))
        if not far.all():
            found = found.followed_by(self._near(times[~far]))
        found = found.followed_by(self.ends.rows([1]))
        return found.rows([int(k) for k in np.argsort(found.t, kind="stable")])

    def _near(self, times: Array) -> Samples:
        x, parts = self.curve.at(times), self.system.formulation.partition
        u, v = list(parts.independent), list(parts.dependent)
        points = self.curve.points
        known = self.system.expand(points, self.curve.at(points))
        base = self.ends.rows([0]).followed_by(known).followed_by(self.ends.rows([1]))
        signals = {name: _interpolated(base.t, y, times) for name, y in base.signals.items()}
        assert base.qdd is not None
        q, qd, qdd = (_interpolated(base.t, y, times) for y in (base.q, base.qd, base.qdd))
        n, guess = self.plant.n, 2 * len(u) + base.z.shape[1]
        q[:, u], q[:, v] = x[:, : len(u)], x[:, guess : guess + len(v)]
        q[:, n:] = x[:, guess + len(v) :]
        for k, t in enumerate(times):
            h, J = self.system.formulation.rows.scaled(q[k], float(t))
            back = np.linalg.lstsq(J, -h, rcond=1e-6)[0] * self.system.sizes
            q[k] = self.plant.configuration.moved(q[k], back)
        z = x[:, 2 * len(u) : guess]
        violation = largest_violation(self.plant, q, qd, times)
        return Samples(times, q, qd, z, signals, violation, qdd)


def cross(
    plant: BarePlant, system: System, begin: End, singular: float, duration: float
) -> Way | None:
    """A crossing of a singular position; None if it cannot be trusted.

    Args:
        plant: the mechanism.
        system: the system being integrated.
        begin: state reached.
        singular: time from there to the singular position [s].
        duration: duration of the crossing [s].
    """
    system.pull = 0.0
    ways = [_way(plant, system, begin, singular, duration, count) for count in (POINTS, FEWER)]
    best, other = ways
    if best is None or other is None or not _is_smooth(best.ends, system.sizes):
        return None
    return best if _difference(plant, best.ends, other.ends) <= AGREEMENT else None


def _way(
    plant: BarePlant,
    system: System,
    begin: End,
    singular: float,
    duration: float,
    count: int,
) -> Way | None:
    """One step with `count` points, without the guard."""
    x = system.start(begin.t, begin.q, begin.qd, begin.z, guarded=False)
    first = system.motion(np.array([begin.t]), x[None])
    if not len(first.t) or first.qdd is None:
        return None
    parts = system.formulation.partition
    u, v = list(parts.independent), list(parts.dependent)
    turning = plant.configuration.rates(begin.q, begin.qd)[plant.n :]
    # the rates depend on all of x if orientations are part of it or dependent positions are led;
    # otherwise not on the estimates of dependent coordinates, which are its last entries
    moving = len(x) if len(turning) or system.formulation.led_positions else len(x) - len(v)
    # initial guess: constant accelerations
    later = duration * 0.5 * (1.0 + np.polynomial.legendre.leggauss(count)[0])[:, None]
    speed = begin.qd + later * first.qdd[0]
    still = np.zeros((count, len(begin.z)))
    fixed, turning = (np.tile(a, (count, 1)) for a in (first.qdd[0][u], turning))
    guess = np.concatenate([speed[:, u], fixed, still, speed[:, v], turning], axis=1)
    curve = collocate(system.rates, begin.t, x, duration, guess, system.scales.sizes[:moving])
    if curve is None:
        return None
    times = np.array([begin.t, begin.t + duration])
    ends = system.expand(times, np.stack([x, curve.at(times[1:])[0]]))
    return Way(plant, system, curve, ends, begin.t + singular) if len(ends.t) == 2 else None


def _is_smooth(way: Samples, sizes: Array) -> bool:
    """Whether the velocities, in units of the coordinates, continue as they began."""
    assert way.qdd is not None
    duration, first, qd = way.t[1] - way.t[0], way.qdd[0] / sizes, way.qd / sizes
    miss = np.abs(qd[1] - qd[0] - duration * first).max()
    return bool(miss <= JUMP * np.abs(qd).max() + duration * np.abs(first).max())


def _difference(plant: BarePlant, a: Samples, b: Samples) -> float:
    """Difference between the ends of two crossings, relative to the velocity."""
    assert a.qdd is not None
    sizes = plant.coordinate_sizes
    duration = a.t[1] - a.t[0]
    scale = float(np.abs(a.qd / sizes).max() + duration * np.abs(a.qdd[0] / sizes).max())
    velocity = np.abs((a.qd[1] - b.qd[1]) / sizes).max()
    apart = plant.configuration.difference(a.q[1], b.q[1])
    position = np.abs(apart / sizes).max() / duration
    return float(max(velocity, position) / max(scale, 1e-300))


def _interpolated(t: Array, values: Array, times: Array) -> Array:
    """Polynomial interpolation of all values, in barycentric form (Berrut & Trefethen 2004)."""
    s = (t - t[0]) / (t[-1] - t[0])
    at = (np.asarray(times) - t[0]) / (t[-1] - t[0])
    apart = s[:, None] - s + np.eye(len(s))
    weights = 1.0 / np.prod(apart, axis=1)
    away = at[:, None] - s
    exact = away == 0.0
    shares = weights / np.where(exact, 1.0, away)
    shares = np.where(exact.any(axis=1)[:, None], exact.astype(float), shares)
    return np.asarray((shares / shares.sum(axis=1, keepdims=True)) @ values)
