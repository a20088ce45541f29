"""Velocity and acceleration by backward differences of a position."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from inloop.devices.estimators.linear_filter import LinearFilter

Motion = tuple[float, float, float]  # position, velocity, acceleration


@dataclass
class BackwardDifferences:
    """First and second backward differences of the last three samples.

    One count of an encoder with resolution d gives d/T of velocity and d/T² of acceleration.

    Attributes:
        period: time between samples T [s].
        before: the last two samples; the first sample is taken as a state of rest.
    """

    period: float
    before: tuple[float, float] | None = None

    def update(self, position: float) -> Motion:
        """Process a sample; returns position, velocity and acceleration."""
        last, second_last = self.before or (position, position)
        self.before = (position, last)
        velocity = (position - last) / self.period
        acceleration = (position - 2.0 * last + second_last) / self.period**2
        return position, velocity, acceleration

    def linear(self) -> LinearFilter:
        """The same as matrices; the state is the last two samples."""
        T = self.period
        return LinearFilter(
            A=np.array([[0.0, 0.0], [1.0, 0.0]]),
            B=np.array([1.0, 0.0]),
            C=np.array([[0.0, 0.0], [-1.0 / T, 0.0], [-2.0 / T**2, 1.0 / T**2]]),
            D=np.array([1.0, 1.0 / T, 1.0 / T**2]),
        )


@dataclass
class FilteredDifferences:
    """Backward differences of a position after a critically damped second-order low-pass.

    (1 + s/p)² q = q_u, with the input held between samples and exact discretization; the delay is
    2/p. One count d gives about p² d of acceleration, at any sampling rate. Differences are used
    instead of the derivatives of the filter: at the end of a period, after the input was held for a
    whole period, those are too low by up to p² T v / 2, which is negative damping in a loop.

    The order matters if the acceleration produces a force: a display that adds the inertia r J to a
        device with J needs r < 1/cos(π/n)^n after a low-pass of order n: any r for n = 1 and 2, but
        r < 8 for n = 3, even without delay.

    Attributes:
        period: time between samples [s].
        cutoff: frequency with amplitude 1/√2 [Hz].
        state: position and velocity in the filter; the first sample is taken as a state of rest.
    """

    period: float
    cutoff: float
    state: tuple[float, float] | None = None
    pole: float = field(init=False)
    differences: BackwardDifferences = field(init=False)

    def __post_init__(self) -> None:
        self.pole = 2.0 * math.pi * self.cutoff / math.sqrt(math.sqrt(2.0) - 1.0)
        self.differences = BackwardDifferences(self.period)

    @property
    def delay(self) -> float:
        """Delay of slow motions [s]."""
        return 2.0 / self.pole

    def update(self, position: float) -> Motion:
        """Process a sample; returns filtered position, velocity and acceleration."""
        q, v = self.state or (position, 0.0)
        p, T = self.pole, self.period
        # the error e = q - q_u obeys (d/dt + p)² e = 0: e = (c0 + c1 t) exp(-p t)
        c0 = q - position
        c1 = v + p * c0
        decay = math.exp(-p * T)
        e = (c0 + c1 * T) * decay
        self.state = (position + e, c1 * decay - p * e)
        return self.differences.update(position + e)

    def linear(self) -> LinearFilter:
        """The same as matrices; the state is that of the filter and of its differences."""
        p, T = self.pole, self.period
        decay = math.exp(-p * T)
        # (q, v) after a period with the input held, for the input zero
        A = decay * np.array([[1.0 + p * T, T], [-(p**2) * T, 1.0 - p * T]])
        B = np.array([1.0 - A[0, 0], -A[1, 0]])
        low_pass = LinearFilter(A, B, np.vstack([A[0], A[1], np.zeros(2)]), np.append(B, 0.0))
        return self.differences.linear().after(low_pass)
