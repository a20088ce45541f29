"""Figures of a step response: overshoot, rise time, settling time, steady-state error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.control.linear_model import Array
from inloop.errors import InputError


@dataclass(frozen=True)
class StepFigures:
    """Figures of a response.

    Attributes:
        overshoot: relative to the step; 0 if it never reaches the goal.
        rise: time from 10 % to 90 % of the step [s]; NaN if not reached.
        settling: time after which it stays in the band around the goal [s]; NaN if it is outside at
            the end.
        error: mean deviation from the goal over the last tenth, in the unit of the signal.
        ripple: standard deviation over the last tenth, in the unit of the signal.
    """

    overshoot: float
    rise: float
    settling: float
    error: float
    ripple: float


def step_figures(
    t: Sequence[float] | Array,
    y: Sequence[float] | Array,
    *,
    start: float,
    goal: float,
    at: float = 0.0,
    band: float = 0.02,
) -> StepFigures:
    """Evaluate a step response.

    Args:
        t: times [s], increasing.
        y: the signal.
        start: its value before the step.
        goal: its reference after it.
        at: time of the step [s].
        band: half width of the band around the goal, relative to the step.

    Raises:
        InputError: the signal has gaps, or there is no step.
    """
    times, values = np.asarray(t, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if times.ndim != 1 or times.shape != values.shape or np.any(np.diff(times) < 0.0):
        raise InputError(
            f"times of shape {times.shape} and a signal of shape {values.shape} are no response",
            fix="Give times that increase, and one number of the signal for each.",
        )
    if not np.all(np.isfinite(np.hstack([times, values, start, goal, at]))) or not band > 0.0:
        raise InputError(
            f"a response with NaN, or a band of {band}, has no figures",
            fix="Give finite numbers and a band > 0, or leave out the samples without a value.",
        )
    after = times >= at
    if start == goal or np.count_nonzero(after) < 10:
        raise InputError("there is no step to measure", fix="Give 10 samples or more after it.")
    times, share = times[after] - at, (values[after] - start) / (goal - start)
    last = times >= times[-1] - 0.1 * (times[-1] - times[0])
    outside = np.flatnonzero(np.abs(share - 1.0) > band)
    settled = outside[-1] + 1 if len(outside) else 0
    return StepFigures(
        overshoot=max(0.0, float(np.max(share)) - 1.0),
        rise=_first(times, share, 0.9) - _first(times, share, 0.1),
        settling=float(times[settled]) if settled < len(times) else math.nan,
        error=float((goal - start) * (1.0 - np.mean(share[last]))),
        ripple=float(abs(goal - start) * np.std(share[last])),
    )


def _first(t: Array, share: Array, level: float) -> float:
    """Time at which a level is first reached, interpolated; NaN if it is not."""
    k = int(np.argmax(share >= level))
    if share[k] < level:
        return math.nan
    if k == 0:
        return float(t[0])
    part = (level - share[k - 1]) / (share[k] - share[k - 1])
    return float(t[k - 1] + part * (t[k] - t[k - 1]))
