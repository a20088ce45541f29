"""Estimates over a whole run: of a simulation, of a recording, of arrays by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array
from inloop.plant.arguments import reals, useless
from inloop.simulate.controlled.sampled import unknown_name
from inloop.simulate.results.figure import COLORS, GRID, blank_figure
from inloop.simulate.results.result import Result

if TYPE_CHECKING:
    from inloop.observers.observer import Observer

BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class Followed:
    """Estimates of an observer over a run; `found["crank.qd"]` is an estimate over time.

    Attributes:
        t: times of the samples [s].
        values: all values of the estimates, by name, shape (samples,) each.
        deviations: standard deviation of the error of each state, by name; NaN at samples at which
            it was not an independent one.
        covariances: covariance of the errors at each sample, in the order of `states` there.
        states: names of the states at each sample.
        nis: normalized innovation squared at each sample.
        used: number of measurements used at each sample.
        measured: measurements by name.
        notes: irregularities, as text.
    """

    t: Array
    values: Mapping[str, Array]
    deviations: Mapping[str, Array]
    covariances: list[Array]
    states: list[tuple[str, ...]]
    nis: Array
    used: Array
    measured: Mapping[str, Array]
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> Array:
        if name not in self.values:
            raise unknown_name("estimate", name, self.values)
        return self.values[name]

    def plot(self, *names: str, file: str | Path | None = None) -> Any:
        """Plot estimates with bands of two deviations, and measurements; returns the figure.

        Args:
            names: names of estimates; default: the measured ones.
            file: write the figure to this file.
        """
        shown = names or tuple(self.measured)
        figure = blank_figure((8.0, 1.0 + 1.5 * len(shown)), file)
        for row, name in enumerate(shown):
            axes, value = figure.add_subplot(len(shown), 1, row + 1), self[name]
            if name in self.measured:
                axes.plot(self.t, self.measured[name], ".", color="#aaaaaa", markersize=2)
            if name in self.deviations:
                wide = 2.0 * self.deviations[name]
                axes.fill_between(self.t, value - wide, value + wide, color=GRID)
            axes.plot(self.t, value, color=COLORS[0], linewidth=1.0)
            axes.set_ylabel(name)
        axes.set_xlabel("t [s]")
        if file is not None:
            figure.savefig(file)
        return figure


def follow(observer: Observer, run: Any, inputs: str | None = None) -> Followed:
    """Estimates over a run, from the initial state of the observer.

    Args:
        observer: the observer; it is reset first.
        run: a result (`plant.simulate`, `il.read`), or arrays by name, including "t". Gaps, and
            times that were set back, are detected by "t"; see `Observer.sample`.
        inputs: "before" if rows contain the inputs that led to them, as in recordings; "after" if
            they contain those held afterwards, as in simulations. Default: known for results,
            "before" for arrays.

    Raises:
        InputError: a measured output is missing, or the rows do not match the period.
    """
    observer.reset()
    t, measured, held = _rows(observer, run)
    if inputs not in (None, BEFORE, AFTER):
        raise useless(inputs, "inputs", "Use 'before' or 'after'.")
    after = inputs == AFTER if inputs else isinstance(run, Result) and not run.recorded
    if after:
        held = np.concatenate([held[:1], held[:-1]])
    estimates = []
    for now, y, u in zip(t.tolist(), measured, held, strict=True):
        observer.sample(now, y, u)
        estimates.append(observer.estimate)
    names = dict.fromkeys(name for estimate in estimates for name in estimate.states)
    unsure = {name: np.full(len(t), np.nan) for name in names}
    for row, estimate in enumerate(estimates):
        for name, deviation in estimate.deviations.items():
            unsure[name][row] = deviation
    return Followed(
        t=t,
        values={name: np.array([e[name] for e in estimates]) for name in estimates[0]},
        deviations=unsure,
        covariances=[estimate.covariance for estimate in estimates],
        states=[estimate.states for estimate in estimates],
        nis=np.array([estimate.nis for estimate in estimates]),
        used=np.array([estimate.used for estimate in estimates]),
        measured=dict(zip(observer.measured, measured.T, strict=True)),
        notes=observer.notes,
    )


def _rows(observer: Observer, run: Any) -> tuple[Array, Array, Array]:
    """Times, measurements and inputs, one row per period."""
    known = run.names if isinstance(run, Result) else run
    if not isinstance(run, Result | Mapping) or "t" not in known:
        raise useless(run, "run", "Give a result, or arrays by name with the times 't'.")
    t = reals(run["t"], "t")
    rows = _once_per_period(t, observer.period)
    columns = []
    for name in observer.measured:
        if name not in known:
            raise unknown_name("output", name, known)
        columns.append(_column(run, name, t)[rows])
    given = [
        _column(run, name, t)[rows] if name in known else np.full(len(rows), value)
        for name, value in zip(observer.inputs, observer.held, strict=True)
    ]
    return t[rows], np.stack(columns, axis=1), np.stack(given, axis=1)


def _column(run: Any, name: str, t: Array) -> Array:
    values = reals(run[name], name)
    if values.shape != t.shape:
        raise InputError(f"'{name}' has shape {values.shape}", fix=f"Give {len(t)} numbers.")
    return values


def _once_per_period(t: Array, period: float) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Indices of the rows that are samples."""
    if t.ndim != 1 or len(t) < 2:
        raise InputError("a run of fewer than two rows", fix="Give a longer one.")
    spacing = float(np.median(np.diff(t)))
    stride = round(period / spacing) if spacing > 0.0 else 0
    if stride < 1 or abs(stride * spacing - period) > 1e-3 * period:
        raise InputError(
            f"rows that are {spacing:g} s apart do not come once per period of {period:g} s",
            fix="Give the observer the period of the run.",
        )
    periods = (t - t[0]) / period
    off = np.abs(periods - np.round(periods)) * period
    return np.flatnonzero(off < 0.5 * spacing) if stride > 1 else np.arange(len(t))
