"""Smooth positions, velocities and accelerations from measured positions, without delay.

Samples are filtered and differentiated by their Fourier series: amplitudes at frequency f are
multiplied by 1/(1 + (f/cutoff)⁸), what a Butterworth filter of order 4 does forwards and backwards.
There is no phase shift, and motions up to a fifth of the cut-off are unchanged (to 3e-6). To avoid
jumps in the series, the line between the first and the last sample is subtracted, and the rest is
extended as an odd function beyond both ends.

Efforts and columns of the regressor pass the same filter, so that both sides of tau = Y π stay
equal, and are then decimated as far as the filter allows: the remaining noise is white again, and
rows count as independent in standard deviations (Gautier 1997, "parallel filtering").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array

STEEPNESS = 8  # power of f/cutoff
# bandwidth of white noise with the same power at f = 0 and in all, in cut-offs:
# ∫ (1 + x⁸)⁻² dx = 7/8 (π/8) / sin(π/8)
NOISE_BANDWIDTH = 0.875 * (math.pi / 8) / math.sin(math.pi / 8)
SETTLING = 4.0  # periods of the cut-off frequency that are dropped at both ends
UNIFORM = 1e-3  # allowed relative deviation of a time step from the mean


@dataclass(frozen=True)
class ZeroPhaseFilter:
    """A low-pass filter for samples at equal steps.

    Attributes:
        step: time between samples [s].
        cutoff: frequency at which half of the amplitude remains [Hz].
    """

    step: float
    cutoff: float

    @classmethod
    def for_samples(cls, t: Array, cutoff: float) -> ZeroPhaseFilter:
        """The filter for samples at given times [s]."""
        step = float(t[-1] - t[0]) / (len(t) - 1)
        if np.abs(np.diff(t) - step).max() > UNIFORM * step:
            raise InputError(
                "samples are not equally spaced: they cannot be filtered",
                fix="Interpolate them, leave out the part with gaps, or give qd and qdd.",
            )
        if not 0.0 < cutoff < 0.5 / step:
            raise InputError(
                f"a cut-off at {cutoff:g} Hz makes no sense for samples every {step:g} s",
                fix=f"Use about five times the highest frequency of the motion, below "
                f"{0.5 / step:g} Hz.",
            )
        return cls(step, cutoff)

    def __call__(self, values: Array, derivative: int = 0) -> Array:
        """Filter along the first axis, and differentiate 0, 1 or 2 times."""
        count = len(values)
        every = values.reshape(count, -1)
        # signals contiguous in memory; many entries of a regressor are zero
        moving = np.flatnonzero(every.any(axis=0))
        y = np.ascontiguousarray(every[:, moving].T)
        rise = (y[:, -1:] - y[:, :1]) / (count - 1)
        line = y[:, :1] + rise * np.arange(count)
        left = y - line
        series = np.fft.rfft(np.concatenate([left, -left[:, -2:0:-1]], axis=1))
        f = np.fft.rfftfreq(2 * count - 2, self.step)
        series *= (2j * np.pi * f) ** derivative / (1.0 + (f / self.cutoff) ** STEEPNESS)
        found = np.zeros_like(every)
        smooth = np.fft.irfft(series, 2 * count - 2)[:, :count]
        found[:, moving] = (smooth + (line, rise / self.step, 0.0)[derivative]).T
        return found.reshape(values.shape)

    @property
    def settling(self) -> int:
        """Number of samples at each end that are affected by the ends."""
        return math.ceil(SETTLING / (self.cutoff * self.step))

    @property
    def stride(self) -> int:
        """Decimation factor: samples this far apart have independent noise."""
        return max(1, math.ceil(0.5 / (NOISE_BANDWIDTH * self.cutoff * self.step)))
