"""`simulate(..., sensitivities=[...])`: a run, then its steps once more with their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.plant import Array, BarePlant, Signal
from inloop.plant.variation.code import LANES
from inloop.plant.variation.names import TIME, refuse_rough, roles_of
from inloop.plant.variation.varied_system import VariedSamples, VariedSystem
from inloop.simulate.inputs import read_inputs
from inloop.simulate.results.result import Result
from inloop.simulate.schedules import fixed
from inloop.simulate.sensitivities.directions import (
    Directions,
    read_directions,
    start_changes,
    start_names,
)
from inloop.simulate.sensitivities.event_changes import Moment, Surroundings, VariedMode
from inloop.simulate.sensitivities.moded_run import ModedRun, refuse_inputs, varied_modes
from inloop.simulate.sensitivities.result import Sensitivities
from inloop.simulate.sensitivities.smooth_run import TABLEAUS, Given, Leg, run_leg
from inloop.simulate.start import first_internal_states, vector

MOST_NAMED = 6  # laws in a note
SAME = 1e-6  # of the largest value: as far as the run and its repetition may be apart


@dataclass(frozen=True)
class RunArguments:
    """What a run was given, as far as its derivatives need to know.

    Attributes:
        t_end, step, sample: as for `simulate` [s].
        q, qd: start values, by name or as vectors.
        tau, inputs: efforts and inputs.
        motions: of driven joints.
    """

    t_end: float
    step: float
    sample: float | None = None
    q: Mapping[str, float] | Array | None = None
    qd: Mapping[str, float] | Array | None = None
    tau: Mapping[str, float] | Array | None = None
    inputs: Mapping[str, float | Signal] | None = None
    motions: Mapping[str, Signal] | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> RunArguments:
        """From the arguments of `simulate`, those of motions by the names of joints among them."""
        if given.get("start") is not None:
            raise InputError(
                "derivatives of a run that continues another one are not available",
                fix="Leave start out: give q and qd of its last sample.",
            )
        known = {f.name for f in fields(cls)}
        own = {name: value for name, value in given.items() if name in known}
        return cls(**{"step": 1e-3, **own})


def simulate_sensitive(
    plant: BarePlant, run: Callable[[], Result], names: Sequence[str], given: Mapping[str, Any]
) -> Result:
    """A run with its derivatives.

    Args:
        plant: the compiled mechanism.
        run: simulates it.
        names: what to differentiate by.
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
        arguments: what the run was given.

    Raises:
        InputError: there is no such name, or derivatives of such a run are not available.
        SimulationError: they cannot be found.
    """
    modes: Mapping[str, BarePlant] = plant.by_mode or {plant.name: plant}
    for each in modes.values():
        refuse_rough(each)
    refuse_steps(plant, result, arguments)
    first = modes[result.modes[0]] if plant.by_mode else plant
    directions = read_directions(first, names, start_names(first))
    found = [
        _moded_group(modes, result, group, arguments)
        if plant.by_mode
        else _group(plant, result, group, arguments)
        for group in groups(directions, LANES[-1])
    ]
    signals, values = found[0][0], np.concatenate([f[1] for f in found], axis=2)
    told = Sensitivities(directions.names, signals, values)
    switches = [name for f in found for name in f[2]]
    return with_note(replace(result, sensitivities=told), switches)


def with_note(result: Result, switches: Iterable[str]) -> Result:
    """A result that tells of laws whose forces may jump; the same one if there are none."""
    names = list(dict.fromkeys(switches))
    if not names:
        return result
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    note = (
        f"{', '.join(names[:MOST_NAMED])}{more}: numbers are compared or their sign is taken. "
        "Derivatives are those of the steps; where a force jumps they leave out that the time of "
        "the jump changes: compare them with differences of runs, or declare the jump as an event"
    )
    return replace(result, notes=(*result.notes, note))


def groups(directions: Directions, most: int) -> list[Directions]:
    """Directions that share a pass."""
    names = directions.names
    parts = [names[k : k + most] for k in range(0, len(names), most)]
    return [Directions(p, tuple(n for n in p if n in directions.varied)) for p in parts]


def refuse_steps(plant: BarePlant, result: Result, arguments: RunArguments) -> None:
    """Refuse runs whose steps have no derivatives that are known here.

    Raises:
        InputError: says why.
    """
    why, fix = "", ""
    if result.tolerance is not None:
        why = "chose its steps by a tolerance, which have no derivatives"
        fix = "Give a step and method='rk4' or 'dopri' without a tolerance."
    elif result.method not in TABLEAUS:
        why = f"was integrated by '{result.method}'"
        fix = f"Give a method whose derivatives are known: {', '.join(TABLEAUS)}."
    elif arguments.motions:
        why, fix = "was given motions of driven joints", "Declare them in the model: m.drive(...)."
    elif len(result.partitions) > 1:
        why = "passed a position where other coordinates had to become independent"
        fix = "End it before, or start elsewhere."
    if why:
        raise InputError(f"sensitivities: the run of model '{plant.name}' {why}", fix=fix)


def _group(
    plant: BarePlant, result: Result, directions: Directions, arguments: RunArguments
) -> tuple[tuple[str, ...], Array, tuple[str, ...]]:
    """Signals, their derivatives along directions that share a pass, and laws that switch."""
    roles = roles_of(plant, result.partitions[0] if result.partitions else None)
    system = VariedSystem.forward(plant, roles, directions.varied, len(directions.names))
    inputs = read_inputs(plant, arguments.inputs or {})
    tau = vector(plant, arguments.tau, [0.0] * plant.n, "tau")
    given = Given(inputs, tau, directions.of_varied())
    u = inputs.at(0.0)
    state = system.packed(result.q[0], result.qd[0], first_internal_states(plant, u))
    at, kept = (0.0, u, tau), kept_values(plant, arguments)
    dx = start_changes(system, directions, at, state, kept, given.dg)
    t, samples = _all_legs(system, result.method, arguments, given, (*state, dx))
    y, dy = system.tell(
        t, inputs.over(t) if inputs.function is not None else inputs.constant, tau, samples,
        given.dg,
    )  # fmt: skip
    check_same(plant.name, result, system.code.observed, y)
    return system.code.observed, dy, system.code.switches


def _moded_group(
    modes: Mapping[str, BarePlant],
    result: Result,
    directions: Directions,
    arguments: RunArguments,
) -> tuple[tuple[str, ...], Array, tuple[str, ...]]:
    """The same for a mechanism with modes; what a mode does not have is NaN."""
    first = str(result.modes[0])
    inputs = {m: read_inputs(p, _known(arguments.inputs, p.inputs)) for m, p in modes.items()}
    refuse_inputs(modes, inputs)
    efforts = {
        m: vector(p, _known(arguments.tau, p.coordinates), [0.0] * p.n, "tau")
        for m, p in modes.items()
    }
    count = len(directions.names)
    varied = varied_modes(modes, result, directions.varied, count)
    system = varied[first].system
    u = {m: given.constant for m, given in inputs.items()}
    dg = np.vstack([directions.of_varied(), np.zeros((1, count))])
    names = (*directions.varied, TIME)
    around = Surroundings(modes, u, efforts, names, dg)
    plant = modes[first]
    state = system.packed(
        result.q[0, : plant.nq], result.qd[0, : plant.n], first_internal_states(plant, u[first])
    )
    at, kept = (0.0, u[first], efforts[first]), kept_values(plant, arguments)
    dx = start_changes(system, directions, at, state, kept, dg)
    schedule = fixed(arguments.t_end, arguments.step, result.method, arguments.sample)
    run = ModedRun(varied, result, schedule, around)
    run.go(first, Moment(0.0, *state, dx))
    switches = tuple(name for m in varied.values() for name in m.system.code.switches)
    return *_told(run, varied, result, around), switches


def _told(
    run: ModedRun, modes: Mapping[str, VariedMode], result: Result, around: Surroundings
) -> tuple[tuple[str, ...], Array]:
    names = tuple(dict.fromkeys(n for m in modes.values() for n in m.system.code.observed))
    values = np.full((len(run.rows), len(names)), np.nan)
    changes = np.full((len(run.rows), len(names), around.dg.shape[1]), np.nan)
    for mode, varied in modes.items():
        rows = [k for k, row in enumerate(run.rows) if row[0] == mode]
        if not rows:
            continue
        own = [run.rows[k][1] for k in rows]
        samples = VariedSamples(
            *(np.array([getattr(a, x) for a in own]) for x in ("x", "dep", "dx"))
        )
        t = np.array([a.t for a in own])
        y, dy = varied.system.tell(t, around.u[mode], around.tau[mode], samples, around.dg)
        places = [names.index(name) for name in varied.system.code.observed]
        values[np.ix_(rows, places)], changes[np.ix_(rows, places)] = y, dy
    check_same(result.name, result, names, values)
    return names, changes


def _known(given: Any, names: Sequence[str]) -> Any:
    return {k: v for k, v in given.items() if k in names} if isinstance(given, Mapping) else given


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
    found, t = run_leg(system, tableau, leg, given, start), leg.times
    if whole < schedule.steps:
        left = schedule.steps - whole
        rest = Leg(whole * schedule.step, schedule.step, left, left)
        last = found.x[-1], found.dep[-1], found.dx[-1]
        more = run_leg(system, tableau, rest, given, last)
        found = VariedSamples(
            np.concatenate([found.x, more.x[1:]]),
            np.concatenate([found.dep, more.dep[1:]]),
            np.concatenate([found.dx, more.dx[1:]]),
        )
        t = np.concatenate([t, rest.times[1:]])
    return t, found


def kept_values(plant: BarePlant, arguments: RunArguments) -> tuple[list[int], list[int]]:
    """Coordinates whose positions and whose velocities the start keeps, the first ones first."""
    formulation, n = plant.formulation, plant.n
    driven, free = list(formulation.driven_indices), list(formulation.partition.independent)

    def named(given: Mapping[str, float] | Array | None) -> list[int]:
        if given is None:
            return []
        if not isinstance(given, Mapping):
            return free
        return [k for name in given for k in plant.equations.places(name, n)]

    declared = [k for k in formulation.declared if k < n]
    q = [*driven, *named(arguments.q), *declared, *free, *range(n)]
    joints = [body.joint for body in plant.mechanism.bodies]
    told = [k for k in range(n) if joints[k].declared[1]]
    moving = [k for k in told if joints[k].initial[1] != 0.0]
    qd = [*driven, *named(arguments.qd), *moving, *told, *free, *range(n)]
    return [k for k in dict.fromkeys(q) if k not in driven], [
        k for k in dict.fromkeys(qd) if k not in driven
    ]


def check_same(model: str, result: Result, names: Sequence[str], y: Array) -> None:
    """The repetition of a run must be that run.

    Raises:
        SimulationError: it is not.
    """
    for k, name in enumerate(result.coordinates):
        for kind, wanted in (("q", result.q[:, k]), ("qd", result.qd[:, k])):
            mine = y[:, names.index(f"{name}.{kind}")]
            both = np.isfinite(wanted)
            size = max(1e-3, float(np.abs(wanted[both]).max(initial=0.0)))
            off = np.inf
            if mine.shape == wanted.shape:
                off = float(np.abs(mine - wanted)[both].max(initial=0.0))
            if not off <= SAME * size:
                raise SimulationError(
                    f"derivatives of model '{model}' would be those of another run: "
                    f"'{name}.{kind}' differs by {off:.3g}",
                    fix="Use a shorter step or a shorter run, or stay away from singular "
                    "positions.",
                )
