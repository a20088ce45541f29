"""PI control of one output, with feed-forward, limits and anti-windup."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

import numpy as np

from inloop.errors import InputError


def nothing(reference: float) -> float:
    """No feed-forward."""
    return 0.0


@dataclass
class Pi:
    """u = feedforward(r) + kp e + ki ∫ e dt with e = r - y, within limits.

    While the command is at a limit, the integral is frozen unless the error leads away from it
    (anti-windup).

    Attributes:
        kp: command per error.
        ki: command per error and second.
        period: time between samples [s].
        limits: minimum and maximum command.
        feedforward: command that holds the plant at a reference, e.g. against gravity.
        integral: current contribution of the integral to the command.
        saturated: whether the last command was at a limit.
    """

    kp: float
    ki: float
    period: float
    limits: tuple[float, float] = (-math.inf, math.inf)
    feedforward: Callable[[float], float] = nothing
    integral: float = 0.0
    saturated: bool = False

    def __post_init__(self) -> None:
        check_limits(self.limits)
        numbers = all(isinstance(each, Real) for each in (self.kp, self.ki, self.period))
        if not numbers or not (self.kp >= 0.0 and self.ki >= 0.0 and 0.0 < self.period < math.inf):
            raise InputError(
                f"gains {self.kp} and {self.ki} with a period of {self.period} s make no sense",
                fix="Give gains >= 0 and a period > 0 s.",
            )

    def step(self, measurement: float, reference: float) -> float:
        """The command for a measurement.

        Raises:
            InputError: a number is not finite; then nothing has changed.
        """
        error = reference - measurement
        if not math.isfinite(error):
            raise InputError(
                f"a measurement of {measurement} with a reference of {reference} cannot be "
                "answered",
                fix="Give finite numbers.",
            )
        wanted = self.feedforward(reference) + self.kp * error + self.integral
        command = min(max(wanted, self.limits[0]), self.limits[1])
        self.saturated = command != wanted
        if not self.saturated or (wanted - command) * error < 0.0:
            self.integral += self.ki * self.period * error
        return command

    def reset(self) -> None:
        """Reset the state."""
        self.integral, self.saturated = 0.0, False


def check_limits(limits: tuple[float, float]) -> None:
    """Raise an error unless the lower limit is below the upper one."""
    pair = np.shape(limits) == (2,) and all(isinstance(each, Real) for each in limits)
    if not pair or not limits[0] < limits[1]:
        raise InputError(f"limits {limits} leave nothing", fix="Give the lower one first.")
