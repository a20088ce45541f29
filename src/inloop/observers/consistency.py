"""Consistency of an observer: are its errors as large as its covariance claims?

NEES, the normalized estimation error squared, needs the truth: eᵀ P⁻¹ e is distributed as χ² with
as many degrees of freedom as there are states. NIS, the normalized innovation squared, needs
measurements alone: its degrees of freedom are what was measured (Bar-Shalom, Li & Kirubarajan,
Estimation with Applications to Tracking and Navigation, 2001, section 5.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import chi2

from inloop.errors import InputError
from inloop.plant import Array
from inloop.plant.arguments import reals
from inloop.simulate.results.figure import COLORS, GRID, blank_figure

SHARE = 0.95  # probability of the band
SINGULAR = 1e-13  # smaller eigenvalues of a correlation matrix are rounding errors


@dataclass(frozen=True)
class Consistency:
    """Means over runs at each sample, and the band in which they should lie.

    Attributes:
        values: mean of NEES or NIS over the runs, at each sample.
        freedom: degrees of freedom of one run at one sample: the expected value.
        low, high: limits of the band.
        share: share of the values expected within the band.
        runs: number of runs averaged.
        what: "NEES" or "NIS".
    """

    values: Array
    freedom: float
    low: float
    high: float
    share: float
    runs: int
    what: str

    @property
    def inside(self) -> float:
        """Share of the samples within the band."""
        return float(np.mean((self.values >= self.low) & (self.values <= self.high)))

    @property
    def mean(self) -> float:
        """Mean over all samples."""
        return float(np.mean(self.values))

    def __str__(self) -> str:
        return (
            f"{self.what} of {self.runs} runs: mean {self.mean:.4g}, expected {self.freedom:g}; "
            f"{100.0 * self.inside:.1f} % within {self.low:.4g} to {self.high:.4g}, "
            f"expected {100.0 * self.share:g} %"
        )

    __repr__ = __str__  # typed at a prompt, it tells the same

    def plot(self, t: Array | None = None, file: str | Path | None = None, axes: Any = None) -> Any:
        """Plot the values with their band; returns the figure.

        Args:
            t: times of the samples [s]; default: their indices.
            file: write the figure to this file.
            axes: matplotlib axes to draw on, instead of a new figure.
        """
        figure = blank_figure((8.0, 3.2), file) if axes is None else axes.figure
        axes = figure.add_subplot() if axes is None else axes
        times = np.arange(len(self.values)) if t is None else np.asarray(t)
        axes.axhspan(self.low, self.high, color=GRID, label=f"{100.0 * self.share:g} % band")
        axes.axhline(self.freedom, color="#888888", linewidth=0.8)
        label = f"{self.what}, mean of {self.runs} runs" if self.runs > 1 else self.what
        axes.plot(times, self.values, color=COLORS[0], linewidth=1.0, label=label)
        axes.set_xlabel("sample" if t is None else "t [s]")
        axes.set_ylim(bottom=0.0)
        axes.legend(loc="upper right", frameon=False)
        if file is not None:
            figure.savefig(file)
        return figure


def band(freedom: float, runs: int, share: float = SHARE) -> tuple[float, float]:
    """Two-sided interval for the mean of a χ² variable over independent runs.

    Args:
        freedom: degrees of freedom of one run.
        runs: number of runs.
        share: probability of the interval.
    """
    side = 0.5 * (1.0 - share)
    low, high = chi2.ppf([side, 1.0 - side], freedom * runs) / runs
    return float(low), float(high)


def nees(errors: Any, covariances: Any, *, share: float = SHARE) -> Consistency:
    """Normalized estimation errors squared, over runs and samples.

    Args:
        errors: shape (runs, samples, states), or (samples, states) of one run.
        covariances: shape (runs, samples, states, states), likewise.
        share: that the band holds.

    Raises:
        InputError: shapes do not fit, or a state, or several together, have no variance.
    """
    e, P = reals(errors, "errors"), reals(covariances, "covariances")
    if e.ndim == 2 and P.ndim == 3:
        e, P = e[None], P[None]
    if e.ndim != 3 or P.shape != (*e.shape, e.shape[2]) or not e.size:
        raise InputError(
            f"errors of shape {e.shape} and covariances of shape {P.shape} do not fit",
            fix="Give (runs, samples, states) and (runs, samples, states, states).",
        )
    squares = np.diagonal(P, axis1=2, axis2=3)
    if not np.all(squares > 0.0):
        raise InputError(
            "a state has no variance: it is known, so its error cannot be judged",
            fix="Leave it out: errors[..., kept], covariances[..., kept, :][..., kept].",
        )
    # scale to correlations
    size = np.sqrt(squares)
    scaled = P / (size[..., :, None] * size[..., None, :])
    _refuse_singular(scaled[:, -1])
    e = e / size
    values = np.einsum("rsi,rsi->rs", e, np.linalg.solve(scaled, e[..., None])[..., 0])
    return _over_runs(values, float(e.shape[2]), share, "NEES")


def _refuse_singular(correlations: Array) -> None:
    """Reject numerically singular correlation matrices, shape (runs, states, states)."""
    least = float(np.linalg.eigvalsh(correlations).min())
    if least < SINGULAR:
        raise InputError(
            "the covariances are singular (an eigenvalue of the correlations is "
            f"{least:.1e}): a combination of states is known, so its error cannot be judged",
            fix="Let noise act on all of them (disturbances=, states=), or leave some out.",
        )


def nis(squares: Any, freedom: float, *, share: float = SHARE) -> Consistency:
    """Normalized innovations squared, over runs and samples.

    Args:
        squares: `estimate.nis`, shape (runs, samples), or (samples,) of one run.
        freedom: how many outputs were measured at each sample.
        share: that the band holds.
    """
    values = reals(squares, "squares")
    if values.ndim == 1:
        values = values[None]
    if values.ndim != 2 or not values.size or not freedom > 0.0:
        raise InputError(
            f"squares of shape {values.shape} with {freedom} degrees of freedom",
            fix="Give (runs, samples), and how many outputs were measured.",
        )
    return _over_runs(values, float(freedom), share, "NIS")


def _over_runs(values: Array, freedom: float, share: float, what: str) -> Consistency:
    if not 0.0 < share < 1.0:
        raise InputError(f"a share of {share}", fix="Give a number between 0 and 1.")
    runs = len(values)
    low, high = band(freedom, runs, share)
    return Consistency(values.mean(axis=0), freedom, low, high, share, runs, what)
