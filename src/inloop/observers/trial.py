"""Monte Carlo test of an observer's consistency: runs of its own plant with its assumed noise.

The true initial state of each run is drawn from the observer's initial covariance; disturbances and
measurement noise are those that it assumes. For a linear plant, NEES and NIS would lie within their
bands; if they do not, the same runs with an unscented filter show whether the linearization is the
cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import Status
from inloop.native.running.observer import (
    ADDS_TO_INPUT,
    ADDS_TO_MEASURED,
    COPY_OF_EXTRA,
    RATE_OF_EXTRA,
)
from inloop.observers.consistency import Consistency, band, nees, nis
from inloop.observers.observer import Observer
from inloop.plant import Array
from inloop.plant.arguments import whole
from inloop.plant.keywords import checked_call
from inloop.simulate.controlled.sampled import Sampled, unknown_name
from inloop.simulate.results.figure import blank_figure
from inloop.simulate.systems import System

Law = Callable[[float, Mapping[str, float]], Mapping[str, float]]

# standard errors by which the mean over runs must be off: of NEES, of the square of one state.
# Samples of one run are not independent of each other, runs are
SURELY_OFF, SURELY_ONE_OFF = 4.0, 5.0
CHANCE = 1e-3  # that the largest NEES of all samples is beyond its limit
MOST_NAMED = 3  # states


@dataclass(frozen=True)
class Trial:
    """Result of runs of an observer on its own plant; `print(trial)` shows the verdict.

    Attributes:
        method: method of the observer.
        t: times of the samples [s].
        nees: normalized estimation error squared, mean over the runs.
        nis: normalized innovation squared, likewise.
        ratios: size of the errors of each state, if the others were known, in units of the
            deviation that it would have then; over all samples.
        score: excess of NEES over its expectation, in standard errors of the mean over runs.
        scores: the same for the squared error of each state.
        unscented: the same runs with method="ukf", made if an extended filter is overconfident.
    """

    method: str
    t: Array
    nees: Consistency
    nis: Consistency
    ratios: Mapping[str, float]
    score: float
    scores: Mapping[str, float]
    unscented: Trial | None = None

    @property
    def too_sure(self) -> bool:
        """Whether errors are larger than the observer claims."""
        found = self.nees
        _, most = band(found.freedom, found.runs, 1.0 - CHANCE / len(found.values))
        return (
            float(found.values.max()) > most
            or self.score > SURELY_OFF
            or max(self.scores.values()) > SURELY_ONE_OFF
        )

    @property
    def too_careful(self) -> bool:
        """Whether errors are smaller than it claims."""
        return self.score < -SURELY_OFF

    @property
    def notes(self) -> tuple[str, ...]:
        """The verdict, its likely cause, and what to do."""
        size = np.sqrt(self.nees.mean / self.nees.freedom)
        if self.too_careful and not self.too_sure:
            return (
                f"the filter is too conservative: errors are {size:.3g} times as large as it "
                "claims",
            )
        if not self.too_sure:
            return ("the filter is consistent",)
        worst = sorted(self.ratios, key=lambda name: -self.scores[name])[:MOST_NAMED]
        listed = ", ".join(f"'{name}' ({self.ratios[name]:.2g} times)" for name in worst)
        told = [f"the filter is overconfident: errors are {size:.3g} times as large as it "
                f"claims, above all those of {listed}"]  # fmt: skip
        return (*told, self._cause())

    def _cause(self) -> str:
        shorter = "give a smaller doubt, a shorter period or a smaller step"
        if self.unscented is None:
            return f"the plant is too nonlinear over the uncertainty of the filter: {shorter}"
        share = f"in the same runs method='ukf' has {100.0 * self.unscented.nees.inside:.0f} %"
        if self.unscented.too_sure:
            return (
                "the plant is too nonlinear over the uncertainty of the filter, even for an "
                f"unscented filter ({share} of the samples within the band): {shorter}"
            )
        return (
            "the linearization of an extended filter does not hold over its uncertainty: "
            f"{share} of the samples within the band; use it, or start with less doubt"
        )

    def __str__(self) -> str:
        lines = [f"method '{self.method}'", str(self.nees), str(self.nis), *self.notes]
        return "\n".join(lines)

    __repr__ = __str__  # typed at a prompt, it tells the same

    def plot(self, file: str | Path | None = None) -> Any:
        """Draw NEES and NIS with their bands; returns the figure.

        Args:
            file: where to write it.
        """
        figure = blank_figure((8.0, 5.0), file)
        above, below = figure.subplots(2, 1, sharex=True)
        self.nees.plot(self.t, axes=above)
        if self.unscented is not None:
            above.plot(self.t, self.unscented.nees.values, "--", color="#888888", linewidth=0.9,
                       label="the same with method='ukf'")  # fmt: skip
            above.legend(loc="upper right", frameon=False)
        above.set_xlabel("")
        self.nis.plot(self.t, axes=below)
        if file is not None:
            figure.savefig(file)
        return figure


@checked_call
def trial(
    observer: Observer,
    *,
    runs: int = 20,
    samples: int = 200,
    skip: int = 0,
    controller: Law | None = None,
    unjudged: tuple[str, ...] | list[str] = (),
    seed: int = 0,
) -> Trial:
    """Run an observer on simulations of its own plant, with the noise that it assumes.

    Args:
        observer: the observer; reset before each run, and left as the last one ended.
        runs: number of runs.
        samples: number of samples per run.
        skip: initial samples that are not evaluated.
        controller: what is held from a time on, by name, from the true outputs.
        unjudged: states whose errors are left out, such as those that nothing tells.
        seed: of the noise.

    Raises:
        InputError: a number makes no sense, or `states=` moves the plant, which truth does not.
        SimulationError: the plant fails.
    """
    if whole(runs, "runs") < 2 or whole(samples, "samples") < 2 or not 0 <= skip < samples:
        raise InputError(
            f"{runs} runs of {samples} samples, {skip} of them skipped", fix="Give two or more."
        )
    if np.any(observer.setup.table.moved):
        raise InputError(
            "the observer has noise that moves states directly", fix="Make it without states=."
        )
    kept = _judged(observer, unjudged)
    found = _runs(observer, runs, samples, controller, seed, kept, skip)
    if not found.too_sure or found.method != "ekf":
        return found
    other = observer.with_method("ukf")
    unscented = _runs(other, runs, samples, controller, seed, kept, skip)
    return replace(found, unscented=unscented)


def _judged(observer: Observer, left_out: tuple[str, ...] | list[str]) -> list[str]:
    """States whose errors count: those that are unsure at the start, or that noise moves."""
    for name in left_out:
        if name not in observer.states:
            raise unknown_name("state", name, observer.states)
    whites = {x.name for x in observer.setup.extras if x.state.keeps == 0.0}
    return [name for name in observer.states if name not in left_out and name not in whites]


def _runs(
    observer: Observer,
    runs: int,
    samples: int,
    controller: Law | None,
    seed: int,
    kept: list[str],
    skip: int,
) -> Trial:
    draw = np.random.default_rng(seed)
    rows = [_one_run(observer, samples, controller, draw, kept) for _ in range(runs)]
    e, P, squares = (np.array(part) for part in zip(*rows, strict=True))
    unsure = np.all(np.diagonal(P, axis1=2, axis2=3) > 0.0, axis=0)
    moving = np.flatnonzero(unsure[-1])
    if not len(moving):
        raise InputError("no state is uncertain", fix="Give doubt or disturbances.")
    # what is unknown begins as known: 0
    skip = max(skip, int(np.argmax(np.all(unsure[:, moving], axis=1))))
    e, P = e[:, skip:, moving], P[:, skip:, moving, :][..., moving]
    names = [kept[k] for k in moving]
    judged = nees(e, P)
    single, together = _squares(e, P)
    return Trial(
        observer.setup.method,
        np.asarray(observer.period * np.arange(skip, samples), dtype=np.float64),
        judged,
        nis(squares[:, skip:], len(observer.measured)),
        dict(zip(names, np.sqrt(single.mean(axis=0)).tolist(), strict=True)),
        float(_score(together, len(names))),
        dict(zip(names, _score(single, 1.0).tolist(), strict=True)),
    )


def _score(means: Array, expected: float) -> Array:
    """How far means of runs are above what is expected, in standard errors."""
    error = np.std(means, axis=0, ddof=1) / np.sqrt(len(means))
    return np.asarray((means.mean(axis=0) - expected) / error)


def _squares(e: Array, P: Array) -> tuple[Array, Array]:
    """Means over each run, shapes (runs, states) and (runs,), of squared errors without units.

    Of each state, the others known, in units of the variance that it has then; of all together.
    """
    size = np.sqrt(np.diagonal(P, axis1=2, axis2=3))
    information = np.linalg.inv(P / (size[..., :, None] * size[..., None, :]))
    weighted = np.einsum("rsij,rsj->rsi", information, e / size)
    squares = weighted**2 / np.diagonal(information, axis1=2, axis2=3)
    together = np.einsum("rsi,rsi->rs", weighted, e / size)
    return squares.mean(axis=1), together.mean(axis=1)


def _one_run(
    observer: Observer,
    samples: int,
    controller: Law | None,
    draw: np.random.Generator,
    kept: list[str],
) -> tuple[list[Array], list[Array], list[float]]:
    observer.reset()
    truth = _Truth(observer, draw)
    errors, covariances, squares = [], [], []
    at = {name: k for k, name in enumerate(observer.inputs)}
    held = observer.held
    for k in range(samples):
        if k > 0:
            truth.step(held)
        observer.update(truth.measure(), held.copy())
        if not {*kept} <= {*observer.states}:
            raise SimulationError(
                "the independent coordinates change during the run, and the errors with them",
                fix="Use fewer samples, or start elsewhere.",
            )
        row = [observer.states.index(name) for name in kept]
        errors.append(truth.errors()[row])
        covariances.append(observer.covariance[np.ix_(row, row)])
        squares.append(observer.nis)
        if controller is not None:
            for name, value in controller(truth.t, truth.outputs(held)).items():
                if name not in at:
                    raise unknown_name("input", name, at)
                held[at[name]] = value
    return errors, covariances, squares


class _Truth:
    """The plant of an observer, begun and disturbed as the observer believes."""

    def __init__(self, observer: Observer, draw: np.random.Generator) -> None:
        self._observer, self._draw, self._setup = observer, draw, observer.setup
        self._system: System = self._setup.seen.fresh()
        self._substeps, self._instance = self._setup.table.substeps, self._system.instance
        away = np.asarray(self._setup.doubt) * draw.normal(size=len(self._setup.doubt))
        x, self._extra = observer.away_from_start(away)
        self._system.watch(x)
        self._instance.begin(0, x)
        self._values = np.zeros(len(self._setup.seen.output_names))
        self._hold(self._setup.seen.first_inputs)

    @property
    def t(self) -> float:
        return self._instance.t

    def _hold(self, inputs: Array) -> None:
        acting = np.array(inputs)
        for extra, value in zip(self._setup.extras, self._extra, strict=True):
            if extra.state.kind == ADDS_TO_INPUT:
                acting[extra.state.number] += value
        self._instance.hold_inputs(acting)
        self._instance.outputs(self._values)

    def step(self, inputs: Array) -> None:
        """To the next sample, with noise of its own beside inputs that are held."""
        table, draw = self._setup.table, self._draw
        for k, extra in reversed(list(enumerate(self._setup.extras))):
            if extra.state.kind == COPY_OF_EXTRA:
                self._extra[k] = self._extra[extra.state.number]
        for k, extra in enumerate(self._setup.extras):
            if extra.state.kind == COPY_OF_EXTRA:
                continue
            if extra.state.kind == RATE_OF_EXTRA:
                self._extra[extra.state.number] += self._observer.period * self._extra[k]
            self._extra[k] *= extra.state.keeps
            self._extra[k] += np.sqrt(extra.state.wanders) * draw.normal()
        acting = np.array(inputs)
        for number, square in zip(table.pushed, table.push, strict=True):
            acting[number] += np.sqrt(square) * draw.normal()
        self._hold(acting)
        for _ in range(self._substeps):
            status = self._instance.advance()
            if status != Status.OK:
                raise SimulationError(
                    f"the plant of a trial fails: {status.name} at t = {self.t:.6g} s",
                    fix="Give controller=, or start with less doubt.",
                )
        self._instance.outputs(self._values)

    def measure(self) -> Array:
        table = self._setup.table
        noise = np.sqrt(np.asarray(table.noise)) * self._draw.normal(size=len(table.noise))
        y: Array = self._values[list(table.measured)] + noise
        for extra, value in zip(self._setup.extras, self._extra, strict=True):
            if extra.state.kind == ADDS_TO_MEASURED:
                y[extra.state.number] += value
        return y

    def outputs(self, held: Array) -> Sampled:
        return Sampled(self._setup.seen.names, np.concatenate([[self.t], self._values, held]))

    def errors(self) -> Array:
        plant, names = self._observer.plant, self._setup.seen.output_names
        n = plant.n
        places = [names.index(name) for name in plant.positions[n:]]
        states = {s.name: float(self._values[names.index(s.name)]) for s in plant.mechanism.states}
        states |= {x.name: float(v) for x, v in zip(self._setup.extras, self._extra, strict=True)}
        q = np.concatenate([self._values[:n], self._values[places]])
        return self._observer.errors(q, self._values[n : 2 * n], states)
