"""Motions of the key front for the experiments with the piano action, and their runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import strokes
from inloop.gallery.piano.contacts import FRONT

STEP, METHOD = 1e-4, "implicit"  # halving the step changes forces by 0.02 % (docs/piano.md)
SETTLED = 0.5  # settling time of an action with other dials [s]
DOWN, STOP = 9.4e-3, 0.4e-3  # travel of a blow, and its last part, where the bed stops it [m]
Travel = Callable[[Any], Any]


def moved(plant: il.Plant, travel: Travel, seconds: float, sample: float = STEP) -> il.Result:
    """Run an action with a prescribed motion of the key front.

    Args:
        plant: with the option finger=False.
        travel: travel of the key front along its arc [m], a traceable function of time.
        seconds: length of the run [s].
        sample: time between samples [s].
    """
    angle = {"key.q": lambda t: travel(t) / FRONT}
    return plant.simulate(t_end=seconds, step=STEP, method=METHOD, inputs=angle, sample=sample)


def played(plant: il.Plant, wanted: Travel, seconds: float) -> il.Result:
    """Run an action with a finger (option finger=True) and a desired travel [m]."""
    return plant.simulate(t_end=seconds, step=STEP, method=METHOD, inputs={"finger": wanted})


def ramps(t: Any, corners: Sequence[tuple[float, float]]) -> Any:
    """Straight lines between corners (time [s], travel [m])."""
    travel: Any = corners[0][1]
    for (t0, s0), (t1, s1) in pairwise(corners):
        share = il.minimum(il.max0((t - t0) / (t1 - t0)), 1.0)
        travel = travel + (s1 - s0) * share
    return travel


def blow(t: Any, begin: float, time: float, size: float = DOWN) -> Any:
    """A stroke like that of a finger: it accelerates until the bed stops the key.

    The key front has constant acceleration over all but the last STOP of its travel, and constant
    deceleration there.

    Args:
        t: time [s], a number or traced.
        begin: [s].
        time: until the deceleration begins [s].
        size: travel [m].
    """
    way = size - STOP
    speed = 2.0 * way / time
    stopping = 2.0 * STOP / speed
    gained = il.minimum(il.max0(t - begin), time)
    lost = il.minimum(il.max0(t - begin - time), stopping)
    return way * (gained / time) ** 2 + speed * lost * (1.0 - 0.5 * lost / stopping)


def release(t: Any, begin: float, time: float, size: float = DOWN) -> Any:
    """The (negative) travel of a key that is released, with minimum jerk."""
    return strokes(t, ((begin, time, -size),))[0]


@contextmanager
def turned(plant: il.Plant, **dials: float) -> Iterator[None]:
    """Change dials within a `with` block."""
    before = {name: plant.parameters[name] for name in dials}
    plant.parameters.update(dials)
    try:
        yield
    finally:
        plant.parameters.update(before)


def key_force(result: il.Result) -> np.ndarray:
    """Downward force at the key front of an action whose key is driven [N]."""
    return np.asarray(result["key.effort"] / FRONT)


def key_travel(result: il.Result) -> np.ndarray:
    """Travel of the key front along its arc [mm]."""
    return np.asarray(1e3 * FRONT * result["key.q"])


def beginnings(force: np.ndarray) -> list[int]:
    """Rows at which a contact begins that was open for at least ten rows."""
    rows = np.flatnonzero(force > 0.0)
    if not len(rows):
        return []
    return [int(rows[0]), *(int(rows[k + 1]) for k in np.flatnonzero(np.diff(rows) > 10))]
