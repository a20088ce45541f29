"""The fixed-step integrators of the runtime, called from Python. Mirrors il_steppers.h."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from inloop.errors import InputError
from inloop.native.library import COUNT, POINTER, Reals, address_of, aligned_zeros
from inloop.native.runtime_library import load_runtime


class Status(IntEnum):
    """How a step or a run ended (il_status.h)."""

    OK = 0
    OVERRUN = 1
    DIVERGED = 2
    LOOP_OPEN = 3
    INPUT_STALE = 4
    STOPPED = 5
    BAD_ARGUMENT = 6


class Method(IntEnum):
    """A fixed-step integrator (il_steppers.h)."""

    EULER = 0
    RK4 = 1


@dataclass(frozen=True)
class Schedule:
    """When to step and when to sample.

    Attributes:
        method: the integrator.
        step: h [s].
        steps: how many.
        t0: time of the first state [s].
        stride: steps between two samples.
    """

    method: Method
    step: float
    steps: int
    t0: float = 0.0
    stride: int = 1

    def __post_init__(self) -> None:
        if not np.isfinite([self.step, self.t0]).all() or self.step == 0.0:
            raise InputError(f"a step of {self.step} s from t = {self.t0} s makes no sense")
        if self.steps < 0 or self.stride < 1:
            raise InputError(
                f"{self.steps} steps with every {self.stride}th sampled make no sense",
                fix="Use steps >= 0 and stride >= 1.",
            )


@dataclass(frozen=True)
class FixedRun:
    """What a run has computed, up to the last good state.

    Attributes:
        status: how it ended; a number of its own when the accelerations returned one.
        steps_done: good steps.
        t: times of the samples [s], shape (samples,); the last one is that of the last good state.
        q: coordinates [m or rad], shape (samples, n).
        qd: velocities [m/s or rad/s], shape (samples, n).
    """

    status: int
    steps_done: int
    t: Reals
    q: Reals
    qd: Reals


class _System(ctypes.Structure):
    _fields_ = (
        ("accelerations", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("n", ctypes.c_int64),
    )


class _FixedRun(ctypes.Structure):
    _fields_ = (
        ("system", _System),
        ("method", ctypes.c_int64),
        ("t0", ctypes.c_double),
        ("h", ctypes.c_double),
        ("steps", ctypes.c_int64),
        ("stride", ctypes.c_int64),
        ("stop", ctypes.c_void_p),
        ("q", ctypes.c_void_p),
        ("qd", ctypes.c_void_p),
        ("work", ctypes.c_void_p),
        ("t_samples", ctypes.c_void_p),
        ("q_samples", ctypes.c_void_p),
        ("qd_samples", ctypes.c_void_p),
        ("steps_done", ctypes.c_int64),
        ("samples", ctypes.c_int64),
    )


def run_fixed(
    accelerations: int,
    context: int,
    q: Reals,
    qd: Reals,
    schedule: Schedule,
) -> FixedRun:
    """Step a system in C; Ctrl-C ends the run with status STOPPED and keeps what there is.

    Args:
        accelerations: address of a C function of type il_accelerations.
        context: address handed to it.
        q: coordinates at the start [m or rad], shape (n,); not changed.
        qd: velocities at the start [m/s or rad/s], shape (n,); not changed.
        schedule: method, step and samples.
    """
    if q.ndim != 1 or q.shape != qd.shape:
        raise InputError(f"q has shape {q.shape} and qd {qd.shape}; both must be (n,)")
    runtime = load_runtime()
    n = len(q)
    rows = runtime.function("il_sample_count", COUNT, COUNT, returns=COUNT)(
        schedule.steps, schedule.stride
    )
    size = runtime.function("il_work_size", COUNT, COUNT, returns=COUNT)(schedule.method, n)
    state, work = np.array([q, qd], dtype=np.float64), aligned_zeros(size)
    t_samples, samples = np.empty(rows), np.empty((2, rows, n))
    stop = ctypes.c_int(0)
    run = _FixedRun(
        system=_System(accelerations, context, n),
        method=schedule.method,
        t0=schedule.t0,
        h=schedule.step,
        steps=schedule.steps,
        stride=schedule.stride,
        stop=ctypes.addressof(stop),
        q=address_of(state[0]),
        qd=address_of(state[1]),
        work=address_of(work),
        t_samples=address_of(t_samples),
        q_samples=address_of(samples[0]),
        qd_samples=address_of(samples[1]),
    )
    status = _call_interruptible(run, stop, keep=(stop, state, work, t_samples, samples))
    good = run.samples
    return FixedRun(status, run.steps_done, t_samples[:good], samples[0, :good], samples[1, :good])


def _call_interruptible(run: _FixedRun, stop: ctypes.c_int, keep: tuple[object, ...]) -> int:
    """Call il_run_fixed in a thread, because Python sees no signal while its main thread is in C.

    `keep` lives as long as the thread, even when a second Ctrl-C breaks off the wait for it.
    """
    function = load_runtime().function("il_run_fixed", POINTER)
    statuses: list[int] = []
    # not thread.join: interrupted once, it does not wait any more in Python 3.11
    done = threading.Event()

    def work(alive: tuple[object, ...]) -> None:
        statuses.append(function(ctypes.addressof(run)))
        done.set()

    threading.Thread(target=work, args=(keep,), name="inloop-run", daemon=True).start()
    try:
        done.wait()
    except KeyboardInterrupt:
        stop.value = 1
        done.wait()
    return statuses[0]
