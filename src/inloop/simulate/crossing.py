"""Over a singular position, where no choice of independent coordinates is good.

Such a position lies between two states of a smooth motion, but near it rounding errors grow without
bound, and Newton's method may end on another branch. So it is passed in one long step whose stages
stay away from it. That is done several times with different steps: ways with a jump of velocity are
dropped, and two that agree are believed.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from inloop.native import FixedSteps, Method, Snapshot, Status, run
from inloop.plant import Array, BarePlant
from inloop.simulate.result import End
from inloop.simulate.systems import ClosedSystem, Samples, largest_violation

# the long step begins at one of these parts of the time to the singular position; the stages of
# Dormand and Prince are at 0.2, 0.3, 0.8 and 0.89 of a step, that is never in its middle
BEGINS, LENGTH = (0.76, 0.78, 0.80, 0.82), 0.4
STEPS = 4  # before the long step, and after it
JUMP = 0.1  # of the velocity: more than an acceleration explains
AGREEMENT = 1e-7  # of the velocity: what two good ways may differ by
MIDDLE = 0.2  # of the way: nearer to the singular position nothing can be computed


def cross(
    system: ClosedSystem, begin: End, method: Method, singular: float, duration: float
) -> Samples | None:
    """The first and the last state of a way over a singular position; None if none can be trusted.

    Args:
        system: what moves.
        begin: where the run got to.
        method: the integrator of the run.
        singular: time from there to the singular position [s].
        duration: of the way [s].
    """
    # of high order; stiff laws may need the other one
    for chosen in (Method.DOPRI, Method.RODAS) if method == Method.RODAS else (Method.DOPRI,):
        found = [_way(system, begin, chosen, singular, duration, part) for part in BEGINS]
        ways = [way for way in found if way is not None and _is_smooth(way, system.sizes)]
        pairs = list(combinations(ways, 2))
        differences = [_difference(a, b, system.sizes) for a, b in pairs]
        if pairs and min(differences) <= AGREEMENT:
            return pairs[int(np.argmin(differences))][0]
    return None


def _way(
    system: ClosedSystem, begin: End, method: Method, singular: float, duration: float, part: float
) -> Samples | None:
    """Without the guard: some steps, the long one, some steps."""
    first = system.start(begin.t, begin.q, begin.qd, begin.z, guarded=False)
    before, over = part * singular, LENGTH * singular
    if before + over >= duration:
        return None
    x, t = first, begin.t
    for length, steps in ((before, STEPS), (over, 1), (duration - before - over, STEPS)):
        schedule = FixedSteps(method, length / steps, steps, stride=steps)
        done = run(system.system, Snapshot(x, t), schedule)
        if done.status != Status.OK:
            return None
        x, t = done.x[-1], t + length
    way = system.expand(np.array([begin.t, begin.t + duration]), np.stack([first, x]))
    return way if len(way.t) == 2 else None


def _is_smooth(way: Samples, sizes: Array) -> bool:
    """Whether the velocities, in units of the coordinates, go on as they began."""
    assert way.qdd is not None
    duration, first, qd = way.t[1] - way.t[0], way.qdd[0] / sizes, way.qd / sizes
    miss = np.abs(qd[1] - qd[0] - duration * first).max()
    return bool(miss <= JUMP * np.abs(qd).max() + duration * np.abs(first).max())


def _difference(a: Samples, b: Samples, sizes: Array) -> float:
    """Between the ends of two ways, as a part of the velocity."""
    assert a.qdd is not None
    duration = a.t[1] - a.t[0]
    scale = float(np.abs(a.qd / sizes).max() + duration * np.abs(a.qdd[0] / sizes).max())
    velocity = np.abs((a.qd[1] - b.qd[1]) / sizes).max()
    position = np.abs((a.q[1] - b.q[1]) / sizes).max() / duration
    return float(max(velocity, position) / max(scale, 1e-300))


def with_samples_between(
    plant: BarePlant, system: ClosedSystem, way: Samples, times: Array, singular: float
) -> Samples:
    """A way with samples inside it.

    Coordinates come from the polynomial of degree 5 through both ends. Away from the singular
    position everything else is computed from them; near it, coordinates are brought to closure by
    the smallest correction and everything else varies evenly.

    Args:
        plant: the mechanism.
        system: what moves.
        way: first and last state.
        times: of the samples inside [s].
        singular: time of the singular position [s].
    """
    if len(times) == 0:
        return way
    q, qd = _polynomial(way, times)
    s = ((times - way.t[0]) / (way.t[1] - way.t[0]))[:, None]
    z = way.z[0] + s * (way.z[1] - way.z[0])
    far = np.abs(times - singular) > MIDDLE * (way.t[1] - way.t[0])
    states = [system.start(*row, guarded=False) for row in zip(times, q, qd, z, strict=True)]
    good = way.rows([0])
    if far.any():
        x = np.stack([state for state, take in zip(states, far, strict=True) if take])
        good = good.followed_by(system.expand(times[far], x))
    good = good.followed_by(way.rows([1]))
    if far.all():
        return good
    near, q, qd = times[~far], q[~far], qd[~far]
    assert plant.loops is not None
    closure = plant.loops.closure()
    for row, t in zip(q, near, strict=True):
        h, J = closure.at(float(t))(row)
        row -= np.linalg.lstsq(J, h, rcond=1e-6)[0] * system.sizes
    evenly = {name: np.interp(near, good.t, values) for name, values in good.signals.items()}
    qdd = np.stack([evenly[f"{name}.qdd"] for name in plant.coordinates], axis=1)
    violation = largest_violation(plant, q, qd, near)
    whole = good.followed_by(Samples(near, q, qd, z[~far], evenly, violation, qdd))
    return whole.rows([int(k) for k in np.argsort(whole.t, kind="stable")])


def _polynomial(way: Samples, times: Array) -> tuple[Array, Array]:
    """q and qd at some times, from q, qd and qdd at both ends."""
    assert way.qdd is not None
    duration = way.t[1] - way.t[0]
    s = ((times - way.t[0]) / duration)[:, None]
    c0, c1, c2 = way.q[0], duration * way.qd[0], 0.5 * duration**2 * way.qdd[0]
    rest = way.q[1] - c0 - c1 - c2
    slope = duration * way.qd[1] - c1 - 2.0 * c2
    bend = duration**2 * way.qdd[1] - 2.0 * c2
    c3 = 10.0 * rest - 4.0 * slope + 0.5 * bend
    c4 = -15.0 * rest + 7.0 * slope - bend
    c5 = 6.0 * rest - 3.0 * slope + 0.5 * bend
    q = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
    qd = (c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / duration
    return q, qd
