"""Start times of segments on the clock of a plant whose laws depend on time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from inloop.analysis.fitting.recordings import Measured, plants_of
from inloop.analysis.fitting.segments import Segment
from inloop.errors import InputError
from inloop.plant import BarePlant
from inloop.plant.variation.timed_elements import TimedElement, timed_elements

BETWEEN = 0.01  # fraction of a step beyond which a time counts as between steps
LAW = "law"  # runs may start at any time with forces that depend on it, unlike other elements


def first_steps(
    plant: BarePlant, recordings: Sequence[Measured], segments: Sequence[Segment], step: float
) -> NDArray[np.int64]:
    """Steps from t = 0 to the start of each segment; 0 if the plant does not depend on time.

    Args:
        plant: the compiled mechanism.
        recordings: all recordings, with the same period.
        segments: segments of the recordings.
        step: integrator step, an integer fraction of the period [s].

    Raises:
        InputError: a run of the plant cannot start at such a time.
    """
    _check_controller(plant, segments)
    period = recordings[0].period
    timed = [each for mode in plants_of(plant).values() for each in timed_elements(mode.mechanism)]
    if not timed:
        return np.zeros(len(segments), dtype=np.int64)
    for run in recordings:
        if run.t[0] < 0.0 or abs(run.t[0] / step - round(run.t[0] / step)) > BETWEEN:
            raise InputError(
                f"{run.name} begins at t = {run.t[0]:g} s, and {_time_dependence(timed[0])}: runs "
                f"with steps of {step:g} s cannot begin there",
                fix="Give times of the model's clock, in whole steps from t = 0 on.",
            )
    steps = np.array([
        round(recordings[each.recording].t[0] / step) + each.begin * round(period / step)
        for each in segments
    ])  # fmt: skip
    fixed = [each for each in timed if each.kind != LAW]
    if fixed and np.any(steps):
        late = step * steps[steps > 0][0]
        raise InputError(
            f"{_time_dependence(fixed[0])}: runs of model '{plant.name}' begin at t = 0, not at "
            f"{late:g} s",
            fix="Leave segments out, give a recording from t = 0 on, or make what depends on time "
            "an input.",
        )
    return steps


def _time_dependence(element: TimedElement) -> str:
    return f"{element.kind} '{element.name}' depends on time"


def _check_controller(plant: BarePlant, segments: Sequence[Segment]) -> None:
    """Reject segments if the plant has a controller, whose state is not in recordings.

    Raises:
        InputError: a plant with a controller would start in the middle of a recording.
    """
    controller = plant.mechanism.controller
    if controller is not None and any(each.begin > 0 for each in segments):
        raise InputError(
            f"controller '{controller.name}' is a part of model '{plant.name}': its recordings "
            "cannot be cut into segments",
            fix="Leave segments out.",
        )
