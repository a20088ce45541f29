"""Position, velocity and acceleration from a steady-state Kalman filter."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inloop.devices.estimators.differences import Motion
from inloop.devices.estimators.linear_filter import LinearFilter
from inloop.errors import InputError


@dataclass
class KalmanEstimator:
    """Kalman filter for a body with random-walk acceleration.

    From sample to sample the acceleration changes by w with standard deviation jerk · T, with the
    effect (T²/2, T, 1) w; a sample has the standard deviation `noise`. The filter is in steady
    state: its gains (alpha, beta/T, gamma/(2 T²)) follow from the maneuvering index jerk T³ / noise
    alone (Kalata 1984): with alpha = 1 - s²,

        beta = 2 (1 - s)²,   gamma = beta²/alpha,   2 (1 - s)³ = index · s (1 + s).

    Attributes:
        period: time between samples T [s].
        noise: standard deviation of a sample [m or rad]; resolution/√12 for an encoder.
        jerk: typical jerk [m/s³ or rad/s³]; larger values give a faster and noisier estimate.
        state: position, velocity, acceleration; the first sample is taken as a state of rest.
    """

    period: float
    noise: float
    jerk: float
    state: Motion | None = None
    gains: tuple[float, float, float] = field(init=False)

    def __post_init__(self) -> None:
        if not (self.noise > 0.0 and self.jerk > 0.0 and self.period > 0.0):
            raise InputError(
                "a Kalman filter needs a period, a noise and a jerk above zero",
                fix="For an encoder, give its resolution/√12 as noise.",
            )
        T = self.period
        alpha, beta, gamma = settled_gains(self.jerk * T**3 / self.noise)
        self.gains = (alpha, beta / T, gamma / (2.0 * T**2))

    def update(self, position: float) -> Motion:
        """Process a sample; returns position, velocity and acceleration."""
        T = self.period
        q, v, a = self.state or (position, 0.0, 0.0)
        q, v = q + T * (v + 0.5 * T * a), v + T * a
        error = position - q
        k_q, k_v, k_a = self.gains
        self.state = (q + k_q * error, v + k_v * error, a + k_a * error)
        return self.state

    def linear(self) -> LinearFilter:
        """The same as matrices."""
        T = self.period
        F = np.array([[1.0, T, 0.5 * T**2], [0.0, 1.0, T], [0.0, 0.0, 1.0]])
        k = np.array(self.gains)
        A = F - np.outer(k, F[0])
        return LinearFilter(A=A, B=k, C=A, D=k)


def settled_gains(index: float) -> tuple[float, float, float]:
    """Steady-state alpha, beta and gamma for a maneuvering index."""
    low, high = 0.0, 1.0
    while high - low > 1e-15 * high:
        s = 0.5 * (low + high)
        if s in (low, high):
            break
        low, high = (s, high) if 2.0 * (1.0 - s) ** 3 > index * s * (1.0 + s) else (low, s)
    s = 0.5 * (low + high)
    alpha, beta = 1.0 - s**2, 2.0 * (1.0 - s) ** 2
    return alpha, beta, beta**2 / alpha
