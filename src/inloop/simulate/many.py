"""Many runs of a plant on all cores: other start values, parameters and inputs in each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import AdaptiveSteps, FixedSteps, Status
from inloop.native.many import ManyRuns, StartRows, Starts, cores, run_many
from inloop.native.progress import ProgressLine
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import real
from inloop.plant.unit import common_name, plant_unit
from inloop.simulate.choice import FIRST, with_tolerance
from inloop.simulate.live_drives import check_velocities
from inloop.simulate.machine import conditions, simulate_modes
from inloop.simulate.many_arguments import (
    Columns,
    Given,
    check_each,
    count_runs,
    read_given,
)
from inloop.simulate.many_result import ManyResult
from inloop.simulate.run import simulate
from inloop.simulate.schedules import METHODS, SCIPY, adaptive, fixed, step_of
from inloop.simulate.start import first_internal_states, start_of
from inloop.simulate.systems import Conditions, System, make_system, make_systems, table_of_all

Plants = Mapping[str, BarePlant]


def simulate_many(
    plant: BarePlant,
    *,
    t_end: float,
    step: float = 1e-3,
    method: str | None = None,
    runs: int | None = None,
    q: Columns = None,
    qd: Columns = None,
    tau: Columns = None,
    inputs: Mapping[str, Any] | None = None,
    parameters: Columns = None,
    sample: float | None = None,
    tolerance: float | None = None,
) -> ManyResult:
    """Integrate the equations of motion many times, on all cores.

    Whatever differs from run to run is an array with one number per run; all else is shared. A
    run that fails does not end the others. The numbers of a run are those of `plant.simulate`
    with the same start, step and method, as long as it does not have to change its independent
    coordinates; runs are not judged one by one as `plant.simulate` judges its own.

    Args:
        plant: the compiled mechanism.
        t_end: length of each run [s].
        step: step of the integrator [s].
        method: as in `simulate`, without "scipy". If none is named, the one that `simulate`
            takes for the first run, which is run once more for that.
        runs: how many; not needed where an argument holds one number per run.
        q: coordinates at the start: by name, numbers or arrays of shape (runs,); or an array of
            shape (n,) or (runs, n). Of a mechanism with loops, independent coordinates may
            differ by name, and the others follow from where the plant starts, on the same
            branch; whole rows must close the loops.
        qd: velocities at the start, likewise.
        tau: constant joint efforts [N·m or N], likewise.
        inputs: by name, numbers or arrays of shape (runs,), or functions of time for all runs.
        parameters: by name, numbers or arrays of shape (runs,), or shape (runs, parameters); those
            of the plant are not changed.
        sample: time between samples [s]; by default only the first and the last state are kept.
        tolerance: relative error per step; then "dopri" and "rodas" choose their own steps.

    Raises:
        InputError: arguments are of no use.
        KeyboardInterrupt: Ctrl-C; `result` holds what was computed, other runs are STOPPED.
    """
    plants = plant.by_mode or {plant.name: plant}
    given = _read(plants, q, qd, tau, inputs, parameters)
    count = count_runs(runs, list(vars(given).values()))
    check_each(given.parameters, plant.parameters.check_one)
    chosen = method, None if tolerance is None else real(tolerance, "tolerance")
    notes: tuple[str, ...] = ()
    schedule = _schedule(t_end, step, FIRST if method is None else method, sample, None)
    if method is None and tolerance is None:
        *chosen, notes = _default_method(plant, t_end, step, given)  # type: ignore[assignment]
    elif method is None:
        chosen = with_tolerance(list(plants.values())), chosen[1]
    used, tolerance = chosen
    assert used is not None
    schedule = _schedule(t_end, step, used, sample, tolerance)
    at = _conditions(plants, given)
    starts = _starts(plants, given, at, t_end)
    found, broken, systems = _run(plants, at, starts, schedule, count)
    rows = starts.rows.parameters
    names = tuple(dict.fromkeys(c for each in plants.values() for c in each.coordinates))
    result = ManyResult(
        common_name(plants),
        names,
        _times(schedule),
        found.q,
        found.qd,
        tuple(Status(int(s)).name for s in found.status),
        _reasons(systems, names, found, step),
        found.reached,
        used,
        tolerance,
        found.steps,
        notes,
        plant,
        rows,
    )
    if broken:
        error = KeyboardInterrupt(
            f"interrupted after {count - result.status.count('STOPPED')} of {count} runs; "
            "error.result holds what was computed"
        )
        error.result = result  # type: ignore[attr-defined]
        raise error
    return result


# what was given


@dataclass(frozen=True)
class _Arguments:
    """Whatever may differ from run to run."""

    q: Given
    qd: Given
    tau: Given
    inputs: Given
    parameters: Given


def _read(
    plants: Plants, q: Columns, qd: Columns, tau: Columns, inputs: Any, parameters: Columns
) -> _Arguments:
    first = next(iter(plants.values()))
    joints = tuple(dict.fromkeys(c for plant in plants.values() for c in plant.coordinates))
    known = tuple(dict.fromkeys(name for plant in plants.values() for name in plant.inputs))
    if inputs is not None and not isinstance(inputs, Mapping):
        raise InputError("inputs are given by name", fix='Use inputs={"force": values}, say.')
    return _Arguments(
        read_given(q, "q", first.coordinates),
        read_given(qd, "qd", first.coordinates),
        read_given(tau, "tau", joints),
        read_given(inputs, "inputs", known, functions=True),
        read_given(parameters, "parameters", tuple(first.parameters)),
    )


def _schedule(
    t_end: float, step: float, method: str, sample: float | None, tolerance: float | None
) -> FixedSteps | AdaptiveSteps:
    if str(method) == SCIPY:
        raise InputError(
            "method 'scipy' runs one plant at a time", fix=f"Use one of {', '.join(METHODS)}."
        )
    schedule = fixed(t_end, step, method, sample)
    if tolerance is not None:
        spacing = sample or t_end or step
        return adaptive(METHODS[method], t_end, tolerance, min(spacing, t_end or step))
    # without samples: the first and the last state
    return replace(schedule, stride=max(1, schedule.steps if sample is None else schedule.stride))


def _times(schedule: FixedSteps | AdaptiveSteps) -> Array:
    """Times of the samples [s]."""
    if isinstance(schedule, FixedSteps):
        count = -(-schedule.steps // schedule.stride)
        steps = np.minimum(np.arange(count + 1) * schedule.stride, schedule.steps)
        return np.asarray(steps * schedule.step)
    assert schedule.sample is not None
    count = math.ceil(schedule.t_end / schedule.sample - 1e-7)
    return np.asarray(np.append(np.arange(count) * schedule.sample, schedule.t_end))


def _default_method(
    plant: BarePlant, t_end: float, step: float, given: _Arguments
) -> tuple[str, float | None, tuple[str, ...]]:
    """The method that `simulate` takes for the first run, with its tolerance, and its doubts."""
    options: dict[str, Any] = {"t_end": t_end, "step": step}
    options |= {name: getattr(given, name).first() for name in ("q", "qd", "tau", "inputs")}
    try:
        if plant.by_mode:
            tried = simulate_modes(plant.by_mode, **options)
        else:
            tried = simulate(plant, **options)
    except (SimulationError, InputError):
        # it is told as run 0, with its reason
        return FIRST, None, ()
    return tried.method, tried.tolerance, tuple(f"run 0: {doubt}" for doubt in tried.doubts)


# where runs start


def _conditions(plants: Plants, given: _Arguments) -> dict[str, Conditions]:
    """What all runs read; where they differ, what the plant begins with."""
    tau = given.tau.shared
    if given.tau.vector is not None:
        tau = dict(zip(next(iter(plants.values())).coordinates, given.tau.vector, strict=True))
    inputs = given.inputs.shared
    return {name: conditions(plants, each, tau, inputs, {}) for name, each in plants.items()}


def _starts(
    plants: Plants, given: _Arguments, at: Mapping[str, Conditions], t_end: float
) -> Starts:
    """The start that all runs share, and the rows in which they differ from it."""
    name, plant = next(iter(plants.items()))
    signals = at[name].inputs
    check_velocities(plant, signals, 0.0, t_end, {})
    u = signals.at(0.0)
    z = first_internal_states(plant, u)
    first = start_of(plant, given.q.common, given.qd.common, at[name].drives, u, z)
    values = plant.parameters.values_array.copy()
    known = StartRows(values, _input_row(plants, at), first.q, first.qd, z)
    if given.parameters.common is not None:
        values = _shared_parameters(plant, given.parameters)
    names = [quantity.name for quantity in plant_unit(plants).table.inputs]
    inputs = given.tau.fill(known.inputs, names, ".tau")
    rows = StartRows(
        given.parameters.fill(values, list(plant.parameters)),
        given.inputs.fill(inputs, names),
        given.q.fill(first.q, plant.coordinates),
        given.qd.fill(first.qd, plant.coordinates),
        _state_rows(plant, given.inputs, z),
    )
    return Starts(known, rows, _kind(plant, given, rows))


def _shared_parameters(plant: BarePlant, given: Given) -> Array:
    """Parameters of all runs, where they do not differ."""
    if given.vector is not None:
        return given.vector
    values = {**plant.parameters, **given.shared}
    return np.array(list(values.values()), dtype=np.float64)


def _input_row(plants: Plants, at: Mapping[str, Conditions]) -> Array:
    """All inputs of a plant, in the order of its table."""
    values: dict[str, float] = {}
    for name, plant in plants.items():
        efforts = zip((f"{c}.tau" for c in plant.coordinates), at[name].tau, strict=True)
        inputs = zip(plant.inputs, at[name].inputs.at(0.0), strict=True)
        for key, value in (*efforts, *inputs):
            values.setdefault(key, float(value))
    return np.array([values[quantity.name] for quantity in plant_unit(plants).table.inputs])


def _state_rows(plant: BarePlant, inputs: Given, z: Array) -> Array:
    """States of laws at the start; a filtered drive rests where its input is."""
    index = {state.name: k for k, state in enumerate(plant.mechanism.states)}
    rows = z
    for drive in plant.mechanism.drives:
        if drive.states and drive.inputs[0].name in inputs.columns:
            column = inputs.columns[drive.inputs[0].name]
            rows = np.tile(z, (len(column), 1)) if rows.ndim == 1 else rows
            rows[:, index[drive.states[0].name]] = column
    return rows


def _kind(plant: BarePlant, given: _Arguments, rows: StartRows) -> str:
    """How the loops of each run are closed at its start."""
    if plant.loops is None:
        return "closed"
    if given.q.is_whole:
        _check_independent(plant, given.qd, allow_whole=True)
        return "whole" if given.qd.is_whole else "near"
    differs = any(each.ndim == 2 for each in (rows.q, rows.qd, rows.parameters, rows.inputs))
    shared = given.parameters.shared or given.parameters.vector is not None
    if not (differs or shared):
        return "closed"
    for each in (given.q, given.qd):
        _check_independent(plant, each)
    if given.qd.common is None and not given.qd.columns:
        _check_declared(plant)
    return "led"


def _check_independent(plant: BarePlant, given: Given, allow_whole: bool = False) -> None:
    """Runs that differ are led by their independent coordinates.

    Raises:
        InputError: others were given.
    """
    loops = plant.loops
    assert loops is not None
    free = loops.independent
    fix = f"Give independent coordinates by name: {', '.join(free)}."
    if allow_whole and given.is_whole:
        return
    if given.is_whole or given.vector is not None:
        raise InputError(
            f"{given.what} of model '{plant.name}' is a whole vector, but its loops are closed "
            "anew in each run",
            fix=fix,
        )
    for name in (*given.shared, *given.columns):
        if name not in free:
            raise InputError(
                f"{given.what} of '{name}' follows from the loops of model '{plant.name}' in each "
                "run",
                fix=fix,
            )


def _check_declared(plant: BarePlant) -> None:
    loops = plant.loops
    assert loops is not None
    for body in plant.mechanism.bodies:
        joint = body.joint
        if joint.declared[1] and joint.initial[1] != 0.0 and joint.name not in loops.independent:
            raise InputError(
                f"model '{plant.name}' declares a velocity of '{joint.name}', which follows from "
                "the loops in each run",
                fix=f"Give qd of independent coordinates: {', '.join(loops.independent)}.",
            )


# the runs


def _run(
    plants: Plants,
    at: Mapping[str, Conditions],
    starts: Starts,
    schedule: FixedSteps | AdaptiveSteps,
    count: int,
) -> tuple[ManyRuns, bool, tuple[System, ...]]:
    threads = min(cores(), count)
    step = step_of(schedule)
    atol = _tolerances(plants, at, schedule) if isinstance(schedule, AdaptiveSteps) else None
    workers = [make_systems(plants, at, schedule.method, None, step) for _ in range(threads)]
    names = {c for plant in plants.values() for c in plant.coordinates}
    shape = (count, len(_times(schedule)), len(names))
    with ProgressLine() as line:
        found, broken = run_many(
            [systems[0].instance for systems in workers],
            table_of_all(workers[0]),
            starts,
            schedule,
            atol,
            shape,
            lambda part: line.say(f"simulating: {round(part * count)} of {count} runs"),
        )
    return found, broken, workers[0]


def _tolerances(plants: Plants, at: Mapping[str, Conditions], schedule: AdaptiveSteps) -> Array:
    """Absolute tolerances in natural units, shape (modes, choices, largest x)."""
    rows: list[list[Array]] = []
    for name, plant in plants.items():
        loops = plant.loops
        known = [None] if loops is None else [loops.with_partition(p) for p in loops.known]
        rows.append(
            [schedule.atol * make_system(plant, at[name], None, k).scales.sizes for k in known]
        )
    shape = len(rows), max(map(len, rows)), max(len(row) for mode in rows for row in mode)
    table = np.full(shape, float(np.max(schedule.atol)))
    for m, mode in enumerate(rows):
        for k, row in enumerate(mode):
            table[m, k, : len(row)] = row
    return table


def _reasons(
    systems: tuple[System, ...], names: tuple[str, ...], found: ManyRuns, step: float
) -> dict[int, str]:
    """Why runs failed, by number."""
    return {
        int(run): _reason(systems, names, found, int(run), step)
        for run in np.flatnonzero(found.status != Status.OK)
    }


def _reason(
    systems: tuple[System, ...], names: tuple[str, ...], found: ManyRuns, run: int, step: float
) -> str:
    status, t, about = Status(int(found.status[run])), found.reached[run], int(found.beyond[run])
    if status == Status.STOPPED:
        return "STOPPED: interrupted" + (f" at t = {t:.6g} s" if math.isfinite(t) else "")
    plant, loops = systems[0].plant, systems[0].loops
    if status == Status.LOOP_OPEN:
        loop = ""
        if loops is not None and 0 <= about < len(loops.partition.rows):
            loop = f" (loop '{loops.loop_of(about)}')"
        if not math.isfinite(t):
            return f"LOOP_OPEN: its loops cannot be closed at the start{loop}"
        return (
            f"LOOP_OPEN: its loops cannot be closed after t = {t:.6g} s{loop}; a singular "
            "position, beyond reach, or steps that are too long"
        )
    when = f"after t = {t:.6g} s" if math.isfinite(t) else "at the start"
    if status == Status.OUT_OF_BOUNDS and 0 <= about < 2 * len(names):
        n = len(names)
        return f"OUT_OF_BOUNDS: {plant.bounds.words(names[about % n], about >= n)} {when}"
    words = {
        Status.DIVERGED: f"a state is not finite {when}; a step smaller than {step:g} s may help",
        Status.STEP_TOO_SMALL: f"it needs steps that are too small {when}",
        Status.TOO_MANY_STEPS: f"it needs too many steps {when}",
        Status.CHATTERING: f"too many events in one step {when}",
        Status.INDICATOR_LOST: f"what an event watches is not finite {when}",
    }
    return f"{status.name}: {words.get(status, f'it ended {when}')}"
