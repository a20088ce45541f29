"""The steps and samples of a run, from the user's arguments."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from inloop.errors import InputError, near_names
from inloop.native import AdaptiveSteps, FixedSteps, Method
from inloop.plant import Array
from inloop.plant.arguments import real

METHODS = {
    "euler": Method.EULER,
    "rk4": Method.RK4,
    "dopri": Method.DOPRI,
    "rodas": Method.RODAS,
    "implicit": Method.IMPLICIT,
    "moreau": Method.MOREAU,
    "alpha": Method.ALPHA,
    "event_driven": Method.EVENT_DRIVEN,
}
SCIPY = "scipy"
MOST_STEPS = 1e15
MOST_SAMPLES = 1e9
MOST_WATCHED = 200_000  # maximum steps of a run that are all kept for its assessment


def check_method(method: object, *others: str) -> None:
    """Check the name of an integrator.

    Args:
        method: given by the user.
        others: further accepted names.

    Raises:
        InputError: unknown name.
    """
    known = (*METHODS, *others)
    if str(method) not in known:
        near = near_names(str(method).lower(), known)
        meant = f" Did you mean {near[0]}?" if near else ""
        fix = f"Use one of {', '.join(known)}.{meant}"
        raise InputError(f"method {method!r} is unknown", fix=fix)


def fixed(t_end: float, step: float, method: str, sample: float | None) -> FixedSteps:
    """Fixed steps that end at t_end."""
    t_end, step = real(t_end, "t_end"), real(step, "step")
    sample = None if sample is None else real(sample, "sample")
    check_method(method, SCIPY)
    if not (math.isfinite(t_end) and t_end >= 0.0 and math.isfinite(step) and step > 0.0):
        raise InputError(
            f"t_end = {t_end} s with steps of {step} s makes no sense", fix="Use positive numbers."
        )
    if step > t_end > 0.0:
        raise InputError(
            f"a run of {t_end:g} s is shorter than one step of {step:g} s",
            fix="Use a smaller step.",
        )
    if not t_end / step <= MOST_STEPS:
        raise InputError(
            f"{t_end:g} s in steps of {step:g} s is more than {MOST_STEPS:g} steps",
            fix="Use a larger step or a shorter run.",
        )
    if sample is not None and not (math.isfinite(sample) and sample > 0.0):
        raise InputError(f"a sample every {sample} s makes no sense", fix="Use a positive number.")
    # a stride beyond the end: only the first and the last state
    stride = 1 if sample is None else max(1, round(min(sample / step, MOST_STEPS)))
    if not t_end / step / stride <= MOST_SAMPLES:
        raise InputError(
            f"{t_end:g} s in steps of {step:g} s is more than {MOST_SAMPLES:g} samples",
            fix="Use a larger step, or keep fewer of them: sample=.",
        )
    # the step is shortened so that the run ends at t_end; a step that fits is kept to the last bit,
    # so that a run has the same steps wherever it is interrupted
    steps = math.ceil(t_end / step * (1.0 - 1e-12))
    if abs(steps * step - t_end) > 1e-12 * t_end:
        step = t_end / steps
    return FixedSteps(METHODS.get(method, Method.RK4), step, steps, stride=stride)


def watched(schedule: FixedSteps | AdaptiveSteps) -> FixedSteps | AdaptiveSteps:
    """The same schedule with a sample at every step, if these are not too many."""
    if isinstance(schedule, FixedSteps) and schedule.steps <= MOST_WATCHED:
        return replace(schedule, stride=1)
    return schedule


def samples_every_step(schedule: FixedSteps | AdaptiveSteps) -> bool:
    """Whether every step of a run is a sample."""
    return isinstance(schedule, FixedSteps) and schedule.stride == 1


def wanted_samples(t: Array, schedule: FixedSteps | AdaptiveSteps) -> list[int]:
    """Indices of the samples of a schedule among all steps, always with the first and the last."""
    if not isinstance(schedule, FixedSteps):
        return list(range(len(t)))
    steps = np.rint(t / schedule.step).astype(int)
    chosen = np.flatnonzero(steps % schedule.stride == 0)
    return sorted({0, *chosen.tolist(), len(t) - 1})


def tolerance_of(schedule: FixedSteps | AdaptiveSteps) -> float | None:
    """The relative tolerance of an adaptive schedule; None for fixed steps."""
    return float(np.max(schedule.rtol)) if isinstance(schedule, AdaptiveSteps) else None


def adaptive(method: Method, t_end: float, tolerance: float, sample: float) -> AdaptiveSteps:
    """Steps chosen by the method itself."""
    t_end, tolerance = real(t_end, "t_end"), real(tolerance, "tolerance")
    if not (math.isfinite(tolerance) and 0.0 < tolerance < 1.0):
        raise InputError(f"a tolerance of {tolerance} makes no sense", fix="Use 1e-6, for example.")
    return AdaptiveSteps(method, t_end, rtol=tolerance, atol=1e-3 * tolerance, sample=sample)


def step_of(schedule: FixedSteps | AdaptiveSteps) -> float | None:
    """The fixed step of a run [s]; None if adaptive."""
    return schedule.step if isinstance(schedule, FixedSteps) else None
