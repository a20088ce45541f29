"""Notes on a fit: what its recordings do not determine, and where they are inconsistent."""

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
from inloop.simulate import Result

UNKNOWN = 1.0  # deviation of a direction, in sizes of parameters, above which it is not identified
SHARE = 0.3  # minimum component of a parameter in such a direction to be named
OPEN = 1e-3  # gap between segments, in sizes of states, above which it is reported
QUIET = 0.5  # residuals below this fraction of the given noise are reported
ALIKE_NAMES = 0.8  # minimum similarity of a column's name to that of a missing input


def unidentified_in(labels: Sequence[str], information: Array) -> tuple[str, ...]:
    """Names of unknowns in directions without information; the matrix is in sizes of unknowns."""
    power, directions = np.linalg.eigh(information)
    lost: set[int] = set()
    for k, value in enumerate(power):
        if value * UNKNOWN**2 < 1.0:
            lost |= set(np.flatnonzero(np.abs(directions[:, k]) > SHARE).tolist())
    return tuple(name for k, name in enumerate(labels) if k in lost)


def fit_notes(
    unknowns: Unknowns, solution: Solution, tests: Sequence[ResidualTest]
) -> tuple[str, ...]:
    """Notes for the user of a fit."""
    notes, labels = [], unknowns.labels
    lost = unidentified_in(unknowns.labels, solution.information)
    if lost:
        notes.append("not identified by these recordings: " + ", ".join(lost))
    alike = correlation_of(solution.covariance)
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
    if solution.gap > OPEN:
        notes.append(f"gaps of up to {solution.gap:.1e} of the motion remain between segments")
    if not solution.converged:
        notes.append("the search has not converged: allow more evaluations (most=)")
    return tuple(notes)


def at_bounds(unknowns: Unknowns, solution: Solution) -> tuple[str, ...]:
    """Notes on unknowns that the search left at a bound."""
    room = unknowns.upper - unknowns.lower
    span = np.where(np.isfinite(room), room, unknowns.scale)
    near = (
        np.minimum(solution.values - unknowns.lower, unknowns.upper - solution.values)
        < AT_BOUND * span
    )
    pairs = zip(unknowns.labels, near, strict=True)
    return tuple(f"{name} is at its bound" for name, at in pairs if at)


def residual_notes(test: ResidualTest) -> list[str]:
    """Notes on an outlier that dominates the fit, and on given noise that contradicts residuals."""
    notes = []
    if test.outlier:
        notes.append(
            f"sample {test.peak_sample} of {test.channel} in {test.recording} is an "
            f"outlier, {min(test.peak, 1000000.0):.2g} usual deviations off, and dominates "
            "the fit: correct it, or cut the recording there"
        )
    # standard deviations are based on the given noise
    ratio = test.rms / test.noise if test.given else 1.0
    if not QUIET <= ratio <= NOISY:
        wrong = "small" if ratio > NOISY else "large"
        notes.append(
            f"residuals of {test.channel} in {test.recording} are {ratio:.2g} times the "
            f"given noise: standard deviations are based on the latter and are too {wrong}"
        )
    return notes


def stray_columns(plant: BarePlant, recordings: Sequence[Recording]) -> tuple[str, ...]:
    """Notes on unused columns with a name similar to that of a missing input."""
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


def missing_inputs(plant: BarePlant, recordings: Sequence[Recording]) -> tuple[str, ...]:
    """Notes on inputs of the model that recordings do not contain."""
    first = dict(zip(plant.inputs, plant.first_inputs, strict=True))
    own = [x.name for x in plant.mechanism.inputs if x.name in first]
    return tuple(
        f"recording {number} has no column '{name}': this input counts as constant, {first[name]:g}"
        for number, columns in enumerate(recordings, start=1)
        for name in own
        if name not in (columns.names if isinstance(columns, Result) else columns)
    )


def repeated(runs: Sequence[Measured], kept_back: Sequence[Measured]) -> tuple[str, ...]:
    """Notes on validation recordings that were also used for the fit."""
    return tuple(
        f"{b.name} is {a.name} again: its prediction does not validate the model"
        for b in kept_back
        for a in runs
        if a.y.shape == b.y.shape and np.array_equal(a.y, b.y)
    )
