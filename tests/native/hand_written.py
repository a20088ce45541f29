"""Systems and modes of hand-written C, by address: what tests of the runtime integrate."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.native import MachineRun, MachineSnapshot, ModeTable, Schedule, Watch, address_of
from inloop.native import run_machine as run_table
from inloop.native.library import Reals
from inloop.native.mirror import mirror


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
        bounds: address of an il_bounds, or 0: all that is finite makes sense.
        sizes: one unit of each entry of x, for differences; None: all are 1.
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
    bounds: int = 0
    sizes: Reals | None = None
    keep: object = None

    @property
    def size(self) -> int:
        """Length of x."""
        return 2 * self.n + self.m

    def structure(self) -> ctypes.Structure:
        """The same as il_system."""
        return mirror("il_system")(
            rates=self.rates,
            jacobian=self.jacobian,
            save=self.save,
            restore=self.restore,
            predict=self.predict,
            correct=self.correct,
            context=self.context,
            n=self.n,
            m=self.m,
            autonomous=self.autonomous,
            bounds=self.bounds or None,
            sizes=None if self.sizes is None else address_of(self.sizes),
        )


@dataclass(frozen=True)
class Transition:
    """From the mode that holds it into another one, when an indicator passes zero.

    Attributes:
        indicator: number of the indicator in its mode.
        direction: -1: it falls through zero, +1: it rises, 0: either.
        target: number of the mode that follows.
        jump: address of an il_jump, or 0: the state stays as it is.
        context: address handed to `jump`.
        settles_in: number of the mode that follows when firings accumulate; None: CHATTERING.
        settle: address of the il_jump to that mode, or 0: the state stays as it is.
        settle_context: address handed to `settle`.
    """

    indicator: int
    direction: int
    target: int
    jump: int = 0
    context: int = 0
    settles_in: int | None = None
    settle: int = 0
    settle_context: int = 0


@dataclass(frozen=True)
class Mode:
    """A system, and what ends its time.

    Attributes:
        system: what is integrated.
        indicators: address of an il_indicators, or 0 if there are no transitions.
        context: address handed to `indicators`.
        count: indicators.
        tolerances: what counts as zero for each indicator, in its units; shape (count,), > 0.
        transitions: in the order in which those at the same time fire.
        keep: what must stay alive as long as the addresses here are in use: library, contexts.
    """

    system: System
    indicators: int = 0
    context: int = 0
    count: int = 0
    tolerances: tuple[float, ...] | Reals = ()
    transitions: tuple[Transition, ...] = ()
    keep: object = None


def table_of(modes: tuple[Mode, ...]) -> ModeTable:
    """The table of modes whose functions are given by address."""
    check(modes)
    array = (mirror("il_mode") * len(modes))()
    kept: list[object] = [array, modes]
    for c, mode in zip(array, modes, strict=True):
        tolerances = np.array(mode.tolerances, dtype=np.float64)
        transitions = (mirror("il_transition") * len(mode.transitions))()
        for row, tr in zip(transitions, mode.transitions, strict=True):
            row.indicator, row.direction = tr.indicator, tr.direction
            row.target, row.jump, row.context = tr.target, tr.jump, tr.context
            row.settles_in = -1 if tr.settles_in is None else tr.settles_in
            row.settle, row.settle_context = tr.settle, tr.settle_context
        c.system = mode.system.structure()
        c.indicators, c.context, c.indicator_count = mode.indicators, mode.context, mode.count
        c.tolerances = address_of(tolerances)
        c.transitions = ctypes.addressof(transitions)
        c.transition_count = len(mode.transitions)
        kept += [tolerances, transitions]
    return ModeTable(
        ctypes.addressof(array),
        tuple(mode.system.size for mode in modes),
        tuple(len(mode.transitions) for mode in modes),
        kept,
    )


def check(modes: tuple[Mode, ...]) -> None:
    """Complain about modes that do not fit each other."""
    for number, mode in enumerate(modes):
        n, m, where = mode.system.n, mode.system.m, f"mode {number}"
        if n < 0 or m < 0:
            raise InputError(f"{n} coordinates and {m} states make no sense", where)
        tolerances = np.asarray(mode.tolerances, np.float64)
        if tolerances.shape != (mode.count,) or not np.all(tolerances > 0.0):
            raise InputError(
                f"{mode.count} indicators with tolerances {mode.tolerances}",
                where,
                "Give one positive number per indicator.",
            )
        if mode.transitions and not mode.indicators:
            raise InputError("there are transitions but no indicators", where, "Give both.")
        for k, transition in enumerate(mode.transitions):
            _check_transition(modes, mode, transition, f"{where}, transition {k}")


def _check_transition(modes: tuple[Mode, ...], mode: Mode, tr: Transition, where: str) -> None:
    if not 0 <= tr.indicator < mode.count:
        raise InputError(f"there is no indicator {tr.indicator} of {mode.count}", where)
    if tr.direction not in (-1, 0, 1):
        raise InputError(f"direction {tr.direction} makes no sense", where, "Use -1, 0 or 1.")
    for target, jump in ((tr.target, tr.jump), (tr.settles_in, tr.settle)):
        if target is None:
            continue
        if not 0 <= target < len(modes):
            raise InputError(f"there is no mode {target} of {len(modes)}", where)
        sizes = mode.system.size, modes[target].system.size
        if not jump and sizes[0] != sizes[1]:
            raise InputError(
                f"{sizes[0]} states become {sizes[1]} in mode {target} without a jump",
                where,
                "Give the address of an il_jump.",
            )


def run_machine(
    modes: tuple[Mode, ...], start: MachineSnapshot, schedule: Schedule, **options: Any
) -> MachineRun:
    """`inloop.native.run_machine` of modes given by address."""
    return run_table(table_of(modes), start, schedule, **options)


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
