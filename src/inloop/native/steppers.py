"""The integrators of the runtime, called from Python: `run(system, x0, schedule)`."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.native.library import COUNT, Reals, address_of, aligned_zeros
from inloop.native.run_structure import RunStructure, SystemStructure, Watch, call_interruptible
from inloop.native.runtime_library import load_runtime
from inloop.native.schedule import AdaptiveSteps, FixedSteps, Status

Schedule = FixedSteps | AdaptiveSteps

_MOST_ROWS = 1 << 16  # of the first block of samples; each further one is twice as long
_FEW_ROWS = 1 << 10  # of the first block when nobody knows how many there will be


@dataclass(frozen=True)
class System:
    """n second-order coordinates and m first-order states; x = (q, qd, z), see il_system.h.

    Attributes:
        rates: address of a C function of type il_rates.
        n: coordinates.
        m: first-order states.
        context: address handed to all functions.
        jacobian: address of an il_jacobian, or 0: differences of the rates.
        save: address of an il_memory, or 0.
        restore: address of an il_memory, or 0.
        predict: address of an il_predictor, or 0: the implicit method takes all of df/dx.
        correct: address of an il_corrector, or 0.
        autonomous: the rates do not depend on t.
        keep: what must stay alive as long as the addresses are in use: library, arrays, context.
    """

    rates: int
    n: int
    m: int = 0
    context: int = 0
    jacobian: int = 0
    save: int = 0
    restore: int = 0
    predict: int = 0
    correct: int = 0
    autonomous: bool = False
    keep: object = None

    @property
    def size(self) -> int:
        """Length of x."""
        return 2 * self.n + self.m

    def _structure(self) -> SystemStructure:
        functions = (self.rates, self.jacobian, self.save, self.restore, self.predict, self.correct)
        return SystemStructure(*functions, self.context, self.n, self.m, self.autonomous)


@dataclass(frozen=True)
class Snapshot:
    """Where a run begins or ended: with the system's context, all that influences its future.

    A run that continues from it gives bit-identical results as long as the system and the schedule
    are the same. If parameters or inputs have changed, begin from `snapshot.fresh()`.

    Attributes:
        x: state (q, qd, z), shape (2n + m,).
        t: its time [s].
        slope: the rates there, if known.
        t0: time of step 0 and origin of sample times [s]; t by default.
        step: good steps since t0.
        step_size: the step that led here or, of an adaptive run, the next one [s].
        error_before: of the last adaptive step; 0 otherwise.
    """

    x: Reals
    t: float = 0.0
    slope: Reals | None = None
    t0: float | None = None
    step: int = 0
    step_size: float = 0.0
    error_before: float = 0.0

    def fresh(self) -> Snapshot:
        """The same state and time without a past."""
        return Snapshot(self.x, self.t)

    @property
    def origin(self) -> float:
        """Time of step 0 [s]."""
        return self.t if self.t0 is None else self.t0


@dataclass(frozen=True)
class Run:
    """What a run has computed, up to the last good state.

    Attributes:
        status: how it ended; a number of its own when the rates returned one.
        t: times of the samples [s], shape (samples,); the last one is that of the last good state.
        x: states (q, qd, z), shape (samples, 2n + m).
        n: coordinates.
        steps: good steps.
        rejected: steps that were tried again with a smaller h.
        evaluations: calls of the rates.
        jacobians: complete Jacobians of the implicit methods.
        end: from where to continue.
    """

    status: int
    t: Reals
    x: Reals
    n: int
    steps: int
    rejected: int
    evaluations: int
    jacobians: int
    end: Snapshot

    @property
    def q(self) -> Reals:
        """Coordinates [m or rad], shape (samples, n)."""
        return self.x[:, : self.n]

    @property
    def qd(self) -> Reals:
        """Velocities [m/s or rad/s], shape (samples, n)."""
        return self.x[:, self.n : 2 * self.n]

    @property
    def z(self) -> Reals:
        """First-order states, shape (samples, m)."""
        return self.x[:, 2 * self.n :]


def run(
    system: System,
    start: Reals | Snapshot,
    schedule: Schedule,
    *,
    watch: Watch | None = None,
) -> Run:
    """Integrate a system in C; Ctrl-C ends the run with status STOPPED and keeps what there is.

    Args:
        system: what to integrate.
        start: first state at t = 0, shape (2n + m,), or where and when to begin; not changed.
        schedule: method, steps and samples.
        watch: told ten times a second, in this thread, which part of the run is done.

    Raises:
        InputError: the start does not fit the system or the schedule.
    """
    begin = start if isinstance(start, Snapshot) else Snapshot(start)
    _check(system, begin, schedule)
    memory = _Memory(system, begin, schedule)
    status, blocks = memory.run_blocks(watch)
    t = np.concatenate([t for t, _ in blocks]) if len(blocks) > 1 else blocks[0][0]
    x = np.concatenate([x for _, x in blocks]) if len(blocks) > 1 else blocks[0][1]
    c = memory.c
    end = memory.snapshot() if len(t) else begin
    counts = (c.steps_done, c.rejected, c.evaluations, c.jacobians)
    return Run(status, t, x, system.n, *counts, end)


class _Memory:
    """All memory of one run, and the C structure that points to it."""

    def __init__(self, system: System, begin: Snapshot, schedule: Schedule) -> None:
        size = system.size
        runtime = load_runtime()
        count = runtime.function("il_work_size", COUNT, COUNT, COUNT, returns=COUNT)
        self.schedule = schedule
        self.stop = ctypes.c_int(0)
        self.x = np.array(begin.x, dtype=np.float64)
        self.slope = np.zeros(size) if begin.slope is None else np.array(begin.slope)
        self.work = aligned_zeros(count(schedule.method, system.n, system.m))
        self.pivots = np.zeros(system.n + system.m, dtype=np.int64)
        self.keep = system.keep
        self.c = RunStructure(
            system=system._structure(),
            method=schedule.method,
            work=address_of(self.work),
            pivots=self.pivots.ctypes.data,
            t0=begin.origin,
            stride=schedule.stride,
            sample_step=schedule.sample or 0.0,
            stop=ctypes.addressof(self.stop),
            t=begin.t,
            x=address_of(self.x),
            slope=address_of(self.slope),
            slope_known=begin.slope is not None,
            step=begin.step,
        )
        if isinstance(schedule, FixedSteps):
            self._set_fixed(begin, schedule)
        else:
            self._set_adaptive(begin, schedule)

    def _set_fixed(self, begin: Snapshot, schedule: FixedSteps) -> None:
        c, h = self.c, schedule.step
        # up to rounding, because C may fuse multiplication and addition
        drift = abs(begin.origin + begin.step * h - begin.t)
        if h != begin.step_size or drift > 1e-15 * max(abs(begin.origin), abs(begin.t)):
            c.t0, c.step = begin.t, 0
        c.h = h
        c.last_step = c.step + schedule.steps
        c.sample_step = math.copysign(c.sample_step, h)
        self.function = "il_run_fixed"
        if schedule.sample is None:
            self.rows = schedule.steps // schedule.stride + 3
        else:
            self.rows = math.ceil(abs(h) * schedule.steps / schedule.sample) + 3

    def _set_adaptive(self, begin: Snapshot, schedule: AdaptiveSteps) -> None:
        c, size = self.c, len(self.x)
        self.rtol = np.array(np.broadcast_to(schedule.rtol, size), dtype=np.float64)
        self.atol = np.array(np.broadcast_to(schedule.atol, size), dtype=np.float64)
        c.rtol, c.atol = address_of(self.rtol), address_of(self.atol)
        c.t_end, c.h_min, c.h_max = schedule.t_end, schedule.min_step, schedule.max_step
        c.max_steps = schedule.max_steps
        c.error_before = begin.error_before
        c.h = begin.step_size if begin.error_before > 0.0 else schedule.first_step or 0.0
        self.function = "il_run_adaptive"
        if schedule.sample is None:
            self.rows = min(_FEW_ROWS, schedule.max_steps // schedule.stride + 3)
        else:
            self.rows = math.ceil((schedule.t_end - c.t) / schedule.sample) + 3

    def run_blocks(self, watch: Watch | None) -> tuple[int, list[tuple[Reals, Reals]]]:
        """Run to the end, with a new block of samples whenever one is full."""
        blocks: list[tuple[Reals, Reals]] = []
        told = None if watch is None else self._since_begin(watch)
        for rows in self._block_lengths():
            t, x = np.empty(rows), np.empty((rows, len(self.x)))
            self.c.capacity = rows
            self.c.t_samples, self.c.x_samples = address_of(t), address_of(x)
            status = call_interruptible(self.function, self.c, self.stop, (self, t, x), told)
            # a later block begins with the state at which the one before was full
            good = slice(1 if blocks else 0, self.c.samples)
            blocks.append((t[good], x[good]))
            if status != Status.SAMPLES_FULL:
                break
        return status, blocks

    def _since_begin(self, watch: Watch) -> Watch:
        """A watch of this run, for the fraction that C counts from t0."""
        c = self.c
        if isinstance(self.schedule, FixedSteps):
            before = c.step / max(c.last_step, 1)
        else:
            before = (c.t - c.t0) / ((c.t_end - c.t0) or 1.0)
        c.fraction = before
        return lambda fraction: watch((fraction - before) / ((1.0 - before) or 1.0))

    def _block_lengths(self) -> Iterator[int]:
        rows = min(self.rows, _MOST_ROWS)
        while True:
            yield rows
            rows *= 2

    def snapshot(self) -> Snapshot:
        """The state that the run has reached."""
        c = self.c
        slope = self.slope.copy() if c.slope_known else None
        return Snapshot(self.x.copy(), c.t, slope, c.t0, c.step, c.h, c.error_before)


def _check(system: System, begin: Snapshot, schedule: Schedule) -> None:
    if system.n < 0 or system.m < 0:
        raise InputError(f"{system.n} coordinates and {system.m} states make no sense")
    shape = (system.size,)
    for name, vector in (("x", begin.x), ("slope", begin.slope)):
        if vector is not None and np.shape(vector) != shape:
            raise InputError(
                f"{name} has shape {np.shape(vector)}, a system of {system.n} coordinates and "
                f"{system.m} first-order states needs {shape}",
                fix="Give (q, qd, z) in one vector.",
            )
    if isinstance(schedule, FixedSteps):
        return
    if not begin.t <= schedule.t_end:
        raise InputError(
            f"the run begins at t = {begin.t} s, after its end at {schedule.t_end} s",
            fix="Use a later t_end; only FixedSteps go back in time.",
        )
    for name in ("rtol", "atol"):
        if np.shape(getattr(schedule, name)) not in ((), shape):
            raise InputError(
                f"{name} has shape {np.shape(getattr(schedule, name))}",
                fix=f"Use one number, or one per component of x: shape {shape}.",
            )
