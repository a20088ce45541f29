"""Stability of a device that displays a virtual impedance: eigenvalues of the sampled loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from inloop.devices.estimators.linear_filter import LinearFilter, Matrix

LEAST, MOST = 1e-7, 1e5  # search range of limits, in units of m/T², m/T and m
ACCURACY = 1e-9


class Impedance(NamedTuple):
    """Displayed impedance: force = -(stiffness x + damping v + mass a).

    Attributes:
        stiffness: [N/m].
        damping: [N·s/m].
        mass: [kg].
    """

    stiffness: float = 0.0
    damping: float = 0.0
    mass: float = 0.0


@dataclass(frozen=True)
class SampledLoop:
    """A damped mass, sampled each period, driven by a held and delayed force.

    No rounding and no saturation: the loop is linear, and its eigenvalues decide.

    Attributes:
        mass: of the device [kg].
        damping: of the device [N·s/m].
        period: T [s].
        estimator: of velocity and acceleration, as matrices.
        delay: from a reading to its force [s], in addition to the hold; any number of periods.
        lag: time constant of the motor [s].
        hand_stiffness: stiffness of the hand on the device [N/m]; none is the hardest case.
        hand_damping: of the hand [N·s/m].
        spring_reads_estimate: whether the stiffness acts on the estimated position, which is
            delayed by a filter, instead of on the reading.
    """

    mass: float
    damping: float
    period: float
    estimator: LinearFilter
    delay: float = 0.0
    lag: float = 0.0
    hand_stiffness: float = 0.0
    hand_damping: float = 0.0
    spring_reads_estimate: bool = False

    def matrix(self, impedance: Impedance) -> Matrix:
        """State transition matrix of one sample: device, state of the estimator, commands."""
        whole, late, early, n_waiting = self._device()
        A, B, C, D = self.estimator
        n, m = len(whole), len(B)
        # command = -gain_of_memory · memory - gain_of_reading · x
        gains = np.array(impedance)
        gain_of_memory, gain_of_reading = gains @ C, gains @ D
        if not self.spring_reads_estimate:
            gain_of_memory = gain_of_memory - gains[0] * C[0]
            gain_of_reading += gains[0] * (1.0 - D[0])
        command = np.zeros(n + m + n_waiting)
        command[0], command[n : n + m] = -gain_of_reading, -gain_of_memory

        total = np.zeros((n + m + n_waiting,) * 2)
        total[:n, :n] = whole
        total[n : n + m, 0], total[n : n + m, n : n + m] = B, A
        # pending commands: the newest first
        first = n + m
        if n_waiting:
            total[first] = command
            total[first + 1 :, first:-1] = np.eye(n_waiting - 1)
        for force, ago in ((early, self._periods), (late, self._periods + 1)):
            if not np.any(force):
                continue
            row = command if ago == 0 else np.eye(len(total))[first + ago - 1]
            total[:n] += np.outer(force, row)
        return total

    @property
    def _periods(self) -> int:
        return int(self.delay / self.period + ACCURACY)

    def _device(self) -> tuple[Matrix, Matrix, Matrix, int]:
        """One period of the device: its matrix, effects of the older and the newer command."""
        n = 3 if self.lag > 0.0 else 2
        rates = np.zeros((n + 1, n + 1))
        rates[0, 1] = 1.0
        rates[1, 0] = -self.hand_stiffness / self.mass
        rates[1, 1] = -(self.damping + self.hand_damping) / self.mass
        rates[1, 2] = 1.0 / self.mass
        if n == 3:
            rates[2, 2], rates[2, 3] = -1.0 / self.lag, 1.0 / self.lag
        rest = max(0.0, self.delay - self._periods * self.period)
        rest = rest if rest > ACCURACY * self.period else 0.0
        # first the previous command, then the next one
        old, new = scipy.linalg.expm(rates * rest), scipy.linalg.expm(rates * (self.period - rest))
        late, early = new[:n, :n] @ old[:n, n], new[:n, n]
        return new[:n, :n] @ old[:n, :n], late, early, self._periods + (rest > 0.0)

    def growth(self, impedance: Impedance) -> float:
        """Spectral radius of one period; below 1 the loop is stable."""
        return float(np.max(np.abs(np.linalg.eigvals(self.matrix(impedance)))))

    def stable(self, impedance: Impedance) -> bool:
        """Whether the loop is stable."""
        return self.growth(impedance) < 1.0

    def stiffness_limit(self, damping: float = 0.0, mass: float = 0.0) -> float:
        """Maximum stable stiffness [N/m], for a given damping and mass."""
        scale = self.mass / self.period**2
        return _limit(lambda k: self.stable(Impedance(k, damping, mass)), scale)

    def mass_limit(self, stiffness: float, damping: float = 0.0) -> float:
        """Maximum stable mass for a given stiffness and damping [kg]."""
        return _limit(lambda m: self.stable(Impedance(stiffness, damping, m)), self.mass)

    def passive_stiffness(self, damping: float = 0.0) -> float:
        """Maximum passive stiffness, for any environment of the device [N/m].

        Colgate and Schenkel: b > K T/2 + |B|, for backward differences without delay.
        """
        return max(0.0, 2.0 * (self.damping - abs(damping)) / self.period)


def _limit(stable: Callable[[float], bool], scale: float) -> float:
    """First value at which stability is lost, in units of a scale; 0 if unstable from the start."""
    low, high = 0.0, LEAST * scale
    while stable(high):
        low, high = high, 2.0 * high
        if high > MOST * scale:
            return np.inf
    if low == 0.0:
        return 0.0
    while high - low > ACCURACY * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if stable(middle) else (low, middle)
    return low
