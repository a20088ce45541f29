"""Simulate a plant with the integrators of the native runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import AdaptiveSteps, FixedSteps, Snapshot, Status, run
from inloop.plant import Array, BarePlant, Signal
from inloop.simulate import observe
from inloop.simulate.inputs import Inputs, read_inputs
from inloop.simulate.limits import limit_notes
from inloop.simulate.progress import Progress
from inloop.simulate.reference import solve
from inloop.simulate.result import End, Result
from inloop.simulate.schedules import METHODS, SCIPY, adaptive, fixed
from inloop.simulate.start import first_internal_states, first_state, vector
from inloop.simulate.systems import ClosedSystem, Samples, TreeSystem, joined
from inloop.simulate.units import signal_units

STEPS_UNGUARDED = 3  # over a singular position


def simulate(
    plant: BarePlant,
    *,
    t_end: float,
    step: float = 1e-3,
    method: str = "rk4",
    q: Mapping[str, float] | Array | None = None,
    qd: Mapping[str, float] | Array | None = None,
    tau: Mapping[str, float] | Array | None = None,
    inputs: Mapping[str, float | Signal] | None = None,
    sample: float | None = None,
    tolerance: float | None = None,
    start: Result | None = None,
    motions: Mapping[str, Signal] | None = None,
    reactions: str | Sequence[str] = (),
) -> Result:
    """Integrate the equations of motion.

    Args:
        plant: the compiled mechanism.
        t_end: length of the run [s].
        step: step of the integrator [s]; shortened so that a whole number fits into t_end. With
            a tolerance: time between samples.
        method: "rk4", "euler" (symplectic), "dopri" (Dormand-Prince, order 5) or "rodas"
            (linearly implicit, order 4, for stiff laws); "scipy" for a slow reference by SciPy.
        q: coordinates at the start, by name or as a vector; else the joints' initial values.
            Coordinates given by name are kept when loops are closed.
        qd: velocities at the start; those of dependent coordinates follow.
        tau: constant joint efforts [N·m or N].
        inputs: by name, constants, functions of time, which are traced and compiled, or samples
            (times, values), through which a cubic spline runs. Where "<joint>.q" of a live drive
            is a function or samples, ".qd" and ".qdd" follow from it unless they are given. A
            filtered drive starts at rest where its input starts.
        sample: time between samples [s]; every step by default.
        tolerance: relative error per step; then "dopri" and "rodas" choose their own steps.
        start: an earlier result with the same step to continue from, up to t_end; the numbers are
            those of one uninterrupted run.
        motions: functions of time or samples for driven joints, by name; they take the place of
            motions in the model and of live inputs.

        reactions: joints whose forces and moments the result shall hold, as
            "<joint>.force.x", ..., "<joint>.moment.z" in world axes: names, or "all".

    Raises:
        SimulationError: the run cannot go on; `result` holds what was computed.
    """
    schedule: FixedSteps | AdaptiveSteps = fixed(t_end, step, method, sample)
    if tolerance is not None and method != SCIPY:
        schedule = adaptive(METHODS[method], t_end, tolerance, sample or step)
    efforts = vector(plant, tau, [0.0] * plant.n, "tau")
    continued = start.end if start is not None else None
    signals = read_inputs(plant, inputs or {}, continued.t if continued is not None else 0.0)
    drives = plant.drive_function(motions or {})
    joints = observe.chosen_joints(plant, reactions)
    if start is None:
        u = signals.at(plant, 0.0)
        z = first_internal_states(plant, u)
        begin = _beginning(plant, first_state(plant, q, qd, drives, u, z), z)
    elif q is None and qd is None and continued is not None:
        begin = continued
    else:
        raise InputError(
            "a run that continues another one begins where that one ended",
            fix="Give either start, or q and qd.",
        )
    if method == SCIPY and isinstance(schedule, FixedSteps):
        system = make_system(plant, efforts, signals, drives)
        found, end = _reference(system, begin, schedule, tolerance or 1e-9), None
        status, notes, blame = Status.OK, ["integrated by SciPy"], ""
    else:
        systems: list[TreeSystem | ClosedSystem] = []

        def make() -> TreeSystem | ClosedSystem:
            systems.append(make_system(plant, efforts, signals, drives))
            return systems[-1]

        try:
            status, found, end, notes = _run(plant, schedule, begin, make)
        finally:
            # the roles of the coordinates belong to a run: none is left behind for the next one
            if plant.loops is not None:
                plant.loops.use(plant.loops.first)
        blame = systems[-1].blame(float(found.t[-1]))
    outcome = _Outcome(found, status, tuple(notes), end)
    result = _result(plant, outcome, signals, efforts, joints)
    if status not in (Status.OK, Status.STOPPED):
        raise failed(result, step, blame)
    return result


@dataclass(frozen=True)
class _Outcome:
    """What came out of a run, before anything is computed from it."""

    samples: Samples
    status: Status
    notes: tuple[str, ...]
    end: End | None


def _result(
    plant: BarePlant, outcome: _Outcome, inputs: Inputs, tau: Array, reactions: Sequence[str]
) -> Result:
    found = outcome.samples
    return Result(
        name=plant.name,
        coordinates=plant.coordinates,
        t=found.t,
        q=found.q,
        qd=found.qd,
        energy=observe.energy(plant, found),
        status=outcome.status.name,
        signals={
            **found.signals,
            **observe.law_outputs(plant, found, inputs),
            **observe.reactions(plant, found, inputs, tau, reactions),
        },
        violation=found.violation,
        notes=(*outcome.notes, *limit_notes(plant, found.t, found.q)),
        end=outcome.end,
        units=signal_units(plant),
    )


def _reference(
    system: TreeSystem | ClosedSystem, begin: End, schedule: FixedSteps, tolerance: float
) -> Samples:
    """The same run by SciPy, on the same rates."""
    t_end = schedule.step * schedule.steps
    count = max(1, round(t_end / _spacing(schedule)))
    times = np.linspace(begin.t, t_end, count + 1)
    x = solve(system, system.start(begin.q, begin.qd, begin.z), times, tolerance)
    return system.expand(times, x)


def _beginning(plant: BarePlant, state: tuple[Array, Array], z: Array) -> End:
    """A fresh start at t = 0, with the first choice of independent coordinates."""
    q, qd = state
    partition = plant.loops.first if plant.loops is not None else None
    return End(0.0, q, qd, z, None, 0, partition, None)


def _run(
    plant: BarePlant,
    schedule: FixedSteps | AdaptiveSteps,
    begin: End,
    make: Callable[[], TreeSystem | ClosedSystem],
) -> tuple[Status, Samples, End, list[str]]:
    """Run to the end, with other independent coordinates whenever those in use become bad."""
    pieces: list[Samples] = []
    notes: list[str] = []
    now, guarded, progress = begin, True, Progress()
    if plant.loops is not None and now.partition is not None:
        plant.loops.use(now.partition)
    while True:
        system = make()
        x = system.start(now.q, now.qd, now.z, guarded=guarded)
        part = _part(schedule, now, guarded)
        # a state of the stepper that is known to the last bit is taken as it is
        if now.x is not None:
            x = now.x
            system.limits = now.limits
        limits = system.limits
        done = run(system.system, _from(x, now, part), part, watch=progress)
        piece = system.expand(done.t, done.x)
        pieces.append(piece)
        status = Status(done.status)
        now = End(
            float(piece.t[-1]),
            piece.q[-1],
            piece.qd[-1],
            piece.z[-1],
            done.x[-1],
            now.steps + done.steps,
            plant.loops.partition if plant.loops is not None else None,
            limits,
        )
        more = status == Status.OK and not guarded and now.steps < _steps(schedule)
        blocked = status == Status.LOOP_OPEN and plant.loops is not None
        if not more and not (blocked and _other_way(plant, piece, guarded)):
            progress.close()
            return status, joined(pieces, _spacing(schedule)), now, notes
        # over a singular position without the guard, for as few steps as it takes
        guarded = more or len(piece.t) > 1
        notes += _told(plant, now.t, guarded, more)
        now = replace(now, x=None)


def _steps(schedule: FixedSteps | AdaptiveSteps) -> int:
    """Steps of the whole run, counted from t = 0; 0 for a run that chooses its own."""
    return schedule.steps if isinstance(schedule, FixedSteps) else 0


def _part(
    schedule: FixedSteps | AdaptiveSteps, now: End, guarded: bool
) -> FixedSteps | AdaptiveSteps:
    """What is left of a schedule; without the guard, a few steps of it."""
    if isinstance(schedule, AdaptiveSteps):
        return schedule
    left = max(0, schedule.steps - now.steps)
    return replace(schedule, steps=left if guarded else min(left, STEPS_UNGUARDED))


def _told(plant: BarePlant, t: float, guarded: bool, resumed: bool) -> list[str]:
    """What happened where a run was interrupted, in words."""
    if not guarded:
        return [f"t = {t:.6g} s: a singular position is stepped over; other branches start there"]
    if resumed or plant.loops is None:
        return []
    return [f"t = {t:.6g} s: independent coordinates are now {', '.join(plant.loops.independent)}"]


def _spacing(schedule: FixedSteps | AdaptiveSteps) -> float:
    """Time between samples [s]."""
    if isinstance(schedule, FixedSteps):
        return schedule.step * schedule.stride
    return schedule.sample or schedule.t_end


def _from(x: Array, now: End, schedule: FixedSteps | AdaptiveSteps) -> Snapshot:
    """Where a piece of a run begins; steps and samples are counted from t = 0."""
    size = schedule.step if isinstance(schedule, FixedSteps) else 0.0
    return Snapshot(x, now.t, t0=0.0, step=now.steps, step_size=size)


def _other_way(plant: BarePlant, piece: Samples, guarded: bool) -> bool:
    """Can a run that could not close its loops go on from where it got to?"""
    assert plant.loops is not None
    return plant.loops.repartition(piece.q[-1]) or guarded or len(piece.t) > 1


def make_system(
    plant: BarePlant, tau: Array, inputs: Inputs, drives: str | None
) -> TreeSystem | ClosedSystem:
    """What the steppers integrate for a plant, with efforts, inputs and motions."""
    # never empty: C wants an address
    u = np.append(inputs.constant, 0.0)
    if plant.loops is None:
        return TreeSystem(plant, tau, u, inputs.function)
    return ClosedSystem(plant, plant.loops, tau, u, drives, inputs.function)


def failed(result: Result, step: float, blame: str) -> SimulationError:
    """The error of a run that ended early; `blame` tells what was not finite, if that is known."""
    last = float(result.t[-1])
    worst = result.coordinates[int(np.argmax(np.abs(result.qd[-1])))]
    what = {
        "DIVERGED": f"diverged after t = {last:.6g} s; fastest coordinate '{worst}'",
        "LOOP_OPEN": f"cannot close its loops after t = {last:.6g} s; fastest coordinate '{worst}'",
        "CHATTERING": f"chatters after t = {last:.6g} s: too many events in one step",
        "STEP_TOO_SMALL": f"needs steps that are too small after t = {last:.6g} s",
    }.get(result.status, f"stopped with {result.status} after t = {last:.6g} s")
    fix = {
        "LOOP_OPEN": "The mechanism is at a singular position or pulled beyond its reach; choose "
        "other independent coordinates, another motion, or a smaller step",
        "CHATTERING": "Give the event a mode to settle in, or friction or damping that ends it",
    }.get(result.status, f"Use a step smaller than {step:g} s")
    if result.status == "DIVERGED" and blame:
        what = f"cannot go on after t = {last:.6g} s: {blame}"
        fix = "See that it is finite until the end of the run"
    error = SimulationError(
        f"model '{result.name}' {what}", fix=f"{fix}; error.result holds what was computed."
    )
    error.result = result  # type: ignore[attr-defined]
    return error
