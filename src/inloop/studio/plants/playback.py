"""A recording, shown as if it ran: played at any speed, with seeking."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from inloop.errors import InputError
from inloop.native import Status
from inloop.realtime.mailboxes.layout import names
from inloop.realtime.mailboxes.telemetry import ROWS, Block
from inloop.realtime.recordings.seekable import Place, SeekableRecording
from inloop.realtime.recordings.table import RecordTable
from inloop.studio.messaging.message_types import Histograms, Timeline
from inloop.studio.plants.mark_scanner import MarkScanner
from inloop.studio.plants.sources import Condition, Moment

UNKNOWN = "UNKNOWN"  # a status that no plant has
STATUSES = {status.value: status.name for status in Status}
BACK, AHEAD = 20.0, 5.0  # [s] before and after the current moment that are plotted
MOST_BACK, MOST_AHEAD = 100_000, 25_000  # the same, in records
AT_ONCE = 4 * ROWS  # records to plot in one beat
MOST_HEARD = 16  # chunks between two beats; nothing is heard if more have passed
GROWS_EVERY = 0.25  # [s]


class Playback:
    """Plays the records of a file at their original speed, or another one.

    Args:
        path: path of the file.
        grows: whether it is being written now.

    Attributes:
        name: name of the file.
        layout: names, units and sizes.
        length: from the first to the last record [s].
    """

    def __init__(self, path: Path, grows: Callable[[], bool] = lambda: False) -> None:
        self.name = path.name
        self._recording = SeekableRecording(path)
        self.layout = self._recording.layout
        self.length = 1e-9 * self._recording.length
        self._first = self._recording.stamp(self._recording.begin)
        self._scanner = MarkScanner(path, grows)
        self._grows, self._grown = grows, time.monotonic()
        self._lock = threading.Lock()
        self._speed, self._running = 1.0, True
        self._sent: tuple[Place, Place] | None = None  # range of records that pages have
        self._begin()

    def _begin(self) -> None:
        # the current record; the last one that was heard
        self._at = self._recording.begin
        self._heard = Place(self._at.chunk, self._at.row - 1)
        self._place, self._then = 0.0, time.monotonic()  # [s] of the recording's own clock

    def _go_on(self) -> None:
        """Advance to the current time."""
        now = time.monotonic()
        if now - self._grown > GROWS_EVERY and self._grows():
            self._grown = now
            if self._recording.extend():
                self.length = 1e-9 * self._recording.length
        if self._running:
            self._place += self._speed * (now - self._then)
            self._at = self._recording.find(self._stamp(self._place))
        self._then = now
        if self._running and self._at == self._recording.end:
            self._place = self.length
            # a file that is being written has no end yet
            self._running = self._grows()

    def _stamp(self, place: float) -> int:
        """Time of the plant's clock at a position [ns]."""
        return self._first + round(1e9 * place)

    @property
    def now(self) -> float:
        """The clock of the system [s]."""
        return time.monotonic()

    def newest(self) -> Moment | None:
        """The current record."""
        with self._lock:
            self._go_on()
            table, row = self._recording.table(self._at.chunk), self._at.row
            sequence, _, step, status, flags = table.counts[row].tolist()
            values, (which, _) = table.values[row], self._recording.parameters_at(self._at)
            return Moment(
                sequence, self.now, float(values[0]), step,
                STATUSES.get(status, UNKNOWN), flags, which, values,
            )  # fmt: skip

    def take(self) -> list[Block]:
        """All records since the last call; none if they passed too fast to be heard."""
        with self._lock:
            heard, self._heard = self._heard, self._at
            if heard >= self._at or self._at.chunk - heard.chunk > MOST_HEARD:
                return []
            tables = self._recording.between(self._after(heard), self._at)
            return [block for table in tables for block in _blocks(table)]

    def to_plot(self, taken: list[Block]) -> tuple[bool, list[Block]]:
        """Some records around the current moment that pages do not have yet."""
        del taken  # plots extend beyond what has been shown
        with self._lock:
            recording, sent = self._recording, self._sent
            fresh = sent is None or self._is_far(*sent)
            if sent is None or fresh:
                begin = max(
                    recording.find(self._stamp(self._place - BACK)),
                    recording.shifted(self._at, -MOST_BACK),
                )
                sent = (begin, Place(begin.chunk, begin.row - 1))
            first = self._after(sent[1])
            last = min(
                recording.find(self._stamp(self._place + AHEAD)),
                recording.shifted(self._at, MOST_AHEAD),
                recording.shifted(first, AT_ONCE),
            )
            tables: list[RecordTable] = []
            if sent[1] < last:
                tables, begin = self._of_one_run(recording.between(first, last), first)
                count = sum(len(table.counts) for table in tables)
                end = recording.shifted(first, count - 1) if count else sent[1]
                sent = (max(begin, sent[0]), end)
            self._sent = sent
            return fresh, [block for table in tables for block in _blocks(table)]

    def _is_far(self, begin: Place, end: Place) -> bool:
        """Whether the current moment is too far from the records that pages have."""
        return self._at < begin or self._at > self._recording.shifted(end, MOST_BACK)

    def _of_one_run(
        self, tables: list[RecordTable], first: Place
    ) -> tuple[list[RecordTable], Place]:
        """Records up to the next jump back of simulated time, and the place of the last jump.

        A page discards records before a jump back: they belong to another run.
        """
        before = self._recording.shifted(first, -1)
        t = float(self._recording.table(before.chunk).values[before.row, 0])
        place, begin = first, Place(0, -1)
        found: list[RecordTable] = []
        for table in tables:
            times = table.values[:, 0]
            for fall in np.flatnonzero(np.diff(times, prepend=t) < 0.0).tolist():
                fallen = self._recording.shifted(place, fall)
                if fallen > self._at:
                    return [*found, table.part(0, fall)] if fall else found, begin
                begin = fallen
            found.append(table)
            place, t = self._recording.shifted(place, len(times)), float(times[-1])
        return found, begin

    def _after(self, place: Place) -> Place:
        """The next record, also of the position before the first one."""
        return Place(place.chunk, 0) if place.row < 0 else self._recording.shifted(place, 1)

    def replot(self) -> None:
        """Send all plotted records again."""
        self._sent = None

    def skip(self) -> None:
        """Skip the records since the last call."""
        self._heard = self._at

    def parameters(self) -> dict[str, float]:
        """Parameters at the current record."""
        with self._lock:
            _, values = self._recording.parameters_at(self._at)
        if values is None:
            return {p.name: p.default for p in self.layout.parameters}
        return dict(zip(names(self.layout.parameters), values.tolist(), strict=True))

    def condition(self) -> Condition:
        """Running or paused, and the speed."""
        return Condition("running" if self._running else "paused", self._speed)

    def histograms(self) -> Histograms | None:
        """None: recordings have no histograms."""
        return None

    # timeline

    @property
    def place(self) -> float:
        """Current position on the recording's own clock, from its start [s]."""
        return self._place

    def timeline(self) -> Timeline:
        """Its length and its marks, as far as known."""
        marks, scanned = self._scanner.found()
        return {
            "kind": "timeline",
            "file": self.name,
            "length": self.length,
            "marks": marks,
            "scanned": scanned,
            "grows": self._grows(),
            "complete": self._recording.complete,
        }

    # commands

    def command(self, what: str, value: float = 0.0) -> None:
        """Pause, continue, step, change the speed, restart, or seek."""
        with self._lock:
            self._go_on()
            if what == "pause":
                self._running = False
            elif what == "go":
                if self._at == self._recording.end and not self._grows():
                    self._begin()
                self._running = True
            elif what in ("step", "step_back"):
                self._running = False
                count = int(value) if what == "step" else -int(value)
                self._move(self._recording.shifted(self._at, count))
            elif what == "seek":
                self._place = min(max(value, 0.0), self.length)
                self._at = self._heard = self._recording.find(self._stamp(self._place))
            elif what == "speed":
                self._speed = value
            else:
                self._begin()

    def _move(self, place: Place) -> None:
        self._at = place
        self._place = 1e-9 * (self._recording.stamp(place) - self._first)
        self._heard = min(self._heard, place)

    def set_parameters(self, values: dict[str, float]) -> None:
        """Raise InputError: a recording cannot be changed."""
        raise InputError("a recording cannot be changed", fix="Go back to the live plant.")

    def close(self) -> None:
        """Close the file."""
        self._scanner.close()
        with contextlib.suppress(Exception), self._lock:
            self._recording.close()


def _blocks(table: RecordTable) -> list[Block]:
    """Records in the format of telemetry: at most ROWS per block."""
    found, stamps = [], table.count("stamp")
    for first in range(0, len(stamps), ROWS):
        part = slice(first, first + ROWS)
        answers = np.zeros(len(stamps[part]), dtype=np.int64)
        number = int(table.count("sequence")[first])
        found.append(Block(number, 0, stamps[part], answers, table.values[part]))
    return found
