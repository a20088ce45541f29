"""Start and results of a machine run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inloop.native.library import Reals

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class MachineSnapshot:
    """Start or end of a run: with the contexts, all that influences its future.

    A run continued from it gives bit-identical results as long as the modes and the schedule are
    the same. If parameters or inputs have changed, start from `snapshot.fresh()`.

    Attributes:
        mode: index of the mode.
        x: state (q, qd, z) of that mode, shape (2n + m,).
        t: its time [s].
        slope: the rates at that state, if known.
        t0: time of step 0 and origin of sample times [s]; default: t.
        step: successful steps since t0.
        step_size: the last step or, for an adaptive run, the next one [s].
        error_before: error of the last adaptive step; 0 otherwise.
        armed: side on which each transition of the mode is armed; None: the mode is re-entered.
        history: times at which the transitions of all modes have fired, as il_history; None: never.
        events_in_step: events in the current window of an adaptive run.
        window_end: end of that window [s].
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
        """The same mode, state and time without history."""
        return MachineSnapshot(self.mode, self.x, self.t)

    @property
    def origin(self) -> float:
        """Time of step 0 [s]."""
        return self.t if self.t0 is None else self.t0


@dataclass(frozen=True)
class Record:
    """Report of a jump, as il_record.

    Attributes:
        energy_before: kinetic and potential energy before the jump [J].
        energy_after: kinetic and potential energy after it [J].
        restitution: of an impact, 0 to 1.
    """

    energy_before: float
    energy_after: float
    restitution: float


@dataclass(frozen=True)
class Event:
    """A transition that has fired.

    Attributes:
        t: time [s].
        mode: index of the mode before.
        transition: its index in that mode.
        next_mode: index of the mode after.
        record: report of the jump; zeros if there is none.
        x_before: state of the mode before.
        x_after: state of the mode after.
        settled: whether this is an accumulation point of firings.
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
    """The event that ended a run.

    Attributes:
        t: time [s].
        mode: index of the mode.
        transition: its index in that mode; None: the indicators returned the status.
    """

    t: float
    mode: int
    transition: int | None


@dataclass(frozen=True)
class MachineRun:
    """Results of a run, up to the last valid state.

    Attributes:
        status: how it ended; a custom number if a function of the modes returned one.
        t: times of the samples [s], shape (samples,); the last one is that of the last valid state.
        x: states (q, qd, z), shape (samples, largest 2n + m), padded with NaN for smaller modes.
        mode: indices of the modes, shape (samples,).
        events: in order of time.
        steps: successful steps; in adaptive runs an event ends a step.
        rejected: steps that were retried with a smaller h.
        evaluations: number of evaluations of the rates.
        jacobians: number of Jacobians of the implicit method.
        end: snapshot from which to continue.
        fault: the event that ended the run, otherwise None.
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
