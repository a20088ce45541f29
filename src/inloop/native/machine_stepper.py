"""A machine stepped one step at a time from Python, as the real-time loop steps it from C."""

from __future__ import annotations

import ctypes

from inloop.errors import InputError
from inloop.native.library import POINTER, REAL, Reals
from inloop.native.machine import check_limits, check_start
from inloop.native.machine_memory import Block, MachineMemory
from inloop.native.machine_run import Event, MachineSnapshot
from inloop.native.mode_table import ModeTable
from inloop.native.runtime_library import load_runtime
from inloop.native.schedule import FixedSteps, Method, Status


class MachineStepper:
    """A machine at rest between steps; inputs and parameters may change there.

    Attributes:
        events: what happened in the last step.
    """

    def __init__(
        self,
        table: ModeTable,
        start: MachineSnapshot,
        method: Method,
        step: float,
        most_events: int = 16,
        settle_time: float | None = None,
    ) -> None:
        """Set up a machine.

        Args:
            table: the modes, and how they follow each other.
            start: where and when to begin.
            method: how to integrate.
            step: [s].
            most_events: in one step.
            settle_time: when what is left of firings that accumulate is no longer told apart [s];
                1e-6 of the step by default.
        """
        check_limits(most_events, settle_time)
        self._table = table
        check_start(self._table, start)
        self.events: list[Event] = []
        self._method, self._step = method, step
        self._limits = (most_events, settle_time)
        self._begin(start)

    def _begin(self, start: MachineSnapshot) -> None:
        schedule = FixedSteps(self._method, self._step, 1)
        self._memory = MachineMemory(self._table, start, schedule, *self._limits)
        self._room: Block = next(self._memory.rooms())
        # events beyond the room are counted, not waited for
        self._memory.machine.complete = 0
        runtime = load_runtime()
        self._call = runtime.function("il_machine_step", POINTER, REAL, REAL)
        self._address = ctypes.addressof(self._memory.machine)
        status = runtime.function("il_machine_init", POINTER)(self._address)
        if status != Status.OK:
            raise InputError("the modes make no sense", fix="Give rates for each.")

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._memory.machine.t)

    @property
    def mode(self) -> int:
        """Number of the present mode."""
        return int(self._memory.machine.mode)

    @property
    def x(self) -> Reals:
        """State of the present mode."""
        return self._memory.x[: self._table.state_sizes[self.mode]].copy()

    def step(self) -> Status:
        """One step; if it fails, everything stays as it was."""
        machine, c = self._memory.machine, self._memory.c
        machine.event_count = 0
        status = self._call(self._address, machine.t, self._step)
        if status == Status.OK:
            # counted, not summed up: the times of runs and of the loop, to the bit
            c.step += 1
            machine.t = c.t0 + c.step * self._step
        self.events = list(self._memory.happened(self._room)) if machine.event_count else []
        return Status(status)

    def snapshot(self) -> MachineSnapshot:
        """All that influences the future, beside inputs and parameters."""
        return self._memory.snapshot()

    def restore(self, snapshot: MachineSnapshot) -> None:
        """Go back to where a snapshot was taken."""
        check_start(self._table, snapshot)
        self._begin(snapshot)
