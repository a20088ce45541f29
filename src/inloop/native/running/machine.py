"""Run systems with modes and events from Python: `run_machine(table, start, schedule)`.

The rules for events (detection, location, arming, settling) are in il_machine.h.
"""

from __future__ import annotations

import numpy as np

from inloop.errors import InputError
from inloop.native.running.interruptible import Watch
from inloop.native.running.machine_memory import MachineMemory
from inloop.native.running.machine_run import MachineRun, MachineSnapshot
from inloop.native.running.mode_table import ModeTable
from inloop.native.running.schedule import FixedSteps, Schedule


def run_machine(
    table: ModeTable,
    start: MachineSnapshot,
    schedule: Schedule,
    *,
    most_events: int = 1000,
    settle_time: float | None = None,
    watch: Watch | None = None,
    short: bool = False,
) -> MachineRun:
    """Integrate a machine in C; Ctrl-C ends the run with status STOPPED and keeps the results.

    Args:
        table: the modes and transitions.
        start: initial mode, state and time; not modified.
        schedule: method, steps and samples. Tolerances per component have shape (largest x,) or
            (modes, largest x).
        most_events: maximum in one step; for adaptive steps, in 1e-4 of the run.
        settle_time: when the remainder of accumulating events is shorter than this it is skipped
            [s]; default: 1e-6 of a step, or of the time between samples.
        watch: called ten times a second, in this thread, with the completed fraction of the run.
        short: the run ends before the user could interrupt it; Ctrl-C waits for its end.

    Raises:
        InputError: modes, start and schedule are inconsistent.
    """
    check_limits(most_events, settle_time)
    check_start(table, start)
    _check_schedule(table, start, schedule)
    memory = MachineMemory(table, start, schedule, most_events, settle_time)
    return memory.run_blocks(start, watch, short)


def check_limits(most_events: int, settle_time: float | None) -> None:
    """Raise an error for invalid event limits."""
    if most_events < 1 or not (settle_time is None or settle_time >= 0.0):
        raise InputError(
            f"{most_events} events per step that settle in {settle_time} s make no sense",
            fix="Use most_events >= 1 and settle_time >= 0.",
        )


def check_start(table: ModeTable, start: MachineSnapshot) -> None:
    """Raise an error for a start that does not fit its mode."""
    if not 0 <= start.mode < len(table.state_sizes):
        raise InputError(
            f"the run cannot begin in mode {start.mode}: there are {len(table.state_sizes)} modes"
        )
    shape = (table.state_sizes[start.mode],)
    for name, vector in (("x", start.x), ("slope", start.slope)):
        if vector is not None and np.shape(vector) != shape:
            raise InputError(
                f"{name} has shape {np.shape(vector)}, mode {start.mode} needs {shape}",
                fix="Give (q, qd, z) in one vector.",
            )
    transitions = table.transition_counts[start.mode]
    if start.armed is not None and np.shape(start.armed) != (transitions,):
        raise InputError(
            f"armed has shape {np.shape(start.armed)}, mode {start.mode} has {transitions} "
            "transitions",
            fix="Begin from snapshot.fresh() when the modes have changed.",
        )


def _check_schedule(table: ModeTable, start: MachineSnapshot, schedule: Schedule) -> None:
    if isinstance(schedule, FixedSteps):
        return
    if not start.t <= schedule.t_end:
        raise InputError(
            f"the run begins at t = {start.t} s, after its end at {schedule.t_end} s",
            fix="Use a later t_end; only FixedSteps go back in time.",
        )
    shape = (max(table.state_sizes),)
    for name in ("rtol", "atol"):
        if np.shape(getattr(schedule, name)) not in ((), shape, (len(table.state_sizes), *shape)):
            raise InputError(
                f"{name} has shape {np.shape(getattr(schedule, name))}",
                fix=f"Use one number, or one per component of x: shape {shape}.",
            )
