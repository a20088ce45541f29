"""Start, monitor and stop the native loop from Python."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import time
import weakref

import numpy as np

from inloop.errors import InputError, MailboxError, SimulationError
from inloop.native import Status, address_of, aligned_zeros
from inloop.native.library import Reals
from inloop.native.mirror import field_offset, mirror
from inloop.native.realtime_functions import PARAMETERS, realtime_function
from inloop.plant import BarePlant
from inloop.plant.formulation.reduced_loops import MOST_ITERATIONS
from inloop.realtime.checks import timeout_of
from inloop.realtime.clock import PlantClock, Script
from inloop.realtime.closing import ClosingOnSigterm
from inloop.realtime.controller_process import ControllerProcess
from inloop.realtime.hand import HandMemory
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.mailboxes.mailbox import Mailbox
from inloop.realtime.mailboxes.memory import Attached
from inloop.realtime.mailboxes.outputs import Outputs, State
from inloop.realtime.mailboxes.segment import Segment
from inloop.realtime.observed import notes_of
from inloop.realtime.options import MODES, Options
from inloop.realtime.privileges import refusals
from inloop.realtime.report import Report
from inloop.realtime.resident import bring_in
from inloop.realtime.statistics import Statistics
from inloop.realtime.wiring import Wiring
from inloop.simulate.judging.divided_steps import divided_notes

INPUT_SLOTS, PARAMETER_SLOTS, COMMAND_SLOTS, HAND_SLOTS, PULL_SLOTS = 256, 16, 64, 64, 4096
FEWEST_RECORDS, MOST_TELEMETRY = 1024, 256 << 20  # records; bytes
POLL = 0.01  # [s]
CUT_SHORT = (
    "another program has cut short the memory of the mailbox: nobody reaches this plant any more, "
    "and counts begin anew there; start it again"
)

_armed: set[_Memory] = set()  # in this process; memory is locked for all of them together


class Loop(ClosingOnSigterm):
    """A plant that runs in a C thread of its own; use it in a `with` statement.

    All communication goes through its mailbox, also that of this class.

    Attributes:
        name: name under which others attach.
        mailbox: mailbox of this plant.
        options: run options.
    """

    def __init__(
        self, plant: BarePlant, wiring: Wiring, options: Options, name: str, steps: int = 0
    ) -> None:
        self.name, self.options = name, options
        self._wiring = wiring
        memory = _Memory(wiring, options, steps)
        scripted = options.clock is not None
        segment = Segment(name, wiring.layout, _slots(wiring, options), scripted)
        place = (segment.memory.address, segment.memory.size, 0)
        error = realtime_function("il_mailbox_use")(ctypes.addressof(memory.loop.box), *place)
        assert error == 0
        self.mailbox = Mailbox(name, Attached(segment.memory))
        self._memory, self._segment = memory, segment
        # also at program exit, and if it is never closed
        self._disarm = weakref.finalize(self, _disarm, memory, segment)
        self._final: Report | None = None
        self._controller: ControllerProcess | None = None
        self._arm(plant.parameters.values_array)

    def _arm(self, parameters: Reals) -> None:
        """Everything is in memory before the thread starts."""
        memory, loop = self._memory, self._memory.loop
        about, values = mirror("inloop_record")(), np.ascontiguousarray(parameters)
        publish = realtime_function("il_mailbox_publish")
        publish(ctypes.addressof(loop.box), PARAMETERS, ctypes.addressof(about), values.ctypes.data)
        scratch = realtime_function("il_loop_scratch")(memory.address)
        memory.scratch = aligned_zeros(scratch)
        loop.scratch = address_of(memory.scratch)
        if loop.privileges.lock_memory:
            bring_in(self._wiring.instance.memory, memory.scratch)
        status = realtime_function("il_loop_start")(memory.address)
        if status != 0:
            self._disarm.detach()
            self.mailbox.close()
            self._segment.close()
            reason = os.strerror(-status) if status < 0 else Status(status).name
            raise SimulationError(f"the loop of '{self.name}' cannot start: {reason}")
        memory.started = True
        _armed.add(memory)
        while self.mailbox.state == State.ARMED:
            time.sleep(0.0005)

    def begin_with(self, controller: ControllerProcess, *, paused: bool) -> None:
        """Wait for the first answer of a controller, which belongs to this loop from then on.

        Args:
            controller: forked and waiting.
            paused: stay paused.

        Raises:
            SimulationError: the controller has failed; the loop is closed.
        """
        self._controller = controller
        try:
            controller.attend(self.name)
            if not paused:
                self.mailbox.resume()
        except BaseException:
            self.close()
            raise

    @property
    def running(self) -> bool:
        """Whether the thread is still running."""
        return self._disarm.alive and self.mailbox.state != State.ENDED

    @property
    def clock(self) -> PlantClock:
        """Its clock."""
        return self.mailbox.clock

    @property
    def notes(self) -> tuple[str, ...]:
        """Differences from the declared start; privileges refused by the system; its observer."""
        lost = self._disarm.alive and self._segment.memory.lost
        refused = refusals(self._memory.loop.privileges)
        follower = self._wiring.follower
        told = () if follower is None else notes_of(follower)
        divided, cut = divided_notes(self._wiring.systems), (CUT_SHORT,) if lost else ()
        return (*self._wiring.notes, *refused, *cut, *told, *divided)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the run; False if it is still running after `seconds`.

        Raises:
            SimulationError: its controller has failed.
        """
        end = math.inf if seconds is None else time.monotonic() + timeout_of(seconds)
        while self.running:
            if self._controller is not None:
                self._controller.check()
            left = end - time.monotonic()
            if left <= 0.0:
                return False
            time.sleep(min(POLL, left))
        return True

    def report(self) -> Report:
        """Deadline statistics, up to now or to the end."""
        if self._final is not None:
            return self._final
        statistics, loop = self.mailbox.statistics(), self._memory.loop
        outputs: Outputs | None = None
        # another process may have damaged them
        with contextlib.suppress(MailboxError):
            outputs = self.mailbox.peek()
        return Report(
            self.name,
            self.options.period,
            statistics,
            Status(loop.end_status or loop.failure).name,
            outputs,
            (*self.notes, *_events_told(statistics, self.mailbox.layout)),
            MOST_ITERATIONS if self._wiring.closes_loops else 0,
        )

    def close(self) -> Report:
        """End the run and remove the mailbox; in a forked process, only release it.

        Returns:
            The report on the whole run.

        Raises:
            SimulationError: its controller has failed, which has not been raised yet; its `report`
                is that of the whole run.
        """
        if self._final is None:
            try:
                if self._segment.ours:
                    realtime_function("il_loop_stop")(self._memory.address)
                    self._memory.join()
                self._final = self.report()
            finally:
                self.mailbox.close()
                self._disarm()
                if self._controller is not None and self._segment.ours:
                    self._controller.end()
            if self._controller is not None:
                self._controller.tell(self._final)
        return self._final

    def __repr__(self) -> str:
        state = "running" if self.running else "ended"
        return f"<Loop '{self.name}' at {self.options.rate:g} Hz: {state}>"


class _Memory:
    """All memory that the thread uses, and the structure that points to it."""

    def __init__(self, wiring: Wiring, options: Options, steps: int) -> None:
        self._raw = aligned_zeros(-(-ctypes.sizeof(mirror("il_loop")) // 8))
        self.address = address_of(self._raw)
        self.loop = mirror("il_loop").from_address(self.address)
        self.started = False
        self.scratch: Reals | None = None
        self._wiring = wiring
        self._fill_inputs(wiring, options)
        self._fill_watched(wiring)
        loop = self.loop
        loop.instance, loop.start = wiring.instance.address, address_of(wiring.start)
        loop.first = None if wiring.first is None else address_of(wiring.first)
        self._hand = HandMemory(wiring.reach, wiring.instance)
        loop.hand, loop.substeps = self._hand.address, options.substeps
        loop.follower = None if wiring.follower is None else wiring.follower.address
        loop.mode, loop.period = MODES[options.mode], 1e9 * options.period
        loop.speed, loop.steps_wanted, loop.paused = options.speed, steps, options.paused
        loop.extrapolate = options.extrapolate
        loop.stale_after = round(1e9 * (options.stale_after or 0.0))
        loop.policy[:] = options.policy_codes
        loop.most_backlog = round(options.most_late * options.rate)
        loop.warm, loop.bare_loop = round(1e9 * options.lead), options.bare_loop
        if options.clock is not None:
            self._script = Script(options.clock, field_offset("il_loop", "box") + self.address)
            loop.clock, loop.clock_self = self._script.functions, self._script.address
        # a loop without pacing must not keep others from the processor
        clocked = options.mode == "clock" and options.clock is None
        loop.privileges.priority = (options.priority or 0) if clocked else 0
        loop.privileges.core = -1 if options.core is None else options.core
        loop.privileges.lock_memory = options.lock_memory and clocked

    def _fill_watched(self, wiring: Wiring) -> None:
        """Drives and contacts that the loop monitors."""
        self._drives = (mirror("il_live_drive") * max(1, len(wiring.drives)))()
        for row, (position, velocity) in zip(self._drives, wiring.drives, strict=False):
            row.position, row.velocity = position, velocity
        self._touches = (mirror("il_touch") * max(1, len(wiring.gaps)))()
        for touch, gap in zip(self._touches, wiring.gaps, strict=False):
            touch.gap = gap
        loop = self.loop
        loop.drives, loop.drive_count = ctypes.addressof(self._drives), len(wiring.drives)
        loop.touches, loop.touch_count = ctypes.addressof(self._touches), len(wiring.gaps)

    def _fill_inputs(self, wiring: Wiring, options: Options) -> None:
        inputs = wiring.layout.inputs
        self._start = np.array([x.default for x in inputs])
        names = [x.name for x in inputs]
        # a driven joint stays in place: it cannot jump to 0
        driven = {f"{c.name}.q" for c in wiring.layout.coordinates}
        self._safe = np.array([math.nan if name in driven else 0.0 for name in names])
        for name, value in options.safe.items():
            if name not in names or not (value is None or math.isfinite(value)):
                shown = ", ".join(names[:12])
                raise InputError(
                    f"{value} cannot be the safe value of input '{name}'",
                    fix=f"Give finite numbers, or None to keep what is there, for: {shown}.",
                )
            self._safe[names.index(name)] = math.nan if value is None else value
        self.loop.inputs_start = address_of(self._start)
        self.loop.inputs_safe = address_of(self._safe)

    def join(self) -> None:
        """Wait for the thread, once."""
        if self.started:
            self.started = False
            realtime_function("il_loop_join")(self.address)


def _disarm(memory: _Memory, segment: Segment) -> None:
    """Remove the thread and its shared and locked memory."""
    if not segment.ours:
        return  # forked: the thread runs in the parent
    realtime_function("il_loop_stop")(memory.address)
    memory.join()
    _armed.discard(memory)
    if not any(other.loop.privileges.lock_memory for other in _armed):
        realtime_function("il_loop_unlock")()
    memory.loop.box.base = None
    segment.close()


def _events_told(statistics: Statistics, layout: Layout) -> tuple[str, ...]:
    """Events of the loop that a report must mention."""
    beyond, jumps = statistics.left_bounds(layout), statistics.drives_that_jump(layout)
    told = f"{beyond}: the last good state was kept" if beyond else ""
    brief, missed = statistics.brief_contact(layout), statistics.missed_turn()
    inexact = statistics.inexact_contact()
    return tuple(words for words in (told, jumps, brief, missed, inexact) if words)


def _slots(wiring: Wiring, options: Options) -> tuple[int, ...]:
    """Records to keep in each ring."""
    size = 64 + 8 * (wiring.layout.counts[0] + 8)
    wanted = max(FEWEST_RECORDS, options.telemetry * options.rate)
    count = min(wanted, MOST_TELEMETRY / size)
    outputs = 1 << max(2, math.ceil(math.log2(count)))
    return outputs, INPUT_SLOTS, PARAMETER_SLOTS, COMMAND_SLOTS, HAND_SLOTS, PULL_SLOTS
