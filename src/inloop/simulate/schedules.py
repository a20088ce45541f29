"""The steps and samples of a run, from what a user asks for."""

from __future__ import annotations

import math

from inloop.errors import InputError
from inloop.native import AdaptiveSteps, FixedSteps, Method
from inloop.plant.arguments import real

METHODS = {
    "euler": Method.EULER,
    "rk4": Method.RK4,
    "dopri": Method.DOPRI,
    "rodas": Method.RODAS,
    "implicit": Method.IMPLICIT,
}
SCIPY = "scipy"
MOST_STEPS = 1e15


def fixed(t_end: float, step: float, method: str, sample: float | None) -> FixedSteps:
    """Fixed steps that end exactly at t_end."""
    t_end, step = real(t_end, "t_end"), real(step, "step")
    sample = None if sample is None else real(sample, "sample")
    if str(method) not in (*METHODS, SCIPY):
        known = ", ".join((*METHODS, SCIPY))
        raise InputError(f"method {method!r} is unknown", fix=f"Use one of {known}.")
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
            f"{t_end:g} s in steps of {step:g} s are more than {MOST_STEPS:g} steps",
            fix="Use a larger step or a shorter run.",
        )
    if sample is not None and not (math.isfinite(sample) and sample > 0.0):
        raise InputError(f"a sample every {sample} s makes no sense", fix="Use a positive number.")
    # a stride beyond the end means: only the first and the last state
    stride = 1 if sample is None else max(1, round(min(sample / step, MOST_STEPS)))
    # the step is shortened so that the run ends exactly at t_end
    steps = math.ceil(t_end / step * (1.0 - 1e-12))
    return FixedSteps(
        METHODS.get(method, Method.RK4), t_end / steps if steps else step, steps, stride=stride
    )


def adaptive(method: Method, t_end: float, tolerance: float, sample: float) -> AdaptiveSteps:
    """Steps that the method chooses itself."""
    t_end, tolerance = real(t_end, "t_end"), real(tolerance, "tolerance")
    if not (math.isfinite(tolerance) and 0.0 < tolerance < 1.0):
        raise InputError(f"a tolerance of {tolerance} makes no sense", fix="Use 1e-6, say.")
    return AdaptiveSteps(method, t_end, rtol=tolerance, atol=1e-3 * tolerance, sample=sample)
