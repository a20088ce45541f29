"""`simulate(..., sensitivities=[...])`: a run, then its steps repeated with derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inloop.errors import first_of
from inloop.plant import Array, BarePlant
from inloop.plant.variation.code import LANES
from inloop.plant.variation.names import refuse_rough, roles_of
from inloop.plant.variation.varied_system import VariedSamples, VariedSystem
from inloop.simulate.inputs import read_inputs
from inloop.simulate.results.result import Result
from inloop.simulate.schedules import fixed
from inloop.simulate.sensitivities.corner_notes import (
    MOST_NAMED,
    PassedCorner,
    corner_notes,
    passed_corners,
)
from inloop.simulate.sensitivities.derived import Derived
from inloop.simulate.sensitivities.directions import (
    Directions,
    read_directions,
    start_changes,
    start_names,
)
from inloop.simulate.sensitivities.event_changes import Surroundings, VariedMode
from inloop.simulate.sensitivities.moded_run import ModedRun
from inloop.simulate.sensitivities.moded_start import moded_start
from inloop.simulate.sensitivities.result import Sensitivities
from inloop.simulate.sensitivities.run_arguments import (
    SAME,
    TOUCHING,
    Apart,
    RunArguments,
    check_same,
    refuse_steps,
)
from inloop.simulate.sensitivities.smooth_run import TABLEAUS, Given, Leg, run_leg
from inloop.simulate.sensitivities.touching.repeated import (
    has_known_contacts,
    refuse_touched,
    touched,
)
from inloop.simulate.start import first_internal_states, vector

RADAU_NAME = "Radau's method of order 5"


def simulate_sensitive(
    plant: BarePlant, run: Callable[[], Result], names: Sequence[str], given: Mapping[str, Any]
) -> Result:
    """A run with its derivatives.

    Args:
        plant: the compiled mechanism.
        run: simulates it.
        names: quantities of differentiation.
        given: arguments of `simulate`, by name.
    """
    return with_sensitivities(plant, run(), names, RunArguments.of(given))


def with_sensitivities(
    plant: BarePlant, result: Result, names: Sequence[str], arguments: RunArguments
) -> Result:
    """The result of a run, with its derivatives.

    Args:
        plant: the compiled mechanism.
        result: of the run.
        names: live parameters, start values ("<joint>.q", "<joint>.qd", states of laws) and inputs.
        arguments: arguments of the run.

    Raises:
        InputError: there is no such name, or derivatives of such a run are not available.
        SimulationError: they cannot be computed.
    """
    modes: Mapping[str, BarePlant] = plant.by_mode or {plant.name: plant}
    if has_known_contacts(plant):
        return _with_contacts(plant, result, names, arguments)
    for each in modes.values():
        refuse_rough(each)
    refuse_steps(plant, result, arguments)
    first = modes[result.modes[0]] if plant.by_mode else plant
    directions = read_directions(first, names, start_names(first))
    parts = [
        _moded_group(modes, result, group, arguments)
        if plant.by_mode
        else _group(plant, result, group, arguments)
        for group in groups(directions, LANES[-1])
    ]
    values = [part.changes for part in parts]
    whole = values[0] if len(values) == 1 else np.concatenate(values, axis=2)
    sensitivities = Sensitivities(directions.names, parts[0].signals, whole)
    switches = [name for part in parts for name in part.switches]
    corners = [corner for part in parts for corner in part.corners]
    notes = (*result.notes, *corner_notes(corners))
    return with_notes(
        replace(result, sensitivities=sensitivities, notes=notes), switches, parts[0].apart
    )


def _with_contacts(
    plant: BarePlant, result: Result, names: Sequence[str], arguments: RunArguments
) -> Result:
    """The same with hard contacts: the motion, from event to event."""
    refuse_touched(plant, result, arguments)
    directions = read_directions(plant, names, start_names(plant))
    parts = [touched(plant, result, part, arguments) for part in groups(directions, LANES[-1])]
    values = np.concatenate([part.changes for part in parts], axis=2)
    sensitivities = Sensitivities(directions.names, parts[0].signals, values)
    return with_notes(
        replace(result, sensitivities=sensitivities), parts[0].switches, parts[0].apart
    )


def with_notes(result: Result, switches: Iterable[str], apart: Apart) -> Result:
    """A result with notes on laws whose forces may jump, and on steps that are not its own."""
    names, notes = list(dict.fromkeys(switches)), []
    if names:
        notes.append(
            f"{first_of(names, MOST_NAMED)}: numbers are compared or their sign is "
            "taken. Derivatives are those of the steps; where a force jumps, they ignore "
            "that the time of the jump changes: check them against finite differences of "
            "runs, or declare the jump as an event"
        )
    if apart.share > SAME:
        notes.append(
            f"derivatives are those of the motion, {_repetition(result.method)}, which differ "
            f"from the run by '{result.method}' by {apart.share:.2g} of the largest "
            f"'{apart.signal}'"
        )
    return replace(result, notes=(*result.notes, *notes)) if notes else result


def _repetition(method: str) -> str:
    """How the motion was repeated, in words."""
    if method in TOUCHING:
        return "by steps from event to event of its contacts"
    implicit = TABLEAUS[method].implicit
    return f"by equal steps of {method if not implicit else RADAU_NAME}"


def groups(directions: Directions, most: int) -> list[Directions]:
    """Directions in groups that share a pass."""
    names = directions.names
    parts = [names[k : k + most] for k in range(0, len(names), most)]
    return [Directions(p, tuple(n for n in p if n in directions.varied)) for p in parts]


def _group(
    plant: BarePlant, result: Result, directions: Directions, arguments: RunArguments
) -> Derived:
    """Derivatives along directions that share a pass."""
    roles = roles_of(plant, result.partitions[0] if result.partitions else None)
    system = VariedSystem.forward(
        plant, roles, directions.varied, len(directions.names), TABLEAUS[result.method].implicit
    )
    inputs = read_inputs(plant, arguments.inputs or {})
    tau = vector(plant, arguments.tau, [0.0] * plant.n, "tau")
    given = Given(inputs, tau, directions.of_varied())
    u = inputs.at(0.0)
    state = system.packed(result.q[0], result.qd[0], first_internal_states(plant, u))
    dx = start_changes(system, directions, (0.0, u, tau), state, arguments, given.dg)
    t, samples = _all_legs(system, result.method, arguments, given, (*state, dx))
    y, dy = system.observe_samples(
        t, inputs.over(t) if inputs.function is not None else inputs.constant, tau, samples,
        given.dg,
    )  # fmt: skip
    code = system.code
    apart = check_same(plant.name, result, dict(zip(code.observed, y.T, strict=True)))
    corners = passed_corners(system, samples.dx)
    return Derived(code.observed, dy, code.switches, apart, tuple(corners))


def _moded_group(
    modes: Mapping[str, BarePlant],
    result: Result,
    directions: Directions,
    arguments: RunArguments,
) -> Derived:
    """The same for a mechanism with modes; signals that a mode lacks are NaN."""
    begin = moded_start(modes, result, directions, arguments)
    schedule = fixed(arguments.t_end, arguments.step, result.method, arguments.sample)
    run = ModedRun(begin.modes, result.method, result.events, schedule, begin.around)
    run.go(begin.mode, begin.at)
    return _derived(run, begin.modes, result, begin.around)


def _derived(
    run: ModedRun, modes: Mapping[str, VariedMode], result: Result, around: Surroundings
) -> Derived:
    names = tuple(dict.fromkeys(n for m in modes.values() for n in m.system.code.observed))
    values = np.full((run.count, len(names)), np.nan)
    changes = np.full((run.count, len(names), around.dg.shape[1]), np.nan)
    corners: list[PassedCorner] = []
    for mode, varied in modes.items():
        own = run.samples_in(mode)
        if own is None:
            continue
        given = around.given[mode]
        u = given.constant if given.function is None else given.over(own.t)
        y, dy = varied.system.observe_samples(own.t, u, around.tau[mode], own.samples, around.dg)
        places = np.array([names.index(name) for name in varied.system.code.observed])
        values[np.ix_(own.rows, places)], changes[np.ix_(own.rows, places)] = y, dy
        corners += passed_corners(varied.system, own.samples.dx)
    apart = check_same(result.name, result, dict(zip(names, values.T, strict=True)))
    switches = tuple(name for m in modes.values() for name in m.system.code.switches)
    return Derived(names, changes, switches, apart, tuple(corners))


def _all_legs(
    system: VariedSystem,
    method: str,
    arguments: RunArguments,
    given: Given,
    start: tuple[Array, Array, Array],
) -> tuple[Array, VariedSamples]:
    """Times and samples of the whole run; the last state is always one of them."""
    schedule = fixed(arguments.t_end, arguments.step, method, arguments.sample)
    stride = min(schedule.stride, max(schedule.steps, 1))
    whole = schedule.steps // stride * stride
    tableau = TABLEAUS[method]
    leg = Leg(0.0, schedule.step, whole, stride)
    samples, t = run_leg(system, tableau, leg, given, start), leg.times
    if whole < schedule.steps:
        left = schedule.steps - whole
        rest = Leg(whole * schedule.step, schedule.step, left, left)
        last = samples.x[-1], samples.dep[-1], samples.dx[-1]
        more = run_leg(system, tableau, rest, given, last)
        samples = VariedSamples(
            np.concatenate([samples.x, more.x[1:]]),
            np.concatenate([samples.dep, more.dep[1:]]),
            np.concatenate([samples.dx, more.dx[1:]]),
        )
        t = np.concatenate([t, rest.times[1:]])
    return t, samples
