"""The integrators of the runtime, called from Python: `run(system, x0, schedule)`."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.native.interruptible import Watch
from inloop.native.library import Reals
from inloop.native.machine import run_machine
from inloop.native.modes import MachineSnapshot, Mode
from inloop.native.schedule import Schedule
from inloop.native.system import System


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
        jacobians: Jacobians of the implicit method.
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
    # a plain system is a machine with one mode and no transitions
    result = run_machine((Mode(system),), _as_machine(begin), schedule, watch=watch)
    counts = (result.steps, result.rejected, result.evaluations, result.jacobians)
    end = _as_plain(result.end) if len(result.t) else begin
    return Run(result.status, result.t, result.x, system.n, *counts, end)


def _as_machine(s: Snapshot) -> MachineSnapshot:
    return MachineSnapshot(0, s.x, s.t, s.slope, s.t0, s.step, s.step_size, s.error_before)


def _as_plain(s: MachineSnapshot) -> Snapshot:
    return Snapshot(s.x, s.t, s.slope, s.t0, s.step, s.step_size, s.error_before)
