"""Simulate a plant with the integrators of the native runtime."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import AdaptiveSteps, FixedSteps, Method, Status
from inloop.plant import Array, BarePlant
from inloop.simulate.pieces import run_in_pieces
from inloop.simulate.reference import solve
from inloop.simulate.result import End, Result
from inloop.simulate.start import first_state, vector
from inloop.simulate.systems import ClosedSystem, Samples, TreeSystem

BLOCK = 200  # samples
METHODS = {
    "euler": Method.EULER,
    "rk4": Method.RK4,
    "dopri": Method.DOPRI,
    "rodas": Method.RODAS,
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
        inputs: constant values of named inputs.
        sample: time between samples [s]; every step by default.
        tolerance: relative error per step; then "dopri" and "rodas" choose their own steps.
        start: an earlier result with the same step to continue from, up to t_end; the numbers are
            those of one uninterrupted run.
        motions: functions of time for driven joints, by name; they are traced and compiled.

    Raises:
        SimulationError: the run cannot go on; `result` holds what was computed.
    """
    schedule: FixedSteps | AdaptiveSteps = _schedule(t_end, step, method, sample)
    if tolerance is not None and method != SCIPY:
        schedule = _adaptive(METHODS[method], t_end, tolerance, sample or step)
    efforts = vector(plant, tau, [0.0] * plant.n, "tau")
    signals = _inputs(plant, inputs or {})
    drives = plant.drive_function(motions or {})
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
        return _reference(plant, system, begin, schedule, tolerance or 1e-9)
    done = run_in_pieces(plant, schedule, begin, lambda: _system(plant, efforts, signals, drives))
    result = _result(plant, done.samples, done.status, done.notes, done.end)
    if done.status not in (Status.OK, Status.STOPPED):
        raise _failed(result, step, done.open_loop)
    return result


def _result(
    plant: BarePlant, found: Samples, status: Status, notes: tuple[str, ...], end: End | None
) -> Result:
    return Result(
        name=plant.name,
        coordinates=plant.coordinates,
        t=found.t,
        q=found.q,
        qd=found.qd,
        energy=_energy(plant, found.q, found.qd),
        status=status.name,
        signals=found.signals,
        violation=found.violation,
        notes=notes,
        end=end,
    )


def _reference(
    plant: BarePlant,
    system: TreeSystem | ClosedSystem,
    begin: End,
    schedule: FixedSteps,
    tolerance: float,
) -> Result:
    """The same run by SciPy, on the same rates."""
    t_end = schedule.step * schedule.steps
    count = max(1, round(schedule.steps / schedule.stride))
    times = np.linspace(begin.t, t_end, count + 1)
    x = solve(system, system.start(begin.t, begin.q, begin.qd, begin.z), times, tolerance)
    return _result(plant, system.expand(times, x), Status.OK, ("integrated by SciPy",), None)


def _beginning(plant: BarePlant, state: tuple[Array, Array]) -> End:
    """A fresh start at t = 0, with the first choice of independent coordinates."""
    q, qd = state
    partition = plant.loops.first if plant.loops is not None else None
    return End(0.0, q, qd, plant.first_states, None, 0, partition, None)


def _system(
    plant: BarePlant, tau: Array, u: Array, drives: str | None
) -> TreeSystem | ClosedSystem:
    if plant.loops is None:
        return TreeSystem(plant, tau, u)
    return ClosedSystem(plant, plant.loops, tau, u, drives)


def _energy(plant: BarePlant, q: Array, qd: Array) -> Array:
    """Energy of all samples, in blocks short enough that no vector code has to be compiled."""
    cuts = range(0, len(q), BLOCK)
    blocks = [plant.energy(q[k : k + BLOCK], qd[k : k + BLOCK]) for k in cuts]
    return np.concatenate(blocks)


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


def _failed(result: Result, step: float, loop: str) -> SimulationError:
    last = float(result.t[-1])
    worst = result.coordinates[int(np.argmax(np.abs(result.qd[-1])))]
    what = {
        "DIVERGED": f"diverged after t = {last:.6g} s; fastest coordinate '{worst}'",
        "LOOP_OPEN": f"cannot close its loops after t = {last:.6g} s: loop '{loop}' is at a "
        f"singular position or beyond its reach; fastest coordinate '{worst}'",
        "STEP_TOO_SMALL": f"needs steps that are too small after t = {last:.6g} s",
    }.get(result.status, f"stopped with {result.status} after t = {last:.6g} s")
    fix = {
        "LOOP_OPEN": "Choose other dimensions, another motion, or a smaller step",
    }.get(result.status, f"Use a step smaller than {step:g} s")
    error = SimulationError(
        f"model '{result.name}' {what}", fix=f"{fix}; error.result holds what was computed."
    )
    error.result = result  # type: ignore[attr-defined]
    return error
