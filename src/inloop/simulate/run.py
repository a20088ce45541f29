"""Simulate a plant with the fixed-step integrators of the native runtime."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import Method, Schedule, Status, run_fixed
from inloop.plant import Array, BarePlant, NativeEngine
from inloop.simulate.result import Result

BLOCK = 200  # samples
METHODS = {"euler": Method.EULER, "rk4": Method.RK4}
MOST_STEPS = 1e15


class _Context(ctypes.Structure):
    """What the generated accelerations read during a run."""

    _fields_ = (("pre", ctypes.c_void_p), ("tau", ctypes.c_void_p), ("u", ctypes.c_void_p))


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
) -> Result:
    """Integrate the equations of motion.

    Args:
        plant: the compiled mechanism.
        t_end: length of the run [s].
        step: step of the integrator [s]; shortened so that a whole number fits into t_end.
        method: "rk4" or "euler" (symplectic).
        q: coordinates at the start, by name or as a vector; else the joints' initial values.
        qd: velocities at the start.
        tau: constant joint efforts [N·m or N].
        inputs: constant values of named inputs.
        sample: time between samples [s]; every step by default.

    Raises:
        SimulationError: the state is not finite any more; `result` holds what was computed.
    """
    engine = plant._engine("direct_dynamics")
    if not isinstance(engine, NativeEngine):
        raise InputError(
            "simulation needs native code", fix="Install a C compiler, or pip install inloop[cc]."
        )
    schedule = _schedule(t_end, step, method, sample)
    bodies = plant.mechanism.bodies
    first = _vector(plant, q, [b.joint.initial[0] for b in bodies], "q")
    speed = _vector(plant, qd, [b.joint.initial[1] for b in bodies], "qd")
    efforts = _vector(plant, tau, [0.0] * plant.n, "tau")
    signals = _inputs(plant, inputs or {})
    prepared = np.ascontiguousarray(plant.prepared("direct_dynamics"))
    context = _Context(prepared.ctypes.data, efforts.ctypes.data, signals.ctypes.data)
    run = run_fixed(
        engine.library.address(f"{engine.unit.prefix}_accelerations"),
        ctypes.addressof(context),
        first,
        speed,
        schedule,
    )
    status = Status(run.status).name
    energy = _energy(plant, run.q, run.qd)
    result = Result(plant.name, plant.coordinates, run.t, run.q, run.qd, energy, status)
    if run.status == Status.DIVERGED:
        raise _diverged(result, step)
    return result


def _energy(plant: BarePlant, q: Array, qd: Array) -> Array:
    """Energy of all samples, in blocks short enough that no vector code has to be compiled."""
    cuts = range(0, len(q), BLOCK)
    blocks = [plant.energy(q[k : k + BLOCK], qd[k : k + BLOCK]) for k in cuts]
    return np.concatenate(blocks)


def _schedule(t_end: float, step: float, method: str, sample: float | None) -> Schedule:
    if method not in METHODS:
        raise InputError(f"method {method!r} is unknown", fix=f"Use one of {', '.join(METHODS)}.")
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
    return Schedule(METHODS[method], t_end / steps if steps else step, steps, stride=stride)


def _vector(
    plant: BarePlant,
    given: Mapping[str, float] | Array | None,
    default: list[float],
    name: str,
) -> Array:
    if given is None:
        vector = np.array(default, dtype=np.float64)
    elif isinstance(given, Mapping):
        vector = np.array(default, dtype=np.float64)
        named = plant.vector(**given)
        for key in given:
            k = plant.coordinates.index(key)
            vector[k] = named[k]
    else:
        vector = np.array(given, dtype=np.float64)
        if vector.shape != (plant.n,):
            raise plant._wrong_size(name, vector.shape, plant.n)
    if not np.all(np.isfinite(vector)):
        raise InputError(f"{name} holds NaN or infinity", fix="Give finite numbers.")
    return vector


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


def _diverged(result: Result, step: float) -> SimulationError:
    last = float(result.t[-1])
    worst = result.coordinates[int(np.argmax(np.abs(result.qd[-1])))]
    error = SimulationError(
        f"model '{result.name}' diverged after t = {last:.6g} s; fastest coordinate '{worst}'",
        fix=f"Use a step smaller than {step:g} s; error.result holds what was computed.",
    )
    error.result = result  # type: ignore[attr-defined]
    return error
