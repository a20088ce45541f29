"""Discretize a continuous model with held and possibly delayed inputs."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real

import numpy as np
import scipy

from inloop.control.linear_model import Array, LinearModel
from inloop.errors import InputError

ROUNDING = 1e-9  # fraction of a period by which a delay may differ from a multiple of it


def discretize(model: LinearModel, period: float, delay: float = 0.0) -> LinearModel:
    """The sampled model as seen by a controller, without approximation.

    Commands are held for a period (zero-order hold) and act after `delay`. Outputs are read at the
    samples, before the new command acts. Pending commands are states: "torque, 1 before" is the
    command of one sample ago.

    Args:
        model: continuous.
        period: time between samples [s].
        delay: from a sample to the effect of its command [s], the same for all inputs.
    """
    if model.period is not None:
        raise InputError("the model is sampled already", fix="Give the continuous one.")
    numbers = isinstance(period, Real) and isinstance(delay, Real)
    if not numbers or not (0.0 < period < math.inf and 0.0 <= delay < math.inf):
        raise InputError(
            f"a period of {period} s with a delay of {delay} s makes no sense",
            fix="Give a period > 0 and a delay >= 0.",
        )
    if delay > 0.0 and np.any(model.D):
        raise InputError(
            "an output feels an input at once, and the input is late",
            fix="Put the lag of the actuator into the model, or set delay=0.",
        )
    # within a period, at `late`, the command of `whole` samples ago replaces the one before it
    whole = math.floor(delay / period + ROUNDING)
    late = delay - whole * period
    if late < ROUNDING * period:
        A, B = held(model.A, model.B, period)
        parts = [np.zeros_like(B), B]
    else:
        A, B_old = held(model.A, model.B, late)
        A_new, B_new = held(model.A, model.B, period - late)
        A, parts = A_new @ A, [A_new @ B_old, B_new]
    return _with_memory(replace(model, A=A, B=parts[1], period=period), parts, whole)


def held(A: Array, B: Array, time: float) -> tuple[Array, Array]:
    """exp(A T) and ∫ exp(A s) B ds over a time T, from one exponential (Van Loan 1978)."""
    n, m = B.shape
    block = np.zeros((n + m, n + m))
    block[:n, :n], block[:n, n:] = A, B
    exponential = scipy.linalg.expm(time * block)
    return exponential[:n, :n], exponential[:n, n:]


def _with_memory(model: LinearModel, parts: list[Array], whole: int) -> LinearModel:
    """Add the pending commands as states, the oldest last.

    Args:
        model: sampled.
        parts: effect on a period of the commands of whole + 1 and of whole samples ago.
        whole: samples between a command and the one that acts first in a period.
    """
    n, m = model.B.shape
    kept = whole + bool(np.any(parts[0]))
    if kept == 0:
        return model
    size = n + kept * m
    A, B = np.zeros((size, size)), np.zeros((size, m))
    A[:n, :n] = model.A
    for age, part in ((whole + 1, parts[0]), (whole, parts[1])):
        if age == 0:
            B[:n] = part
        elif age <= kept:
            A[:n, n + (age - 1) * m : n + age * m] = part
    # shift the pending commands
    B[n : n + m] = np.eye(m)
    for age in range(1, kept):
        A[n + age * m : n + (age + 1) * m, n + (age - 1) * m : n + age * m] = np.eye(m)
    names = [f"{name}, {age} before" for age in range(1, kept + 1) for name in model.inputs]
    C = np.hstack([model.C, np.zeros((len(model.C), kept * m))])
    return replace(model, A=A, B=B, C=C, states=(*model.states, *names))
