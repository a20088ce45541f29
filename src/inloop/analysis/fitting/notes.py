"""Notes on a fit: what its recordings do not tell, and what in them does not fit together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from inloop.analysis.fitting.fitted import ALIKE, AT_BOUND, correlation_of
from inloop.analysis.fitting.recordings import Measured, Recording, plants_of
from inloop.analysis.fitting.residual_tests import NOISY, ResidualTest
from inloop.analysis.fitting.solving import Solution
from inloop.analysis.fitting.unknowns import Unknowns
from inloop.errors import near_names
from inloop.plant import Array, BarePlant
from inloop.plant.quantities.inputs_outputs import input_quantities

UNKNOWN = 1.0  # deviation of a direction, in sizes of parameters, above which it is not identified
SHARE = 0.3  # of such a direction that a parameter has to have to be named
OPEN = 1e-3  # gap between segments, in sizes of states, above which it is told
QUIET = 0.5  # of the given noise: residuals below are told
ALIKE_NAMES = 0.8  # how near the name of a column is to that of an input that is missing


def unidentified_in(labels: Sequence[str], information: Array) -> tuple[str, ...]:
    """Names in directions that an information matrix, in sizes of unknowns, says nothing about."""
    power, directions = np.linalg.eigh(information)
    lost: set[int] = set()
    for k, value in enumerate(power):
        if value * UNKNOWN**2 < 1.0:
            lost |= set(np.flatnonzero(np.abs(directions[:, k]) > SHARE).tolist())
    return tuple(name for k, name in enumerate(labels) if k in lost)


def fit_notes(
    unknowns: Unknowns, found: Solution, tests: Sequence[ResidualTest]
) -> tuple[str, ...]:
    """What the user of a fit should know of it."""
    notes, labels = [], unknowns.labels
    lost = unidentified_in(unknowns.labels, found.information)
    if lost:
        notes.append("not identified by these recordings: " + ", ".join(lost))
    room = unknowns.upper - unknowns.lower
    span = np.where(np.isfinite(room), room, unknowns.scale)
    near = (
        np.minimum(found.values - unknowns.lower, unknowns.upper - found.values) < AT_BOUND * span
    )
    notes += [f"{name} is at its bound" for name, at in zip(labels, near, strict=True) if at]
    alike = correlation_of(found.covariance)
    for i, j in zip(*np.nonzero(np.triu(np.abs(alike) > ALIKE, 1)), strict=True):
        notes.append(
            f"{labels[i]} and {labels[j]} can hardly be distinguished: correlation "
            f"{alike[i, j]:+.3f}"
        )
    for each in tests:
        notes += residual_notes(each)
        if not each.white:
            notes.append(
                f"residuals of {each.channel} in {each.recording} are not white noise "
                f"(correlation {each.correlation:.2f}): the model lacks something, and true "
                "errors are larger than the standard deviations"
            )
    if found.gap > OPEN:
        notes.append(f"gaps of up to {found.gap:.1e} of the motion remain between segments")
    if not found.converged:
        notes.append("the search has not converged: allow more evaluations (most=)")
    return tuple(notes)


def residual_notes(test: ResidualTest) -> list[str]:
    """A sample that leads the fit alone, and a noise that is not that of the residuals."""
    notes = []
    if test.outlier:
        notes.append(
            f"sample {test.peak_sample} of {test.channel} in {test.recording} is an "
            f"outlier, {min(test.peak, 1000000.0):.2g} usual deviations off, and dominates "
            "the fit: correct it, or cut the recording there"
        )
    # deviations count with the noise that was given
    ratio = test.rms / test.noise if test.given else 1.0
    if not QUIET <= ratio <= NOISY:
        wrong = "small" if ratio > NOISY else "large"
        notes.append(
            f"residuals of {test.channel} in {test.recording} are {ratio:.2g} times the "
            f"given noise: standard deviations are based on the latter and are too {wrong}"
        )
    return notes


def stray_columns(plant: BarePlant, recordings: Sequence[Recording]) -> tuple[str, ...]:
    """Columns that nobody reads, and that are called nearly as an input that is missing."""
    inputs = {quantity.name for quantity in input_quantities(plants_of(plant))}
    notes: list[str] = []
    for number, columns in enumerate(recordings, start=1):
        if not isinstance(columns, Mapping):
            continue
        missing = {name.lower(): name for name in inputs - set(columns)}
        for name in set(columns) - inputs:
            near = near_names(str(name).lower(), missing, cutoff=ALIKE_NAMES)
            notes += [
                f"column '{name}' of recording {number} is not used: is it the input "
                f"'{missing[meant]}'?"
                for meant in near
            ]
    return tuple(sorted(notes))


def repeated(runs: Sequence[Measured], kept_back: Sequence[Measured]) -> tuple[str, ...]:
    """Recordings that were kept back and fitted all the same."""
    return tuple(
        f"{b.name} is {a.name} once more: that it is predicted well tells nothing"
        for b in kept_back
        for a in runs
        if a.y.shape == b.y.shape and np.array_equal(a.y, b.y)
    )
