"""All memory of one run of a machine, and the C structures that point to it."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inloop.native.library import Reals, address_of, aligned_zeros
from inloop.native.mirror import mirror, row_type
from inloop.native.running.interruptible import Watch, call_interruptible
from inloop.native.running.machine_run import (
    Event,
    Fault,
    Integers,
    MachineRun,
    MachineSnapshot,
    Record,
)
from inloop.native.running.mode_table import ModeTable
from inloop.native.running.schedule import AdaptiveSteps, FixedSteps, Schedule, Status

_MOST_ROWS = 1 << 16  # rows of the first block of samples; each further one is twice as long
_FEW_ROWS = 1 << 10  # rows of the first block if the number of samples is unknown
_FEW_STEPS = 8  # a run of this many steps is short
_FEW_EVENTS = 1 << 8  # rows of the first block of the log
SAME_TIME = 1e-9  # fraction of a step: smaller time differences are ignored
SETTLED = 1e-6  # fraction of a step: events that end within it have settled
MOMENT = 1e-3  # fraction of a run without step and samples
_WINDOW = 1e-4  # fraction of an adaptive run in which events are counted


@dataclass
class Block:
    """Buffers for samples and events."""

    t: Reals
    x: Reals
    mode: Integers
    events: NDArray[Any]
    states: Reals


class MachineMemory:
    """One run: its memory, the C structures, and its results."""

    def __init__(
        self,
        table: ModeTable,
        begin: MachineSnapshot,
        schedule: Schedule,
        most_events: int,
        settle_time: float | None = None,
    ) -> None:
        self.schedule, moment = schedule, _moment(schedule, begin)
        self.table = table
        self.sizes = sizes = table.sizes(schedule.method)
        self.stop = ctypes.c_int(0)
        self.x = _padded(begin.x, sizes.largest)
        self.slope = _padded(begin.slope, sizes.largest)
        self.work = aligned_zeros(sizes.work)
        self.integers = np.zeros(sizes.integers, dtype=np.int64)
        self.armed = np.zeros(sizes.armed, dtype=np.int64)
        self.history = np.zeros(2 * sizes.transitions, dtype=row_type("il_history"))
        if begin.armed is not None:
            self.armed[: len(begin.armed)] = begin.armed
        if begin.history is not None:
            self.history[: sizes.transitions] = begin.history
        self.machine = mirror("il_machine")(
            modes=self.table.address,
            mode_count=len(table.state_sizes),
            method=schedule.method,
            most_events=most_events,
            settle_time=SETTLED * moment if settle_time is None else settle_time,
            time_tolerance=SAME_TIME * moment,
            work=address_of(self.work),
            integers=self.integers.ctypes.data,
            complete=1,
            t=begin.t,
            mode=begin.mode,
            entered=begin.armed is not None,
            x=address_of(self.x),
            armed=self.armed.ctypes.data,
            history=self.history.ctypes.data,
            events_in_step=begin.events_in_step,
        )
        self.c = mirror("il_run")(
            machine=ctypes.addressof(self.machine),
            t0=begin.origin,
            stride=schedule.stride,
            sample_step=schedule.sample or 0.0,
            stop=ctypes.addressof(self.stop),
            slope=address_of(self.slope),
            slope_known=begin.slope is not None,
            step=begin.step,
            window_end=begin.window_end,
        )
        if isinstance(schedule, FixedSteps):
            self._set_fixed(begin, schedule)
        else:
            self._set_adaptive(begin, schedule)

    def _set_fixed(self, begin: MachineSnapshot, schedule: FixedSteps) -> None:
        c, h = self.c, schedule.step
        # up to rounding, because C may use fused multiply-add
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

    def _set_adaptive(self, begin: MachineSnapshot, schedule: AdaptiveSteps) -> None:
        c, shape = self.c, (len(self.table.state_sizes), len(self.x))
        self.rtol = np.array(np.broadcast_to(schedule.rtol, shape), dtype=np.float64)
        self.atol = np.array(np.broadcast_to(schedule.atol, shape), dtype=np.float64)
        c.rtol, self.machine.atol = address_of(self.rtol), address_of(self.atol)
        c.t_end, c.h_min, c.h_max = schedule.t_end, schedule.min_step, schedule.max_step
        c.max_steps = schedule.max_steps
        c.window = _WINDOW * (schedule.t_end - begin.origin)
        c.error_before = begin.error_before
        c.h = begin.step_size if begin.error_before > 0.0 else schedule.first_step or 0.0
        self.function = "il_run_adaptive"
        if schedule.sample is None:
            self.rows = min(_FEW_ROWS, schedule.max_steps // schedule.stride + 3)
        else:
            self.rows = math.ceil((schedule.t_end - begin.t) / schedule.sample) + 3

    def run_blocks(
        self, begin: MachineSnapshot, watch: Watch | None, short: bool = False
    ) -> MachineRun:
        """Run to the end, with new buffers whenever one is full."""
        blocks: list[Block] = []
        events: list[Event] = []
        adapted = None if watch is None else self._since_begin(watch)
        fixed = isinstance(self.schedule, FixedSteps)
        short = short or (fixed and self.c.last_step - self.c.step <= _FEW_STEPS)
        for block in self.rooms():
            keep = (self, block)
            status = call_interruptible(self.function, self.c, self.stop, keep, adapted, short)
            # a later block begins with the last state of the previous one
            good = slice(1 if blocks else 0, self.c.samples)
            block.t, block.x, block.mode = block.t[good], block.x[good], block.mode[good]
            blocks.append(block)
            events += self.happened(block)
            if status != Status.SAMPLES_FULL:
                break
        t, x = _joined([b.t for b in blocks]), _joined([b.x for b in blocks])
        mode = _joined([b.mode for b in blocks])
        c = self.c
        end = self.snapshot() if len(t) else begin
        counts = (c.steps_done, c.rejected, c.evaluations, c.jacobians)
        return MachineRun(status, t, x, mode, events, *counts, end, self._fault(status))

    def rooms(self) -> Iterator[Block]:
        """Blocks of growing size, each registered with C."""
        rows, count, width = min(self.rows, _MOST_ROWS), _FEW_EVENTS, len(self.x)
        while True:
            modes, events = np.empty(rows, np.int64), np.empty(count, row_type("il_event"))
            block = Block(
                np.empty(rows), np.empty((rows, width)), modes, events, np.empty((count, 2, width))
            )
            self.c.capacity, self.machine.event_capacity = rows, count
            self.c.t_samples, self.c.x_samples = address_of(block.t), address_of(block.x)
            self.c.mode_samples = modes.ctypes.data
            self.machine.events, self.machine.event_count = events.ctypes.data, 0
            self.machine.event_states = address_of(block.states)
            yield block
            # a step whose events did not fit has been undone; otherwise the samples have filled the
            # block
            count = count if 2 * self.c.samples > rows else 4 * count
            rows *= 2

    def happened(self, block: Block) -> Iterator[Event]:
        """The events logged in a block."""
        rows = block.events[: self.machine.event_count]
        yield from logged_events(rows, block.states, self.table.state_sizes)

    def _fault(self, status: int) -> Fault | None:
        c = self.machine
        if status == Status.OK or c.fault_mode < 0:
            return None
        transition = None if c.fault_transition < 0 else int(c.fault_transition)
        return Fault(c.fault_t, c.fault_mode, transition)

    def _since_begin(self, watch: Watch) -> Watch:
        """Adapt a watch to the fraction that C counts from t0."""
        c = self.c
        if isinstance(self.schedule, FixedSteps):
            before = c.step / max(c.last_step, 1)
        else:
            before = (self.machine.t - c.t0) / ((c.t_end - c.t0) or 1.0)
        c.fraction = before
        return lambda fraction: watch((fraction - before) / ((1.0 - before) or 1.0))

    def snapshot(self) -> MachineSnapshot:
        """The final state of the run."""
        c, machine = self.c, self.machine
        size = self.table.state_sizes[machine.mode]
        transitions = self.table.transition_counts[machine.mode]
        slope = self.slope[:size].copy() if c.slope_known else None
        armed = self.armed[:transitions].copy() if machine.entered else None
        return MachineSnapshot(
            machine.mode,
            self.x[:size].copy(),
            machine.t,
            slope,
            c.t0,
            c.step,
            c.h,
            c.error_before,
            armed,
            self.history[: self.sizes.transitions].copy(),
            machine.events_in_step,
            c.window_end,
        )


def logged_events(rows: NDArray[Any], states: Reals, sizes: Sequence[int]) -> Iterator[Event]:
    """Events from rows of a log.

    Args:
        rows: as il_event.
        states: before and after each, shape (at least as many, 2, longest x).
        sizes: length of x in each mode.
    """
    for row, (before, after) in zip(rows, states, strict=False):
        mode, transition, next_mode, settled = row.item()[1:5]
        x_before = before[: sizes[mode]].copy()
        x_after = after[: sizes[next_mode]].copy()
        ends = (Record(*row["record"].item()), x_before, x_after, bool(settled))
        yield Event(float(row["t"]), mode, transition, next_mode, *ends)


def _moment(schedule: Schedule, begin: MachineSnapshot) -> float:
    """Characteristic time of a run [s]: its step, sampling time, or a fraction of its length."""
    if isinstance(schedule, FixedSteps):
        return abs(schedule.step)
    return schedule.sample or MOMENT * (schedule.t_end - begin.origin)


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


def _padded(vector: Reals | None, size: int) -> Reals:
    row = np.zeros(size)
    if vector is not None:
        row[: len(vector)] = vector
    return row
