"""Velocities and accelerations from measured positions, without delay.

Positions pass a Butterworth filter forwards and backwards, which shifts no phase and leaves motions
up to a fifth of the cut-off as they are (3e-6 there); quintic splines through what is left are
differentiated. Efforts and columns of the regressor pass the same filter, so that both sides of
tau = Y π stay equal, and are then sampled as rarely as the filter allows: what noise is left is
white again, and standard deviations count every row once (Gautier 1997).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from inloop.errors import InputError
from inloop.plant import Array

ORDER = 4  # of the filter, in each direction
DEGREE = 5  # of the splines
SETTLING = 2.0  # periods of the cut-off that are left away at both ends
UNIFORM = 1e-3  # of a step, by which times may differ from multiples of it


@dataclass(frozen=True)
class ZeroPhaseFilter:
    """A low-pass filter for samples at equal steps.

    Attributes:
        step: between samples [s].
        cutoff: where one pass lets through 1/√2 of an amplitude [Hz].
    """

    step: float
    cutoff: float

    @classmethod
    def for_samples(cls, t: Array, cutoff: float) -> ZeroPhaseFilter:
        """The filter for samples at given times [s]."""
        step = float(t[-1] - t[0]) / (len(t) - 1)
        if np.abs(np.diff(t) - step).max() > UNIFORM * step:
            raise InputError(
                "samples are not at equal steps: they cannot be filtered",
                fix="Interpolate them, leave a part with gaps away, or give qd and qdd.",
            )
        if not 0.0 < cutoff < 0.5 / step:
            raise InputError(
                f"a cut-off at {cutoff:g} Hz makes no sense for samples every {step:g} s",
                fix=f"Use about five times the highest frequency of the motion, below "
                f"{0.5 / step:g} Hz.",
            )
        return cls(step, cutoff)

    def __call__(self, values: Array) -> Array:
        """Filter along the first axis."""
        sections = scipy.signal.butter(ORDER, self.cutoff, fs=1.0 / self.step, output="sos")
        # one signal after the other in memory; most entries of a regressor are zero
        columns = np.ascontiguousarray(values.reshape(len(values), -1).T)
        moving = np.flatnonzero(columns.any(axis=1))
        columns[moving] = scipy.signal.sosfiltfilt(sections, columns[moving])
        return np.ascontiguousarray(columns.T).reshape(values.shape)

    @property
    def settling(self) -> int:
        """Samples at each end that know of the ends."""
        return math.ceil(SETTLING / (self.cutoff * self.step))

    @property
    def stride(self) -> int:
        """Every how many samples there is something new."""
        return max(1, int(0.5 / (self.cutoff * self.step)))


def derivative(t: Array, values: Array, order: int) -> Array:
    """Derivatives of splines through samples."""
    if len(t) <= DEGREE:
        raise InputError(
            f"{len(t)} samples are too few to differentiate", fix="Give more, or qd and qdd."
        )
    spline = scipy.interpolate.make_interp_spline(t, values, k=DEGREE)
    return np.asarray(spline.derivative(order)(t))
