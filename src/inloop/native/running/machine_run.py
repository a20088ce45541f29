"""Where a run of a machine begins, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inloop.native.library import Reals

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class MachineSnapshot:
    """Where a run begins or ended: with the contexts, all that influences its future.

    A run that continues from it gives bit-identical results as long as the modes and the schedule
    are the same. If parameters or inputs have changed, begin from `snapshot.fresh()`.

    Attributes:
        mode: number of the mode.
        x: state (q, qd, z) of that mode, shape (2n + m,).
        t: its time [s].
        slope: the rates there, if known.
        t0: time of step 0 and origin of sample times [s]; t by default.
        step: good steps since t0.
        step_size: the step that led here or, of an adaptive run, the next one [s].
        error_before: of the last adaptive step; 0 otherwise.
        armed: side on which each transition of the mode is armed; None: the mode is entered anew.
        history: when the transitions of all modes have fired, as il_history; None: never.
        events_in_step: since the window of an adaptive run was opened.
        window_end: when that is [s].
    """

    mode: int
    x: Reals
    t: float = 0.0
    slope: Reals | None = None
    t0: float | None = None
    step: int = 0
    step_size: float = 0.0
    error_before: float = 0.0
    armed: Integers | None = None
    history: NDArray[Any] | None = None
    events_in_step: int = 0
    window_end: float = 0.0

    def fresh(self) -> MachineSnapshot:
        """The same mode, state and time without a past."""
        return MachineSnapshot(self.mode, self.x, self.t)

    @property
    def origin(self) -> float:
        """Time of step 0 [s]."""
        return self.t if self.t0 is None else self.t0


@dataclass(frozen=True)
class Record:
    """What a jump reports, as il_record.

    Attributes:
        energy_before: kinetic and potential energy of the mode that ends [J].
        energy_after: that of the mode that follows [J].
        restitution: of an impact, 0 to 1.
    """

    energy_before: float
    energy_after: float
    restitution: float


@dataclass(frozen=True)
class Event:
    """A transition that has fired.

    Attributes:
        t: when [s].
        mode: number of the mode before.
        transition: its number in that mode.
        next_mode: number of the mode after.
        record: what the jump reports; zeros if there is none.
        x_before: state of the mode before.
        x_after: state of the mode after.
        settled: whether firings accumulated here.
    """

    t: float
    mode: int
    transition: int
    next_mode: int
    record: Record
    x_before: Reals
    x_after: Reals
    settled: bool


@dataclass(frozen=True)
class Fault:
    """The event because of which a run ended.

    Attributes:
        t: when [s].
        mode: number of the mode.
        transition: its number in that mode; None: the indicators returned the status.
    """

    t: float
    mode: int
    transition: int | None


@dataclass(frozen=True)
class MachineRun:
    """What a run has computed, up to the last good state.

    Attributes:
        status: how it ended; a number of its own when a function of the modes returned one.
        t: times of the samples [s], shape (samples,); the last one is that of the last good state.
        x: states (q, qd, z), shape (samples, largest 2n + m), NaN behind those of smaller modes.
        mode: numbers of the modes, shape (samples,).
        events: in order of time.
        steps: good steps; in adaptive runs an event ends a step.
        rejected: steps that were tried again with a smaller h.
        evaluations: calls of the rates.
        jacobians: Jacobians of the implicit method.
        end: from where to continue.
        fault: of a run that ended because of an event, otherwise None.
    """

    status: int
    t: Reals
    x: Reals
    mode: Integers
    events: list[Event]
    steps: int
    rejected: int
    evaluations: int
    jacobians: int
    end: MachineSnapshot
    fault: Fault | None
