"""Simulate a plant with the integrators of the native runtime."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import AdaptiveSteps, FixedSteps, Method, Snapshot, Status, run
from inloop.plant import Array, BarePlant
from inloop.simulate import observe
from inloop.simulate.progress import Progress
from inloop.simulate.reference import solve
from inloop.simulate.result import End, Result
from inloop.simulate.start import first_state, vector
from inloop.simulate.systems import ClosedSystem, Samples, TreeSystem, joined

STEPS_UNGUARDED = 3  # over a singular position
METHODS = {
    "euler": Method.EULER,
    "rk4": Method.RK4,
    "dopri": Method.DOPRI,
    "rodas": Method.RODAS,
    "implicit": Method.IMPLICIT,
}
SCIPY = "scipy"
MOST_STEPS = 1e15


def simulate(
    plant: BarePlant,
    *,
    t_end: float,
    step: float = 1e-3,
    method: str = "rk4",
    q: Mapping[str, float] | Array | None = None,
    qd: Mapping[str, float] | Array | None = None,
    tau: Mapping[str, float] | Array | None = None,
    inputs: Mapping[str, float] | None = None,
    sample: float | None = None,
    tolerance: float | None = None,
    start: Result | None = None,
    motions: Mapping[str, Callable[[Any], Any]] | None = None,
    reactions: str | Sequence[str] = (),
) -> Result:
    """Integrate the equations of motion.

    Args:
        plant: the compiled mechanism.
        t_end: length of the run [s].
        step: step of the integrator [s]; shortened so that a whole number fits into t_end. With
            a tolerance: time between samples.
        method: "rk4", "euler" (symplectic), "dopri" (Dormand-Prince, order 5), "rodas"
            (linearly implicit, order 4, for stiff laws) or "implicit" (linearly implicit, order
            2, cheap, for stiff laws in real time); "scipy" for a slow reference by SciPy.
        q: coordinates at the start, by name or as a vector; else the joints' initial values.
            Coordinates given by name are kept when loops are closed.
        qd: velocities at the start; those of dependent coordinates follow.
        tau: constant joint efforts [N·m or N].
        inputs: constant values of named inputs.
        sample: time between samples [s]; every step by default.
        tolerance: relative error per step; then "dopri" and "rodas" choose their own steps.
        start: an earlier result with the same step to continue from, up to t_end; the numbers are
            those of one uninterrupted run.
        motions: functions of time for driven joints, by name; they are traced and compiled.

        reactions: joints whose forces and moments the result shall hold, as
            "<joint>.force.x", ..., "<joint>.moment.z" in world axes: names, or "all".

    Raises:
        SimulationError: the run cannot go on; `result` holds what was computed.
    """
    schedule: FixedSteps | AdaptiveSteps = _schedule(t_end, step, method, sample)
    if tolerance is not None and method != SCIPY:
        schedule = _adaptive(METHODS[method], t_end, tolerance, sample or step)
    efforts = vector(plant, tau, [0.0] * plant.n, "tau")
    signals = _inputs(plant, inputs or {})
    drives = plant.drive_function(motions or {})
    joints = observe.chosen_joints(plant, reactions)
    if start is None:
        begin = _beginning(plant, first_state(plant, q, qd, drives))
    elif q is None and qd is None and start.end is not None:
        begin = start.end
    else:
        raise InputError(
            "a run that continues another one begins where that one ended",
            fix="Give either start, or q and qd.",
        )
    if method == SCIPY and isinstance(schedule, FixedSteps):
        system = _system(plant, efforts, signals, drives)
        found, end = _reference(system, begin, schedule, tolerance or 1e-9), None
        status, notes = Status.OK, ["integrated by SciPy"]
    else:
        status, found, end, notes = _run(
            plant,
            schedule,
            begin,
            lambda: _system(plant, efforts, signals, drives, schedule.method),
        )
    outcome = _Outcome(found, status, tuple(notes), end)
    result = _result(plant, outcome, signals, efforts, joints)
    if status not in (Status.OK, Status.STOPPED):
        raise _failed(result, step)
    return result


@dataclass(frozen=True)
class _Outcome:
    """What came out of a run, before anything is computed from it."""

    samples: Samples
    status: Status
    notes: tuple[str, ...]
    end: End | None


def _result(
    plant: BarePlant, outcome: _Outcome, u: Array, tau: Array, reactions: Sequence[str]
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
            **observe.law_outputs(plant, found, u),
            **observe.reactions(plant, found, u, tau, reactions),
        },
        violation=found.violation,
        notes=outcome.notes,
        end=outcome.end,
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


def _beginning(plant: BarePlant, state: tuple[Array, Array]) -> End:
    """A fresh start at t = 0, with the first choice of independent coordinates."""
    q, qd = state
    partition = plant.loops.first if plant.loops is not None else None
    return End(0.0, q, qd, plant.first_states, None, 0, partition, None)


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
        notes += [note for note in system.notes if note not in notes]
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


def _system(
    plant: BarePlant, tau: Array, u: Array, drives: str | None, method: Method | None = None
) -> TreeSystem | ClosedSystem:
    if plant.loops is None:
        return TreeSystem(plant, tau, u, method)
    return ClosedSystem(plant, plant.loops, tau, u, drives, method)


def _schedule(t_end: float, step: float, method: str, sample: float | None) -> FixedSteps:
    if method not in (*METHODS, SCIPY):
        known = ", ".join((*METHODS, SCIPY))
        raise InputError(f"method {method!r} is unknown", fix=f"Use one of {known}.")
    if not (math.isfinite(t_end) and t_end >= 0.0 and math.isfinite(step) and step > 0.0):
        raise InputError(
            f"t_end = {t_end} s with steps of {step} s makes no sense", fix="Use positive numbers."
        )
    if step > t_end > 0.0:
        raise InputError(
            f"a run of {t_end:g} s is shorter than one step of {step:g} s",
            fix="Use a smaller step.",
        )
    if not t_end / step <= MOST_STEPS:
        raise InputError(
            f"{t_end:g} s in steps of {step:g} s are more than {MOST_STEPS:g} steps",
            fix="Use a larger step or a shorter run.",
        )
    if sample is not None and not (math.isfinite(sample) and sample > 0.0):
        raise InputError(f"a sample every {sample} s makes no sense", fix="Use a positive number.")
    # a stride beyond the end means: only the first and the last state
    stride = 1 if sample is None else max(1, round(min(sample / step, MOST_STEPS)))
    # the step is shortened so that the run ends exactly at t_end
    steps = math.ceil(t_end / step * (1.0 - 1e-12))
    return FixedSteps(
        METHODS.get(method, Method.RK4), t_end / steps if steps else step, steps, stride=stride
    )


def _adaptive(method: Method, t_end: float, tolerance: float, sample: float) -> AdaptiveSteps:
    if not (math.isfinite(tolerance) and 0.0 < tolerance < 1.0):
        raise InputError(f"a tolerance of {tolerance} makes no sense", fix="Use 1e-6, say.")
    return AdaptiveSteps(method, t_end, rtol=tolerance, atol=1e-3 * tolerance, sample=sample)


def _inputs(plant: BarePlant, given: Mapping[str, float]) -> Array:
    vector = np.zeros(max(1, len(plant.inputs)))
    for name, value in given.items():
        if name not in plant.inputs:
            raise InputError(
                f"model '{plant.name}' has no input '{name}'",
                fix=f"Names are: {', '.join(plant.inputs) or 'none'}.",
            )
        vector[plant.inputs.index(name)] = float(value)
    return vector


def _failed(result: Result, step: float) -> SimulationError:
    last = float(result.t[-1])
    worst = result.coordinates[int(np.argmax(np.abs(result.qd[-1])))]
    what = {
        "DIVERGED": f"diverged after t = {last:.6g} s; fastest coordinate '{worst}'",
        "LOOP_OPEN": f"cannot close its loops after t = {last:.6g} s; fastest coordinate '{worst}'",
        "STEP_TOO_SMALL": f"needs steps that are too small after t = {last:.6g} s",
    }.get(result.status, f"stopped with {result.status} after t = {last:.6g} s")
    fix = {
        "LOOP_OPEN": "The mechanism is at a singular position or pulled beyond its reach; choose "
        "other independent coordinates, another motion, or a smaller step",
    }.get(result.status, f"Use a step smaller than {step:g} s")
    error = SimulationError(
        f"model '{result.name}' {what}", fix=f"{fix}; error.result holds what was computed."
    )
    error.result = result  # type: ignore[attr-defined]
    return error
