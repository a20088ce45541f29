"""Many runs ready for distribution: checked, with shared data in plain form."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import AdaptiveSteps, FixedSteps
from inloop.native.running.many import ManyWork, Starts
from inloop.native.running.recipe import InstanceRecipe, ModeRecipe, TapeRecipe, written_numbers
from inloop.plant import Array, BarePlant
from inloop.plant.controlling import controller_of
from inloop.plant.unit import PlantUnit, common_name, plant_unit
from inloop.simulate.choice import FIRST, method_at_start, with_tolerance
from inloop.simulate.controlled.compiled import check_step
from inloop.simulate.inputs import Inputs
from inloop.simulate.judging.pulses import pulse_doubts, shortest_pulse, with_pulses
from inloop.simulate.machine import simulate_modes
from inloop.simulate.many.arguments import count_runs
from inloop.simulate.many.starts import (
    Arguments,
    Plants,
    check_formulas,
    check_values,
    moved_starts,
    shared_conditions,
    starts_of,
)
from inloop.simulate.run import simulate
from inloop.simulate.schedules import METHODS, SCIPY, adaptive, fixed, step_of
from inloop.simulate.systems import Conditions, System, make_systems

Schedule = FixedSteps | AdaptiveSteps
# suffix of the name of a varied value, by argument
SUFFIXES = {"q": ".q", "qd": ".qd", "tau": ".tau", "inputs": "", "parameters": ""}


@dataclass(frozen=True)
class Order:
    """Many runs of one plant.

    Attributes:
        plant: the compiled mechanism.
        unit: its library.
        systems: its modes, as in the runs.
        given: arguments of the user.
        count: number of runs.
        starts: starts of the runs.
        work: data shared by the runs.
        method, tolerance: as in the result.
        step: as given by the user [s].
        notes: doubts about the first run, in words.
    """

    plant: BarePlant
    unit: PlantUnit
    systems: tuple[System, ...]
    given: Arguments
    count: int
    starts: Starts
    work: ManyWork
    method: str
    tolerance: float | None
    step: float
    notes: tuple[str, ...]

    @property
    def plants(self) -> Plants:
        """Modes by name."""
        return self.plant.by_mode or {self.plant.name: self.plant}

    @property
    def name(self) -> str:
        """Name of the model."""
        return common_name(self.plants)

    @functools.cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinates of all modes."""
        return _coordinates(self.plants)

    @functools.cached_property
    def positions(self) -> tuple[str, ...]:
        """Columns of q: coordinates as "<name>.q", components of quaternions."""
        turning = self.plant.positions[self.plant.n :]
        return (*(f"{name}.q" for name in self.coordinates), *turning)

    @property
    def t(self) -> Array:
        """Times of the samples [s]."""
        return _times(self.work.schedule)

    @functools.cached_property
    def varied(self) -> dict[str, Array]:
        """Varied values by name, such as "rod.mass" or "rod.q", shape (runs,) each."""
        return {
            name + suffix: column
            for kind, suffix in SUFFIXES.items()
            for name, column in getattr(self.given, kind).columns.items()
        }


def make_order(
    plant: BarePlant,
    given: Arguments,
    runs: int | None,
    *,
    t_end: float,
    step: float,
    method: str | None,
    sample: float | None,
    tolerance: float | None,
) -> Order:
    """Check all arguments, choose the method, find the starts; arguments as for `simulate_many`.

    Raises:
        InputError: invalid arguments.
    """
    plants = plant.by_mode or {plant.name: plant}
    if tolerance is None:
        check_step(plants, step)
    count = count_runs(runs, list(vars(given).values()))
    check_values(plants, given)
    check_formulas(plants, given.parameters)
    notes: tuple[str, ...] = ()
    # report invalid steps before anything runs
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
    pulse = shortest_pulse(plants, at, schedule)
    schedule = with_pulses(schedule, pulse)
    notes = (*pulse_doubts(schedule, pulse), *notes)
    starts = starts_of(plants, given, at, t_end)
    notes = (*notes, *moved_starts(plants, given, starts))
    systems = make_systems(plants, at, schedule.method, None, step_of(schedule), patient=True)
    unit = plant_unit(plants)
    work = ManyWork(
        _recipe(unit, systems, at, schedule),
        starts.known,
        starts.kind,
        schedule,
        _tolerances(plants, at, schedule) if isinstance(schedule, AdaptiveSteps) else None,
        len(_times(schedule)),
        len(_coordinates(plants)),
        _turning(plants, unit),
    )
    return Order(plant, unit, systems, given, count, starts, work, method, tolerance, step, notes)


def _coordinates(plants: Plants) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c for each in plants.values() for c in each.coordinates))


# the schedule


def _schedule(
    t_end: float, step: float, method: str, sample: float | None, tolerance: float | None
) -> Schedule:
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


def _times(schedule: Schedule) -> Array:
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
    """The method that `simulate` chooses for the first run, with its tolerance, and its doubts."""
    if controller_of(plant.by_mode or {plant.name: plant}) is not None:
        # as in real time
        inputs = given.inputs.first()
        values = inputs if isinstance(inputs, Mapping) else {}
        chosen = method_at_start(plant, given.q.first(), given.qd.first(), values, step)
        return chosen, None, ()
    options: dict[str, Any] = {"t_end": t_end, "step": step}
    options |= {name: getattr(given, name).first() for name in ("q", "qd", "tau", "inputs")}
    try:
        if plant.by_mode:
            tried = simulate_modes(plant.by_mode, **options)
        else:
            tried = simulate(plant, **options)
    except (SimulationError, InputError):
        # run 0 is reported as failed, with its reason
        return FIRST, None, ()
    return tried.method, tried.tolerance, tuple(f"run 0: {doubt}" for doubt in tried.doubts)


# data shared by the runs


def _recipe(
    unit: PlantUnit, systems: tuple[System, ...], at: Mapping[str, Conditions], schedule: Schedule
) -> InstanceRecipe:
    """The instance of these systems as plain data."""
    modes = []
    for number, (system, conditions) in enumerate(zip(systems, at.values(), strict=True)):
        choice, roles = system.choice
        numbers = written_numbers(system.instance, number)
        modes.append(ModeRecipe(choice, roles, numbers, _tape(conditions.inputs)))
    first = systems[0].plant
    return InstanceRecipe(
        unit.function,
        schedule.method,
        step_of(schedule) or 0.0,
        first.parameters.values_array.copy(),
        tuple(modes),
        tuple(system.size for system in systems),
    )


def _tape(inputs: Inputs) -> TapeRecipe | None:
    if inputs.function is None:
        return None
    return TapeRecipe(**vars(inputs.function.tape), places=inputs.places)


def _turning(plants: Plants, unit: PlantUnit) -> range:
    """Indices of outputs of the unit that are components of quaternions."""
    plant = next(iter(plants.values()))
    names, outputs = plant.positions[plant.n :], unit.table.outputs
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
        # a choice made at run time follows them, with the smallest units
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
    units = sizes.copy()
    units[:n] = units[end:] = places.min(initial=np.inf)
    units[n:z] = sizes[n:z].min(initial=np.inf)
    return units
