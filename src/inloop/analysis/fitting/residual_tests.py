"""Is what a model leaves unexplained noise? Tests of residuals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from inloop.plant import Array

LAGS = 20
ORDER = 8  # of the prediction of a residual from those before it
NOT_WHITE = 1e-3  # probability below which residuals are told not to be white
STRUCTURED = 0.5  # share of residual power that can be predicted: above, it is no noise
SMALL = 1e-3  # of the spread of what was measured: residuals below that are small, too
EXACT = 1e-15  # share of the variance that rounding and steps may leave unexplained
OUTLYING = 10.0  # usual standard deviations: no noise is that large
LEADING = 0.1  # share of the residuals' power that one sample has to have to be named
USUAL = 1.4826  # standard deviations in the median of the size of normal noise, inverse
NOISY = 1.5  # times the known noise: residuals below that are small, whatever they look like


@dataclass(frozen=True)
class ResidualTest:
    """What the residuals of one channel of one recording tell.

    Attributes:
        recording, channel: which.
        rms: of the residuals.
        noise: standard deviation that the fit counts with.
        correlation: from sample to sample.
        probability: that white noise has correlations this large (Ljung & Box 1978).
        structure: share of their power that residuals before tell; 0 of white noise.
        given: whether the noise was given by the user.
        explained: share of the measured variance that the model explains.
        peak: the largest residual, in standard deviations of the usual ones (by their median).
        peak_sample: its number.
        peak_share: of the power of all residuals.
    """

    recording: str
    channel: str
    rms: float
    noise: float
    correlation: float
    probability: float
    structure: float
    given: bool
    explained: float
    peak: float = 0.0
    peak_sample: int = 0
    peak_share: float = 0.0

    @property
    def outlier(self) -> bool:
        """Whether one sample alone is so far off that it leads the fit."""
        return self.peak > OUTLYING and self.peak_share > LEADING

    @property
    def white(self) -> bool:
        """Whether nothing speaks against noise, or nothing but rounding is left."""
        return self.probability >= NOT_WHITE or 1.0 - self.explained < EXACT

    @property
    def refused(self) -> bool:
        """Whether most of what is left is no noise, and it matters.

        It does not where it is hardly more than the known noise, or a thousandth of the motion.
        """
        small = 1.0 - self.explained < SMALL**2 or (self.given and self.rms <= NOISY * self.noise)
        return not self.white and self.structure > STRUCTURED and not small


def judge_residuals(
    residuals: Array, measured: Array, recording: str, channel: str, noise: float, given: bool
) -> ResidualTest:
    """Look at the residuals of one channel, in the order of time."""
    rms = float(np.sqrt(np.mean(residuals**2)))
    spread = float(measured.var())
    explained = 1.0 - rms**2 / spread if spread > 0.0 else 0.0
    rho = _correlations(residuals, min(LAGS, len(residuals) // 5))
    count = len(residuals)
    statistic = count * (count + 2) * np.sum(rho**2 / (count - 1 - np.arange(len(rho))))
    probability = float(scipy.stats.chi2.sf(statistic, len(rho)))
    first = float(rho[0]) if len(rho) else 0.0
    return ResidualTest(
        recording, channel, rms, noise, first, probability, _structure(residuals), given,
        explained, *_peak(residuals),
    )  # fmt: skip


def _peak(r: Array) -> tuple[float, int, float]:
    """The largest residual in usual ones, its number, and its share of the power."""
    size, power = np.abs(r), float(r @ r)
    if power == 0.0:
        return 0.0, 0, 0.0
    k = int(np.argmax(size))
    usual = max(USUAL * float(np.median(size)), np.finfo(float).tiny)
    return float(size[k] / usual), k, float(size[k] ** 2 / power)


def _correlations(r: Array, lags: int) -> Array:
    power = float(r @ r)
    if power == 0.0:
        return np.zeros(lags)
    return np.array([r[k:] @ r[:-k] / power for k in range(1, lags + 1)])


def _structure(r: Array) -> float:
    """Share of the power of r that a linear prediction from earlier values explains."""
    order = min(ORDER, len(r) // 8)
    power = float(r @ r)
    if order < 1 or power == 0.0:
        return 0.0
    past = np.stack([r[order - 1 - k : len(r) - 1 - k] for k in range(order)], axis=1)
    now = r[order:]
    left = now - past @ np.linalg.lstsq(past, now, rcond=None)[0]
    # unbiased: a fit of pure noise explains some of it by chance
    unexplained = (left @ left / max(len(now) - order, 1)) / (now @ now / len(now))
    return float(np.clip(1.0 - unexplained, 0.0, 1.0))
