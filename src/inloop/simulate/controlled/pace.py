"""Steps and samples of a run with a controller: whole numbers of steps between samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

from inloop.errors import InputError
from inloop.plant.arguments import real

EXACT = 1e-9  # parts of a step by which times may miss a whole number of steps


@dataclass(frozen=True)
class Pace:
    """How a run with a controller passes.

    Attributes:
        step: of the integrator, or time between rows of an adaptive run [s].
        period: between samples of the controller [s].
        per_sample: steps from one sample to the next.
        steps: of the whole run.
        stride: steps from one row that is kept to the next.
    """

    step: float
    period: float
    per_sample: int
    steps: int
    stride: int


def pace_of(t_end: float, step: float, period: float | None, sample: float | None) -> Pace:
    """Steps and samples from what a user asks for.

    Args:
        t_end: length of the run [s].
        step: of the integrator [s]; must divide the period.
        period: between samples of the controller [s]; None: one step.
        sample: between rows that are kept [s]; None: every step.

    Raises:
        InputError: these are not whole numbers of each other.
    """
    step, t_end = _positive(step, "step"), _positive(t_end, "t_end")
    period = step if period is None else _positive(period, "period")
    per_sample = steps_between(period, step)
    # as the loop does, which has a rate and sub-steps
    step = period / per_sample
    steps = _count(t_end, step, "t_end", f"t_end={max(1, round(t_end / step)) * step:g}")
    stride = 1
    if sample is not None:
        stride = max(1, round(min(_positive(sample, "sample") / step, 1e15)))
    return Pace(step, period, per_sample, steps, stride)


def steps_between(period: float, step: float) -> int:
    """Steps from one sample of a controller to the next; both in s.

    Raises:
        InputError: that is no whole number.
    """
    return _count(period, step, "period", f"step={_divisor(period, step):g}")


def _positive(value: float, name: str) -> float:
    found = real(value, name)
    if not (math.isfinite(found) and found > 0.0):
        raise InputError(f"{name} = {found} s makes no sense", fix="Use a positive number.")
    return found


def _divisor(period: float, step: float) -> float:
    """The longest step that divides a period and is not longer than one that was asked for."""
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
