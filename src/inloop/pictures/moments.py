"""Selects the samples of a result that an animation shows: one per frame, none interpolated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array
from inloop.plant.arguments import real
from inloop.simulate import Result

MOST = 10_000  # frames


@dataclass(frozen=True)
class Moments:
    """Samples at equal intervals.

    Attributes:
        t: their simulated times [s], shape (N,).
        q: coordinates there, shape (N, n).
        interval: time between two frames, as viewed at speed 1 [s].
        jumps: frames before which records are missing, or time goes back.
    """

    t: Array
    q: Array
    interval: float
    jumps: list[int]


def moments(result: Result, rate: float, speed: float) -> Moments:
    """The samples to show.

    Args:
        result: the run.
        rate: frames per second.
        speed: simulated seconds per second.

    Raises:
        InputError: too many frames.
    """
    for name, value in (("the rate of pictures", rate), ("speed", speed)):
        if not 0.0 < real(value, name) < np.inf:
            raise InputError(f"{name} is {value}", fix="Give a number > 0.")
    steps = np.diff(result.t)
    # elapsed time, also where a plant was reset
    lapse = np.concatenate([[0.0], np.cumsum(np.maximum(steps, 0.0))])
    count = lapse[-1] * rate / speed + 1.0
    if count > MOST:
        raise InputError(
            f"{lapse[-1]:g} s at {rate:g} pictures per second are {count:.0f} pictures",
            fix=f"Up to {MOST} are drawn: give a larger speed, or a smaller fps.",
        )
    wanted = np.arange(int(count + 1e-9)) * speed / rate
    # the last sample not later than that, within rounding
    rows = np.searchsorted(lapse, wanted * (1.0 + 1e-12) + 1e-12, side="right") - 1
    broken = np.zeros(len(result.t), dtype=np.int64)
    broken[1:] = np.cumsum(steps < 0.0)
    for gap in result.gaps:
        broken[gap.row :] += 1
    jumps = (np.flatnonzero(np.diff(broken[rows])) + 1).tolist()
    return Moments(result.t[rows], result.q[rows], 1.0 / rate, jumps)
