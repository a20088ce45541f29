"""The mailbox of a plant that runs in this or another process: read, write, command."""

from __future__ import annotations

import contextlib
import ctypes
import time
from collections.abc import Mapping, Sequence
from typing import NoReturn

import numpy as np

from inloop.errors import InputError, MailboxError
from inloop.native.library import Reals
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import INPUTS, OUTPUTS, PARAMETERS, realtime_function
from inloop.realtime.checks import timeout_of, whole_of
from inloop.realtime.clock import PlantClock
from inloop.realtime.closing import Closing
from inloop.realtime.mailboxes.commands import Commands
from inloop.realtime.mailboxes.hand import Hand
from inloop.realtime.mailboxes.input_vector import InputVector
from inloop.realtime.mailboxes.layout import parse
from inloop.realtime.mailboxes.memory import Attached, MemoryAccess
from inloop.realtime.mailboxes.outputs import Flag, Outputs, State
from inloop.realtime.mailboxes.remote_parameters import RemoteParameters
from inloop.realtime.report import Report
from inloop.realtime.statistics import Statistics, statistics_at

OK, NOTHING, NO_SEGMENT, FOREIGN, BAD_SEGMENT, GONE, HELD, BUSY, BAD_VALUE, NO_MEMORY = range(10)
LONGEST_WAIT = 0.1  # [s] in one call of C
NO_COMMAND = 2**64 - 1  # no command has a larger number

_STATES = {state.value: state for state in State}


class Mailbox(Commands, Closing):
    """Access to a running plant. Several processes may read; one at a time writes inputs.

    A mailbox is for one thread; attach once in each thread. Another thread may close it: a blocked
    call then raises a MailboxError.

    Attributes:
        name: name of the running plant.
        layout: names, units and sizes.
        parameters: live parameters, a writable mapping.
        hand: pulls on bodies.
        lost: number of records that `next` missed.
    """

    def __init__(self, name: str, attached: Attached) -> None:
        header = attached.box.layout
        text = ctypes.string_at(attached.box.base + header.text_offset, header.text_size)
        access = MemoryAccess(name, attached)
        super().__init__(name, access, parse(header, text))
        self._own = attached.box  # private data, which remain when the memory is released
        self._record = mirror("inloop_record")()
        self._record_address = ctypes.addressof(self._record)
        self._values = np.zeros(self.layout.counts[OUTPUTS])
        self._values_address = self._values.ctypes.data
        self._inputs, self._wrote = InputVector(self.layout), False
        self.parameters = RemoteParameters(name, self.layout, access)
        self.hand = Hand(name, self.layout, access)
        functions = ("read", "wait", "next", "write")
        self._read, self._wait, self._next, self._write = (
            realtime_function(f"il_mailbox_{function}") for function in functions
        )

    @property
    def attached(self) -> Attached:
        """The memory, for C; hold it as long as it is used."""
        return self._use()

    # outputs

    @property
    def newest(self) -> int:
        """Number of the newest outputs; 0: none yet."""
        return self._head(self._use(), OUTPUTS)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all outputs."""
        return tuple(self.layout.index)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of q and qd."""
        return tuple(c.name for c in self.layout.coordinates)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs, in the order of `write`."""
        return tuple(c.name for c in self.layout.inputs)

    @property
    def layout_hash(self) -> str:
        """Plants with the same hash have the same names, units and sizes in the same order."""
        return f"{self._own.layout.layout_hash:016x}"

    @property
    def units(self) -> dict[str, str]:
        """Units of inputs, states, signals and parameters; of q for coordinates."""
        return {x.name: x.unit for group in self.layout.groups for x in group}

    def read(self) -> Outputs:
        """The newest outputs; the next `write` answers them."""
        held = self._use()
        error = self._read(held.address, self._record_address, self._values_address)
        return self._outputs(error, held)

    def peek(self) -> Outputs:
        """The newest outputs, for observers: does not affect `wait` and `write`."""
        held, newest = self._use(), realtime_function("il_mailbox_newest")
        place = (self._record_address, self._values_address)
        return self._outputs(newest(held.address, OUTPUTS, *place), held)

    def wait(self, timeout: float = 1.0) -> Outputs | None:
        """Wait for outputs newer than those read last.

        Args:
            timeout: maximum wait [s].

        Returns:
            The newest outputs; None on timeout.

        Raises:
            MailboxError: the plant has ended, or the mailbox was closed in the meantime.
        """
        end = time.monotonic() + timeout_of(timeout)
        while True:
            # Python handles no signals while it is in C
            held = self._use()
            left = end - time.monotonic()
            arguments = (min(left, LONGEST_WAIT), self._record_address, self._values_address)
            error = self._wait(held.address, *arguments)
            if error != NOTHING or held.lost:
                return self._outputs(error, held)
            if left <= LONGEST_WAIT:
                return None

    def next(self) -> Outputs | None:
        """The next record of the telemetry; None when all have been read.

        Nothing is lost as long as the reader keeps up; `lost` counts the records it missed.
        """
        held = self._use()
        error = self._next(held.address, self._record_address, self._values_address)
        return None if error == NOTHING and not held.lost else self._outputs(error, held)

    def rewind(self) -> None:
        """Let `next` continue with the oldest records that are certainly still available."""
        held = self._use()
        slots = held.box.layout.rings[OUTPUTS].slots
        # keep some distance to the writer, which continues in the meantime
        oldest = self._head(held, OUTPUTS) - slots + 1
        held.box.cursor = oldest + slots // 8 if oldest > 0 else 0

    def parameters_at(self, sequence: int) -> dict[str, float] | None:
        """Parameters by their number in outputs; None if they have been overwritten."""
        number = whole_of(sequence, "the number")
        held, values = self._use(), np.zeros(self.layout.counts[PARAMETERS])
        copy, record = realtime_function("il_mailbox_copy"), mirror("inloop_record")()
        place = (ctypes.addressof(record), values.ctypes.data)
        if number < 1 or copy(held.address, PARAMETERS, number, *place) != OK:
            return None
        names = (x.name for x in self.layout.parameters)
        return dict(zip(names, values.tolist(), strict=True))

    def _outputs(self, error: int, held: Attached) -> Outputs:
        if error != OK:
            self._raise(error, held)
        return Outputs(self.layout, self._record, self._values.copy())

    @property
    def lost(self) -> int:
        """Number of records that `next` missed."""
        return int(self._own.lost)

    # inputs

    def write(
        self,
        values: Mapping[str, float] | Sequence[float] | Reals | None = None,
        **named: float | Sequence[float] | Reals,
    ) -> None:
        """Write inputs; the first writer owns them until it releases them.

        Args:
            values: all inputs in the order of `inputs`, or some by name; the others are unchanged.
            named: inputs by name, and tau for the efforts of all joints.

        Raises:
            MailboxError: another process writes them.
            InputError: a name that is unknown or written by the plant's controller, a wrong size,
                or a number that is not finite.
        """
        held = self._use()
        self._continue_inputs(held)
        if values is not None or named:
            self._inputs.update(values, named)
        error = self._write(held.address, self._inputs.address)
        if error != OK:
            self._raise(error, held)
        self._wrote = True

    def rest(
        self,
        values: Mapping[str, float] | Sequence[float] | Reals | None = None,
        **named: float | Sequence[float] | Reals,
    ) -> None:
        """Leave cleanly: write inputs that may stay indefinitely, and let others write.

        They do not become stale, unlike those of a controller that ends without this.

        Args:
            values: all inputs in the order of `inputs`, or some by name; the others are unchanged.
            named: inputs by name, and tau for the efforts of all joints.

        Raises:
            MailboxError: another process writes them.
            InputError: a name that is unknown or written by the plant's controller, a wrong size,
                or a number that is not finite.
        """
        held = self._use()
        self._continue_inputs(held)
        self._inputs.update(values, named)
        error = realtime_function("il_mailbox_rest")(held.address, self._inputs.address)
        if error != OK:
            self._raise(error, held)
        self._wrote = False

    def answer(
        self,
        sequence: int,
        values: Mapping[str, float] | Sequence[float] | Reals,
        stamp: int = 0,
        *,
        rest: bool = False,
    ) -> None:
        """Write inputs on behalf of a remote controller that has read the outputs with this number.

        Args:
            sequence: number of the outputs that they answer; 0 if unknown.
            values: all inputs in the order of `inputs`, or some by name; the others are unchanged.
            stamp: CLOCK_MONOTONIC when the controller wrote them [ns], from which their age counts;
                0 for now.
            rest: as with `rest`: they may stay, and others may write.

        Raises:
            MailboxError: another process writes them.
            InputError: a wrong size, or a number that is not finite.
        """
        answers, stamp = whole_of(sequence, "an answer to outputs"), whole_of(stamp, "the stamp")
        self._continue_inputs(self._use())
        self._inputs.update(values, {})
        self.take()
        self._wrote = True
        flags = Flag.REST if rest else 0
        about = mirror("inloop_record")(answers=answers, stamp=stamp, flags=flags)
        publish = realtime_function("il_mailbox_publish")
        publish(self._use().address, INPUTS, ctypes.addressof(about), self._inputs.address)
        if rest:
            self.release()

    def _continue_inputs(self, held: Attached) -> None:
        """Begin with the inputs that the plant has now, which somebody else may have written."""
        if self._wrote:
            return
        newest = realtime_function("il_mailbox_newest")
        record, values = mirror("inloop_record")(), np.zeros(self.layout.counts[INPUTS])
        place = (ctypes.addressof(record), values.ctypes.data)
        written = newest(held.address, INPUTS, *place) == OK and bool(np.isfinite(values).all())
        with contextlib.suppress(MailboxError):  # damaged, or there are none yet
            outputs = self.peek()
            waiting = written and record.sequence > outputs.input_sequence
            self._inputs.values[:] = values if waiting else outputs.inputs

    @property
    def inputs_written(self) -> int:
        """Number of the newest inputs; outputs refer to the inputs they used by this number."""
        return self._head(self._use(), INPUTS)

    @staticmethod
    def _head(held: Attached, ring: int) -> int:
        """Number of the newest record of a ring."""
        place = held.box.layout.rings[ring]
        return int(mirror("inloop_ring").from_address(held.box.base + place.offset).head)

    def answered(self, timeout: float = 1.0) -> bool:
        """Wait until new inputs have been written that answer the newest outputs.

        Args:
            timeout: maximum wait [s].

        Returns:
            False on timeout.
        """
        newest, attend = (realtime_function(f"il_mailbox_{f}") for f in ("newest", "attend"))
        record, values = mirror("inloop_record")(), np.zeros(self.layout.counts[INPUTS])
        place = (ctypes.addressof(record), values.ctypes.data)
        end = time.monotonic() + timeout_of(timeout)
        while True:
            held = self._use()
            error = newest(held.address, INPUTS, *place)
            if error == OK and record.answers >= self._head(held, OUTPUTS):
                return True
            left = end - time.monotonic()
            if left <= 0.0:
                return False
            # commands are not waited for
            attend(held.address, record.sequence, NO_COMMAND, min(left, LONGEST_WAIT))

    def written(self, after: int, timeout: float = 1.0) -> bool:
        """Wait until new inputs have been written with a larger number.

        Args:
            after: number of inputs, see `inputs_written`.
            timeout: maximum wait [s].

        Returns:
            False on timeout.
        """
        attend, after = realtime_function("il_mailbox_attend"), whole_of(after, "the number")
        end = time.monotonic() + timeout_of(timeout)
        while self.inputs_written <= after:
            left = end - time.monotonic()
            if left <= 0.0:
                return False
            # commands are not waited for
            attend(self._use().address, after, NO_COMMAND, min(left, LONGEST_WAIT))
        return True

    def take(self) -> None:
        """Become the writer of the inputs before writing any.

        Raises:
            MailboxError: another process writes them.
        """
        held = self._use()
        error = realtime_function("il_mailbox_take")(held.address, INPUTS)
        if error != OK:
            self._raise(error, held)

    def release(self) -> None:
        """Let another process write the inputs."""
        held = self._use()
        realtime_function("il_mailbox_release")(held.address, INPUTS)
        self._wrote = False

    @property
    def writer(self) -> int | None:
        """Process that currently writes the inputs."""
        held = self._use()
        owner = realtime_function("il_mailbox_owner")(held.address, INPUTS)
        alive = owner != 0 and realtime_function("il_mailbox_alive")(owner)
        return int(owner >> 42) if alive else None

    # state of the run

    @property
    def state(self) -> State:
        """State of the loop."""
        held = self._use()
        return _STATES.get(held.shared.state, State.ENDED)

    @property
    def clock(self) -> PlantClock:
        """The clock of the plant: that of the system, or a scripted one."""
        return PlantClock(self.name, self._access)

    @property
    def process(self) -> int:
        """The process in which the plant runs."""
        return int(self._use().box.layout.creator >> 42)

    @property
    def gone(self) -> bool:
        """Whether the plant has ended, or its process has died."""
        held = self._use()
        return held.lost or bool(realtime_function("il_mailbox_gone")(held.address) == GONE)

    def statistics(self) -> Statistics:
        """Counters and histograms of the loop, up to now."""
        held = self._use()
        return statistics_at(held.shared)

    def report(self) -> Report:
        """Deadline statistics so far."""
        return Report.of(self.name, self.layout.period, self.statistics())

    # end

    def close(self) -> None:
        """Release everything, including the memory."""
        self._access.close()

    def __repr__(self) -> str:
        state = "closed" if self._access.closed else self.state.name
        return f"<Mailbox '{self.name}' of model '{self.layout.model}': {state}>"

    def _raise(self, error: int, held: Attached) -> NoReturn:
        if held.lost:
            raise MailboxError(
                f"another program has cut short the memory of plant '{self.name}'",
                fix="Start the plant again.",
            )
        if error == HELD:
            raise MailboxError(
                f"the inputs of plant '{self.name}' are written by process {self.writer}",
                fix="Stop that process, or let it call release().",
            )
        if error == BAD_VALUE:
            raise InputError(
                f"inputs for plant '{self.name}' hold NaN or infinity", fix="Nothing was written."
            )
        if error == GONE:
            raise MailboxError(f"plant '{self.name}' has ended", fix="Start it again.")
        raise MailboxError(
            f"no complete record could be read from plant '{self.name}'",
            fix="Its mailbox is damaged; stop the plant and start it again.",
        )
