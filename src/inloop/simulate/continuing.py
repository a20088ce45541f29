"""Continuing earlier runs: whether it is possible, and what changed in between."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from inloop.errors import InputError
from inloop.native import AdaptiveSteps, FixedSteps
from inloop.plant import BarePlant
from inloop.simulate.results.result import Result

WHOLE = 1e-6  # of a step: tolerance for a start time that is not a whole number of steps
MOVED = 1e-6  # relative to the size of a coordinate: more than rounding


def check_start(
    start: Result,
    names: Collection[str],
    coordinates: Sequence[str],
    schedule: FixedSteps | AdaptiveSteps,
) -> None:
    """Check that a run can continue where an earlier one ended.

    Args:
        start: the earlier run.
        names: names of the model, or of the models of its modes.
        coordinates: coordinates of the model, over all modes.
        schedule: schedule of the run, from t = 0.

    Raises:
        InputError: the run is of a different model, its steps do not match the start of this one,
            or it went past the end of this one.
    """
    assert start.end is not None
    if start.name not in names or start.coordinates != tuple(coordinates):
        raise InputError(
            f"start is a run of model '{start.name}' with coordinates "
            f"{', '.join(start.coordinates)}; this model is '{next(iter(names))}' with "
            f"{', '.join(coordinates)}",
            fix="Continue runs of the same model, or give q and qd by name.",
        )
    t, steps = start.end.t, start.end.steps
    fixed = schedule if isinstance(schedule, FixedSteps) else None
    t_end = (
        schedule.t_end if isinstance(schedule, AdaptiveSteps) else schedule.step * schedule.steps
    )
    if t > t_end * (1.0 + 1e-12):
        raise InputError(
            f"start ended at t = {t:g} s, after t_end = {t_end:g} s",
            fix="t_end counts from the beginning of the first run: give a later one.",
        )
    if fixed is None or abs(steps * fixed.step - t) <= WHOLE * fixed.step:
        return
    if start.tolerance is not None:
        raise InputError(
            f"start ended at t = {t:g} s with steps of its own (tolerance={start.tolerance:g}), "
            "which fixed steps cannot continue",
            fix="Give tolerance= here as well, or q and qd of its last sample.",
        )
    raise InputError(
        f"start ended at t = {t:g} s, which is not a whole number of steps of {fixed.step:.9g} s",
        fix="Use its step, and a t_end that is a whole number of them; or give q and qd of its "
        "last sample.",
    )


def check_formulation(start: Result, name: str) -> None:
    """Check that an earlier run has the same formulation and thus the same state vector.

    Raises:
        InputError: it has a different one.
    """
    assert start.end is not None
    if start.end.formulation != name:
        raise InputError(
            f"start is a run of formulation='{start.end.formulation}', this plant has '{name}'",
            fix="Continue runs of the same plant, or give q and qd of its last sample.",
        )


def check_roles(start: Result, plant: BarePlant) -> None:
    """Check that an earlier run has the same drives, loops and states of laws.

    Raises:
        InputError: its model has the name and the coordinates of this one, but not the equations.
    """
    assert start.end is not None
    end, roles = start.end, plant.formulation.partition
    same = len(end.z) == len(plant.mechanism.states)
    if end.partition is not None:
        same = same and end.partition.driven == roles.driven
        same = same and len(end.partition.rows) == len(roles.rows)
    if not same:
        raise InputError(
            f"start is a run of another model '{plant.name}', with other drives, loops or states "
            "of laws",
            fix="Continue runs of the same model, or give q and qd by name.",
        )


def moved_notes(plant: BarePlant, start: Result, result: Result) -> tuple[str, ...]:
    """Notes on coordinates that differ from where the earlier run ended."""
    assert start.end is not None
    n = plant.n
    away = np.abs(result.q[0, :n] - start.end.q[:n]) / plant.coordinate_sizes[:n]
    return tuple(
        f"'{plant.coordinates[k]}' continues from {result.q[0, k]:.6g}, but the earlier "
        f"run ended at {start.end.q[k]:.6g}: parameters or drives have changed"
        for k in np.flatnonzero(away > MOVED)
    )
