"""Many runs of a plant on all cores: other start values, parameters and inputs in each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import AdaptiveSteps, FixedSteps, Status
from inloop.native.progress import ProgressLine
from inloop.native.running.many import ManyRuns, Starts, cores, run_many
from inloop.plant import Array, BarePlant
from inloop.plant.controlling import controller_of
from inloop.plant.keywords import checked_call
from inloop.plant.unit import common_name, plant_unit
from inloop.simulate.choice import FIRST, method_at_start, with_tolerance
from inloop.simulate.controlled.compiled import check_step, inputs_led_by_plant, refuse_led
from inloop.simulate.machine import simulate_modes
from inloop.simulate.many.arguments import Columns, check_each, count_runs
from inloop.simulate.many.result import ManyResult
from inloop.simulate.many.starts import (
    Arguments,
    Plants,
    read_arguments,
    shared_conditions,
    starts_of,
)
from inloop.simulate.run import simulate
from inloop.simulate.schedules import METHODS, SCIPY, adaptive, fixed, step_of
from inloop.simulate.systems import Conditions, System, make_systems, table_of_all

MOST_NUMBERS = 2e9  # of q, and as many of qd: 32 GB


@checked_call
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
    with the same start, step and method, as long as independent coordinates need not change; runs
    are not judged one by one as `plant.simulate` judges its own.

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
        tolerance: relative error per step; then "dopri", "rodas", "alpha" choose their own steps.

    Raises:
        InputError: arguments are of no use.
        KeyboardInterrupt: Ctrl-C; `result` holds what was computed, other runs are STOPPED.
    """
    plants = plant.by_mode or {plant.name: plant}
    if tolerance is None:
        check_step(plants, step)
    given = read_arguments(plants, q, qd, tau, inputs, parameters)
    led = inputs_led_by_plant(plants)
    efforts, others = ((*each.shared, *each.columns) for each in (given.tau, given.inputs))
    refuse_led(led, [*(f"{name}.tau" for name in efforts), *others])
    count = count_runs(runs, list(vars(given).values()))
    check_each(given.parameters, plant.parameters.check_one)
    notes: tuple[str, ...] = ()
    # careless steps are told before anything runs
    schedule = _schedule(t_end, step, FIRST if method is None else method, sample, None)
    if method is None and tolerance is None:
        method, tolerance, notes = _default_method(plant, t_end, step, given)
    elif method is None:
        method = with_tolerance(list(plants.values()))
    if tolerance is not None:
        schedule = _schedule(t_end, step, method, sample, tolerance)
    else:
        schedule = replace(schedule, method=METHODS[method])
    at = shared_conditions(plants, given)
    starts = starts_of(plants, given, at, t_end)
    found, broken, systems = _run(plants, at, starts, schedule, count)
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
        method,
        tolerance,
        found.steps,
        notes,
        plant,
        starts.rows.parameters,
    )
    if broken:
        error = KeyboardInterrupt(
            f"interrupted after {count - result.status.count('STOPPED')} of {count} runs; "
            "error.result holds what was computed"
        )
        error.result = result  # type: ignore[attr-defined]
        raise error
    return result


# the schedule


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
    plant: BarePlant, t_end: float, step: float, given: Arguments
) -> tuple[str, float | None, tuple[str, ...]]:
    """The method that `simulate` takes for the first run, with its tolerance, and its doubts."""
    if controller_of(plant.by_mode or {plant.name: plant}) is not None:
        # as against the clock
        inputs = given.inputs.first()
        values = inputs if isinstance(inputs, Mapping) else {}
        found = method_at_start(plant, given.q.first(), given.qd.first(), values, step)
        return found, None, ()
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
    if math.prod(shape) > MOST_NUMBERS:
        raise InputError(
            f"{count} runs with {shape[1]} samples of {shape[2]} coordinates are more than "
            f"{MOST_NUMBERS:g} numbers",
            fix="Keep fewer samples: sample=..., or do the runs in parts.",
        )
    with ProgressLine() as line:
        found, broken = run_many(
            [systems[0].instance for systems in workers],
            table_of_all(workers[0]),
            starts,
            schedule,
            atol,
            shape,
            _turning(plants),
            lambda part: line.say(f"simulating: {round(part * count)} of {count} runs"),
        )
    return found, broken, workers[0]


def _turning(plants: Plants) -> range:
    """Which outputs of the unit are components of quaternions."""
    plant = next(iter(plants.values()))
    names, outputs = plant.positions[plant.n :], plant_unit(plants).table.outputs
    first = next((k for k, out in enumerate(outputs) if out.name in names[:1]), 0)
    return range(first, first + len(names))


def _tolerances(plants: Plants, at: Mapping[str, Conditions], schedule: AdaptiveSteps) -> Array:
    """Absolute tolerances in natural units, shape (modes, choices, largest x)."""
    rows: list[list[Array]] = []
    for name, plant in plants.items():
        formulation, number = plant.formulation, list(plants).index(name)
        known = [formulation.with_partition(parts) for parts in formulation.known]
        systems = [make_systems(plants, at, None, {name: k})[number] for k in known]
        sizes = [system.scales.sizes for system in systems]
        # the choice that is made while it runs stands behind them: there the smallest units count
        sizes.append(_smallest(sizes[0], systems[0].n, len(plant.mechanism.states)))
        rows.append([schedule.atol * row for row in sizes])
    shape = len(rows), max(map(len, rows)), max(len(row) for mode in rows for row in mode)
    table = np.full(shape, float(np.max(schedule.atol)))
    for m, mode in enumerate(rows):
        for k, row in enumerate(mode):
            table[m, k, : len(row)] = row
    return table


def _smallest(sizes: Array, n: int, states: int) -> Array:
    """The smallest unit of positions, and of velocities, in place of each of them."""
    z, end = 2 * n, 2 * n + states
    places = np.concatenate([sizes[:n], sizes[end:]])
    found = sizes.copy()
    found[:n] = found[end:] = places.min(initial=np.inf)
    found[n:z] = sizes[n:z].min(initial=np.inf)
    return found


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
    plant, formulation = systems[0].plant, systems[0].formulation
    if status == Status.LOOP_OPEN:
        loop = ""
        if 0 <= about < len(formulation.partition.rows):
            loop = f" (loop '{formulation.loop_of(about)}')"
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
        Status.CONTACT_JAMMED: f"contacts slide such that no finite forces keep them closed {when}",
        Status.CONTROLLER_FAILED: f"the controller gives values that are not finite {when}",
        Status.INDICATOR_LOST: f"what an event watches is not finite {when}",
    }
    return f"{status.name}: {words.get(status, f'it ended {when}')}"
