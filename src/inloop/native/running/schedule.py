"""Stepping and sampling of a run, and its status; numbers of il_status.h and il_stepper.h."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from inloop.errors import InputError
from inloop.native.library import Reals


class Status(IntEnum):
    """Result of a step or a run (il_status.h)."""

    OK = 0
    OVERRUN = 1
    DIVERGED = 2
    LOOP_OPEN = 3
    INPUT_STALE = 4
    STOPPED = 5
    BAD_ARGUMENT = 6
    STEP_TOO_SMALL = 7
    TOO_MANY_STEPS = 8
    SAMPLES_FULL = 9
    CHATTERING = 10
    INDICATOR_LOST = 11
    OUT_OF_BOUNDS = 12
    CONTROLLER_FAILED = 13
    CONTACT_INEXACT = 14
    CONTACT_JAMMED = 15


class Method(IntEnum):
    """An integrator (il_stepper.h)."""

    EULER = 0
    """Symplectic Euler, order 1; first-order states by explicit Euler."""
    RK4 = 1
    """Classical Runge–Kutta, order 4."""
    DOPRI = 2
    """Dormand–Prince 5(4), also for adaptive steps."""
    RODAS = 3
    """Rosenbrock 4(3), L-stable, for stiff laws; also for adaptive steps."""
    IMPLICIT = 4
    """Rosenbrock, order 2, L-stable, for stiff laws in real time."""
    MOREAU = 5
    """Time-stepping for hard contacts, laws implicit; order 2, or 1 where friction changes."""
    ALPHA = 6
    """Generalized alpha, order 2, for redundant coordinates; also for adaptive steps."""
    EVENT_DRIVEN = 7
    """Event-driven hard contacts, Dormand–Prince between events; for few contacts."""

    @property
    def estimates_error(self) -> bool:
        """Whether it supports adaptive steps."""
        return self in (Method.DOPRI, Method.RODAS, Method.ALPHA)

    @property
    def knows_hard_contacts(self) -> bool:
        """Whether it computes impulses of hard contacts."""
        return self in (Method.MOREAU, Method.EVENT_DRIVEN)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Which states are kept; the first and the last one always are.

    Attributes:
        stride: steps between two samples.
        sample: time between samples at uniform times [s], by dense output; instead of `stride`.
    """

    stride: int = 1
    sample: float | None = None

    def __post_init__(self) -> None:
        if self.stride < 1:
            raise InputError(
                f"a sample every {self.stride} steps makes no sense", fix="Use stride >= 1."
            )
        if self.sample is not None and not (math.isfinite(self.sample) and self.sample > 0.0):
            raise InputError(
                f"a sample every {self.sample} s makes no sense", fix="Use a positive number."
            )


@dataclass(frozen=True)
class FixedSteps(Sampling):
    """Equal steps.

    Attributes:
        method: the integrator.
        step: h [s]; negative to integrate backwards in time.
        steps: number of steps.
    """

    method: Method
    step: float
    steps: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not math.isfinite(self.step) or self.step == 0.0:
            raise InputError(f"a step of {self.step} s makes no sense", fix="Use a finite number.")
        if self.steps < 0:
            raise InputError(f"{self.steps} steps make no sense", fix="Use steps >= 0.")


@dataclass(frozen=True)
class AdaptiveSteps(Sampling):
    """Steps as long as a tolerance allows: error of x_i per step ≤ atol_i + rtol_i |x_i|.

    Attributes:
        method: one that estimates its error.
        t_end: end time [s].
        rtol: relative tolerance, one number or one per component of x.
        atol: absolute tolerance [units of x], one number or one per component of x.
        first_step: [s]; None: chosen from the state and its derivatives.
        max_step: longest step [s].
        min_step: shortest step [s]; below it the run ends with STEP_TOO_SMALL.
        max_steps: maximum number of steps, including rejected ones; then TOO_MANY_STEPS.
    """

    method: Method
    t_end: float
    rtol: float | Reals = 1e-6
    atol: float | Reals = 1e-9
    first_step: float | None = None
    max_step: float = math.inf
    min_step: float = 0.0
    max_steps: int = 10_000_000

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.method.estimates_error:
            raise InputError(
                f"{self.method.name} has no error estimate for adaptive steps",
                fix="Use DOPRI, RODAS for stiff laws, or FixedSteps.",
            )
        if not math.isfinite(self.t_end):
            raise InputError(f"t_end = {self.t_end} s makes no sense", fix="Use a finite number.")
        rtol, atol = np.asarray(self.rtol, np.float64), np.asarray(self.atol, np.float64)
        if not (np.all(rtol >= 0.0) and np.all(atol >= 0.0) and np.all(rtol + atol > 0.0)):
            raise InputError(
                f"rtol = {self.rtol} with atol = {self.atol} makes no sense",
                fix="Use numbers >= 0, not both 0.",
            )
        limits = f"steps from {self.min_step} s to {self.max_step} s"
        if not (0.0 <= self.min_step <= self.max_step and self.max_step > 0.0):
            raise InputError(f"{limits} make no sense", fix="Use 0 <= min_step <= max_step.")
        if self.first_step is not None and not (0.0 < self.first_step < math.inf):
            raise InputError(
                f"a first step of {self.first_step} s makes no sense", fix="Use a positive number."
            )


Schedule = FixedSteps | AdaptiveSteps
