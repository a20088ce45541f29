"""Collect all records of a plant that runs in this process, and convert them to a result."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace

import numpy as np

from inloop.errors import MailboxError
from inloop.realtime.closing import Closing
from inloop.realtime.loop import Loop
from inloop.realtime.mailboxes.attach import attach
from inloop.realtime.mailboxes.mailbox import Mailbox
from inloop.realtime.mailboxes.outputs import State
from inloop.realtime.recordings.result import result_of
from inloop.realtime.recordings.table import KEPT, LARGEST, TableBuilder
from inloop.simulate.results.result import Result

LOOK_EVERY = 0.02  # [s]
HOP = 0.05  # fraction of the time that records are kept for readers


class Collector(Closing):
    """Collects every record in its own thread; use it in a `with` statement inside the loop's.

    Args:
        loop: the running plant.
        advance: advance a scripted clock, no faster than records are collected: none is lost.
        most: maximum number of bytes to keep; later records are dropped, as noted in the result.
    """

    def __init__(self, loop: Loop, *, advance: bool = False, most: int = LARGEST) -> None:
        self._loop, self._most, self._advance = loop, most, advance
        self._box: Mailbox = attach(loop.name)
        self._box.rewind()
        self._builder = TableBuilder(self._box.layout)
        self._parameters = -1  # number of the parameters of the last record
        self._full_at: float | None = None  # [s]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        options = self._loop.options
        try:
            while not self._ended.is_set():
                if self._advance and self._box.state != State.ENDED:
                    self._box.clock.advance(HOP * options.telemetry)
                elif self._ended.wait(LOOK_EVERY):
                    break
                self._take()
            self._take()
        except MailboxError:
            # its memory is gone, or it takes too long: keep what was collected
            if self._advance:
                with contextlib.suppress(MailboxError):
                    self._box.clock.release()

    def _take(self) -> None:
        while (outputs := self._box.next()) is not None:
            if self._builder.bytes >= self._most:
                self._full_at = outputs.t if self._full_at is None else self._full_at
                continue
            parameters = None
            if outputs.parameter_sequence != self._parameters:
                found = self._box.parameters_at(outputs.parameter_sequence)
                if found is None:
                    continue  # what it follows from is unknown: a gap
                self._parameters = outputs.parameter_sequence
                parameters = np.array(list(found.values()), dtype=np.float64)
            counts = tuple(getattr(outputs, name) for name in KEPT)
            values = outputs.values[: self._box.layout.cuts[4]]
            self._builder.add(counts, values, outputs.inputs, parameters)

    def close(self) -> None:
        """Collect the last records, while the loop still exists."""
        self._ended.set()
        self._thread.join()
        self._box.close()

    def result(self) -> Result:
        """All collected records, after it is closed."""
        found = result_of(self._builder.table(f"'{self._loop.name}'"))
        if self._full_at is None:
            return found
        note = f"no records after t = {self._full_at:.9g} s are kept: they take too much memory"
        return replace(found, notes=(*found.notes, note))
