"""An observer next to a running plant: `il.observe("robot", observer)`; its thread is C."""

from __future__ import annotations

import ctypes
import math
import os
import time
import weakref
from typing import Any

import numpy as np

from inloop.errors import SimulationError
from inloop.native import Status, address_of, aligned_zeros
from inloop.native.library import Reals
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import OUTPUTS, PARAMETERS, realtime_function
from inloop.native.running.follower import NativeFollower
from inloop.realtime.checks import is_finite, need, shown, timeout_of
from inloop.realtime.closing import ClosingOnSigterm
from inloop.realtime.mailboxes.attach import attach
from inloop.realtime.mailboxes.mailbox import Mailbox
from inloop.realtime.mailboxes.memory import Attached
from inloop.realtime.mailboxes.mirror import SLOTS
from inloop.realtime.mailboxes.segment import Segment
from inloop.realtime.observed import Observes, following, notes_of
from inloop.realtime.privileges import refusals
from inloop.realtime.report import Report

TAIL = ".observed"  # suffix of the plant's name: the mailbox with estimates
POLL = 0.01  # [s]


class Observation(ClosingOnSigterm):
    """An observer at the mailbox of a plant; use it in a `with` statement.

    Records of the plant are published again in a mailbox of their own, with estimates as
    additional signals, "observer.<name>". That mailbox is read-only: write inputs, parameters and
    commands to the mailbox of the plant.

    Attributes:
        name: name of the mailbox with the estimates, for attaching.
        mailbox: that mailbox, for reading.
    """

    def __init__(self, plant: Mailbox, observer: Observes, name: str, priority: int) -> None:
        self.name = name
        layout, follower = following(observer, plant.layout, inside=False)
        self._segment = Segment(name, layout, _slots(plant))
        try:
            self._memory = _Memory(plant.attached, self._segment, follower, priority)
            self._tell_parameters(plant)
            self.mailbox = Mailbox(name, Attached(self._segment.memory))
        except BaseException:
            self._segment.close()
            raise
        self._disarm = weakref.finalize(self, _disarm, self._memory, self._segment)
        self._final: Report | None = None
        status = realtime_function("il_beside_start")(self._memory.address)
        if status != 0:
            self._disarm()
            reason = os.strerror(-status) if status < 0 else Status(status).name
            raise SimulationError(f"the observer of '{plant.name}' cannot start: {reason}")
        self._memory.started = True
        # a process that attaches finds a record, if the plant has one
        beside = self._memory.beside
        while plant.newest > 0 and not beside.records and not beside.ended:
            time.sleep(0.0005)

    def _tell_parameters(self, plant: Mailbox) -> None:
        """Copy the current parameters of the plant, for readers."""
        values = np.array([float(plant.parameters[x.name]) for x in plant.layout.parameters])
        publish, about = realtime_function("il_mailbox_publish"), mirror("inloop_record")()
        box = ctypes.addressof(self._memory.beside.to)
        publish(box, PARAMETERS, ctypes.addressof(about), values.ctypes.data)

    @property
    def running(self) -> bool:
        """Whether it still follows the plant."""
        return self._disarm.alive and not self._memory.beside.ended

    @property
    def lost(self) -> int:
        """Number of records of the plant that it missed."""
        return int(self._memory.beside.lost)

    @property
    def notes(self) -> tuple[str, ...]:
        """Privileges refused by the system, and unusual events of the observer."""
        return (*refusals(self._memory.beside.privileges), *notes_of(self._memory.follower))

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the plant; False if it is still running after `seconds`."""
        end = math.inf if seconds is None else time.monotonic() + timeout_of(seconds)
        while self.running:
            if time.monotonic() >= end:
                return False
            time.sleep(POLL)
        return True

    def report(self) -> Report:
        """Statistics of its updates: `report().times("step")`."""
        return self.mailbox.report() if self._final is None else self._final

    def close(self) -> None:
        """Stop it and remove its mailbox; the plant continues."""
        if self._disarm.alive:
            if self._segment.ours:
                self._memory.end()
            self._final = self.mailbox.report()
            self.mailbox.close()
            self._disarm()

    def __repr__(self) -> str:
        return f"<Observation '{self.name}': {'running' if self.running else 'ended'}>"


def observe(
    plant: str,
    observer: Observes,
    *,
    name: str | None = None,
    wait: float = 0.0,
    priority: int = 0,
) -> Observation:
    """Observe a running plant, or a real device whose link fills a mailbox, in a C thread.

    Args:
        plant: name of its mailbox, as `il.attach` takes it.
        observer: `il.observer(...)`; it is copied.
        name: name of the mailbox with the estimates; default: that of the plant plus ".observed".
        wait: maximum time to wait for the plant to start [s].
        priority: SCHED_FIFO priority; 0: the ordinary scheduler.

    Raises:
        MailboxError: there is no such plant, or the other name is in use.
        InputError: the observer does not fit the plant.
    """
    good = is_finite(priority) and 0 <= priority <= 99
    need(good, f"priority = {shown(priority)}", "Use 0 to 99.")
    with attach(plant, wait) as box:
        return Observation(box, observer, name or f"{plant}{TAIL}", int(priority))


class _Memory:
    """All memory that the thread uses, and the structure that points to it."""

    def __init__(
        self, plant: Attached, segment: Segment, follower: NativeFollower, priority: int
    ) -> None:
        self._raw = aligned_zeros(-(-ctypes.sizeof(mirror("il_beside")) // 8))
        self.address = address_of(self._raw)
        self.beside: Any = mirror("il_beside").from_address(self.address)
        self.started = False
        self.follower = follower
        self._keep = (plant, segment.memory)
        self.beside.follower = follower.address
        setattr(self.beside, "from", plant.box)
        use, memory = realtime_function("il_mailbox_use"), segment.memory
        error = use(ctypes.addressof(self.beside.to), memory.address, memory.size, 0)
        assert error == 0
        self.beside.privileges.priority, self.beside.privileges.core = priority, -1
        scratch = realtime_function("il_beside_scratch")(self.address)
        assert scratch > 0
        self._scratch: Reals = aligned_zeros(scratch)
        self.beside.scratch = address_of(self._scratch)

    def end(self) -> None:
        """End the thread, once."""
        if self.started:
            self.started = False
            realtime_function("il_beside_stop")(self.address)
            realtime_function("il_beside_join")(self.address)


def _disarm(memory: _Memory, segment: Segment) -> None:
    """Leave neither a thread nor shared memory behind."""
    if segment.ours:
        memory.end()
        segment.close()


def _slots(plant: Mailbox) -> tuple[int, ...]:
    """As many output records as the plant keeps."""
    outputs = int(plant.attached.box.layout.rings[OUTPUTS].slots)
    return (outputs, *SLOTS[1:])
