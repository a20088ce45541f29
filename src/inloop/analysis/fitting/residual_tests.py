"""Tests of residuals: is what a model leaves unexplained just noise?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from inloop.plant import Array

LAGS = 20
ORDER = 8  # order of the linear prediction of a residual from previous ones
NOT_WHITE = 1e-3  # probability below which residuals are not considered white
STRUCTURED = 0.5  # predictable share of residual power above which it is not noise
SMALL = 1e-3  # residuals below this fraction of the measured standard deviation are small
EXACT = 1e-15  # share of the variance that rounding and integration may leave unexplained
OUTLYING = 10.0  # robust standard deviations beyond which a residual is not noise
LEADING = 0.1  # minimum share of the residual power of a sample to be named
USUAL = 1.4826  # standard deviation of normal noise over its median absolute value
NOISY = 1.5  # residuals below this multiple of the known noise are small, whatever their structure


@dataclass(frozen=True)
class ResidualTest:
    """Statistics of the residuals of one channel of one recording.

    Attributes:
        recording, channel: their names.
        rms: root mean square of the residuals.
        noise: standard deviation used in the fit.
        correlation: autocorrelation at lag one.
        probability: p-value of such correlations in white noise (Ljung & Box 1978).
        structure: share of their power predictable from previous residuals; 0 for white noise.
        given: whether the noise was given by the user.
        explained: share of the measured variance that the model explains.
        peak: the largest residual, in robust standard deviations (from the median).
        peak_sample: index of that sample.
        peak_share: its share of the power of all residuals.
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
        """Whether a single sample is so far off that it dominates the fit."""
        return self.peak > OUTLYING and self.peak_share > LEADING

    @property
    def white(self) -> bool:
        """Whether the residuals are consistent with white noise, or are mere rounding errors."""
        return self.probability >= NOT_WHITE or 1.0 - self.explained < EXACT

    @property
    def refused(self) -> bool:
        """Whether most of the residual power is not noise, and it matters.

        It does not if it hardly exceeds the known noise, or is below a thousandth of the motion.
        """
        small = 1.0 - self.explained < SMALL**2 or (self.given and self.rms <= NOISY * self.noise)
        return not self.white and self.structure > STRUCTURED and not small


def judge_residuals(
    residuals: Array, measured: Array, recording: str, channel: str, noise: float, given: bool
) -> ResidualTest:
    """Test the residuals of one channel, in order of time."""
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
    """The largest residual in robust standard deviations, its index, and its share of the power."""
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
