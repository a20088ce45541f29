"""Steps and samples of a run with a controller: whole numbers of steps between samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

from inloop.errors import InputError
from inloop.plant.arguments import real

EXACT = 1e-9  # of a step: tolerance for whole numbers of steps


@dataclass(frozen=True)
class Pace:
    """Timing of a run with a controller.

    Attributes:
        step: integrator step, or time between rows of an adaptive run [s].
        period: sampling period of the controller [s].
        per_sample: steps per sample.
        steps: steps of the whole run.
        stride: steps between stored rows.
    """

    step: float
    period: float
    per_sample: int
    steps: int
    stride: int


def pace_of(t_end: float, step: float, period: float | None, sample: float | None) -> Pace:
    """Steps and samples from the user's arguments.

    Args:
        t_end: length of the run [s].
        step: integrator step [s]; must divide the period.
        period: sampling period of the controller [s]; None: one step.
        sample: time between stored rows [s]; None: every step.

    Raises:
        InputError: they are not whole multiples of the step.
    """
    step, t_end = _positive(step, "step"), _positive(t_end, "t_end")
    period = step if period is None else _positive(period, "period")
    per_sample = steps_between(period, step)
    # as in the real-time loop, which has a rate and substeps
    step = period / per_sample
    steps = _count(t_end, step, "t_end", f"t_end={max(1, round(t_end / step)) * step:g}")
    stride = 1
    if sample is not None:
        stride = max(1, round(min(_positive(sample, "sample") / step, 1e15)))
    return Pace(step, period, per_sample, steps, stride)


def steps_between(period: float, step: float) -> int:
    """Steps per sample of a controller; both arguments in s.

    Raises:
        InputError: not a whole number.
    """
    return _count(period, step, "period", f"step={_divisor(period, step):g}")


def _positive(value: float, name: str) -> float:
    found = real(value, name)
    if not (math.isfinite(found) and found > 0.0):
        raise InputError(f"{name} = {found} s makes no sense", fix="Use a positive number.")
    return found


def _divisor(period: float, step: float) -> float:
    """The longest step that divides a period and does not exceed the requested one."""
    return period / max(1, math.ceil(period / step * (1.0 - EXACT)))


def _count(span: float, step: float, name: str, instead: str) -> int:
    count = round(span / step)
    if count < 1 or abs(count - span / step) > EXACT * count:
        raise InputError(
            f"{name} = {span:g} s is not a whole number of steps of {step:g} s, but a "
            "controller is only called between steps",
            fix=f"Use {instead}.",
        )
    return count
