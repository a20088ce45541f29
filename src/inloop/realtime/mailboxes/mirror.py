"""A mailbox without a plant, filled from elsewhere, e.g. by a link to another machine.

Controllers attach to it as to any plant and need not know.
"""

from __future__ import annotations

import ctypes
import time
from typing import NamedTuple

import numpy as np

from inloop.native.library import Reals
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import (
    COMMANDS,
    INPUTS,
    OUTPUTS,
    PARAMETERS,
    realtime_function,
)
from inloop.realtime.closing import Closing
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.mailboxes.memory import Attached, MemoryAccess
from inloop.realtime.mailboxes.outputs import Flag, State
from inloop.realtime.mailboxes.segment import Segment

SLOTS = (4096, 256, 16, 64, 64, 64)  # records in each ring


class Written(NamedTuple):
    """Inputs written by a controller.

    Attributes:
        answers: number of the outputs that they answer.
        stamp: CLOCK_MONOTONIC when they were written [ns].
        rest: whether they may stay indefinitely.
        values: one number per input.
    """

    answers: int
    stamp: int
    rest: bool
    values: Reals


class Mirror(Closing):
    """The mailbox of a plant that runs elsewhere; use it in a `with` statement.

    Its state is ARMED until another state is set.

    Attributes:
        name: name under which others attach.
        layout: names, units and sizes.
        layout_hash: as for a mailbox.
    """

    def __init__(self, name: str, layout: Layout, parameters: Reals) -> None:
        self.name, self.layout = name, layout
        self._segment = Segment(name, layout, SLOTS)
        attached = Attached(self._segment.memory)
        self._access = MemoryAccess(name, attached)
        self.layout_hash = f"{attached.box.layout.layout_hash:016x}"
        self._inputs_seen = self._commands_seen = self._published = 0
        self._inputs = np.zeros(layout.counts[INPUTS])
        self._parameters = np.zeros(layout.counts[PARAMETERS])
        self._publish(PARAMETERS, mirror("inloop_record")(), np.ascontiguousarray(parameters))
        shared = self._access.use().shared
        # parameters are checked elsewhere: nobody waits for the result here
        shared.speed, shared.parameters_seen = 1.0, 2**64 - 1

    @property
    def published(self) -> int:
        """Number of the newest outputs in this mailbox."""
        return self._published

    def publish(self, values: Reals, **about: int) -> None:
        """Publish a record of outputs.

        Args:
            values: all numbers, in the order of the layout.
            about: step, status, flags, partition; answers: number of the inputs in use; parameters:
                number of the parameters in use; default: the initial ones.
        """
        self._published += 1
        self._publish(OUTPUTS, mirror("inloop_record")(**{"parameters": 1, **about}), values)

    def wait(self, timeout: float) -> bool:
        """Wait for new inputs or commands [s]."""
        held, call = self._access.use(), realtime_function("il_mailbox_attend")
        seen = (self._inputs_seen, self._commands_seen)
        return bool(call(held.address, *seen, timeout) == 0)

    def inputs(self) -> Written | None:
        """The newest inputs, if not read yet."""
        record = self._newest(INPUTS, self._inputs)
        if record is None or record.sequence == self._inputs_seen:
            return None
        self._inputs_seen = record.sequence
        rest = bool(record.flags & Flag.REST)
        return Written(int(record.answers), int(record.stamp), rest, self._inputs.copy())

    def parameters(self) -> tuple[int, Reals] | None:
        """The newest parameters, and their number: 1 for the initial ones."""
        record = self._newest(PARAMETERS, self._parameters)
        return None if record is None else (int(record.sequence), self._parameters)

    def command(self) -> tuple[int, int, Reals] | None:
        """The next command: its number, what to do, values.

        The sender waits until `obeyed` is called with this number.
        """
        held, record = self._access.use(), mirror("inloop_record")()
        values = np.zeros(self.layout.counts[COMMANDS])
        call = realtime_function("il_mailbox_copy")
        number = self._commands_seen + 1
        place = (ctypes.addressof(record), values.ctypes.data)
        if call(held.address, COMMANDS, number, *place) != 0:
            return None
        self._commands_seen = number
        return number, int(record.status), values

    def obeyed(self, number: int, refused: bool) -> None:
        """Report the result of this command to its sender."""
        shared = self._access.use().shared
        shared.bad_commands += refused
        shared.commands_done = number

    def tell(self, state: State) -> None:
        """Set the state of the plant; processes that attach wait while it is ARMED."""
        shared = self._access.use().shared
        shared.state, shared.heartbeat = state.value, time.monotonic_ns()

    def end(self) -> None:
        """Report the end of the plant to all attached processes."""
        self.tell(State.ENDED)

    def close(self) -> None:
        """Report the end to all attached processes, and remove the mailbox."""
        if not self._access.closed:
            if self._segment.ours:
                self.end()
            self._access.close()
            self._segment.close()

    def _publish(self, ring: int, about: ctypes.Structure, values: Reals) -> None:
        call, held = realtime_function("il_mailbox_publish"), self._access.use()
        call(held.address, ring, ctypes.addressof(about), values.ctypes.data)

    def _newest(self, ring: int, values: Reals) -> ctypes.Structure | None:
        record, call = mirror("inloop_record")(), realtime_function("il_mailbox_newest")
        held = self._access.use()
        error = call(held.address, ring, ctypes.addressof(record), values.ctypes.data)
        return record if error == 0 else None
