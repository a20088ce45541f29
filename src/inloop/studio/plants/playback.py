"""A recording, shown as if it ran."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np

from inloop.errors import InputError
from inloop.native import Status
from inloop.realtime.mailboxes.layout import names
from inloop.realtime.mailboxes.telemetry import ROWS, Block
from inloop.realtime.recordings.table import read_table
from inloop.studio.messaging.message_types import Histograms
from inloop.studio.plants.sources import Condition, Moment

UNKNOWN = "UNKNOWN"  # a status that no plant has
STATUSES = {status.value: status.name for status in Status}


class Playback:
    """Records of a file, at the speed at which they were made, or another.

    Attributes:
        name: of the file.
        layout: names, units and sizes.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        table = read_table(path)
        self.layout = table.layout
        self._counts, self._values = table.counts, table.values
        self._changes, self._settings = table.changes, table.settings
        self._clock = table.count("stamp")
        # [s] of the recording's own clock, which never goes back
        self._lapse = 1e-9 * (self._clock - self._clock[0])
        self._lock = threading.Lock()
        self._speed, self._running = 1.0, True
        self._begin()

    def _begin(self) -> None:
        self._at, self._taken = 0, 0  # the record that is shown; records that were taken
        self._place, self._then = 0.0, time.monotonic()  # [s] of the recording's own clock

    def _go_on(self) -> None:
        """Move to where the clock is."""
        now = time.monotonic()
        if self._running:
            self._place += self._speed * (now - self._then)
        self._then = now
        self._at = max(int(np.searchsorted(self._lapse, self._place, side="right")) - 1, 0)
        if self._at == len(self._lapse) - 1:
            self._running, self._place = False, float(self._lapse[-1])

    @property
    def now(self) -> float:
        """The clock of the system [s]."""
        return time.monotonic()

    def newest(self) -> Moment | None:
        """The record that is shown."""
        with self._lock:
            self._go_on()
            sequence, _, step, status, flags = self._counts[self._at].tolist()
            values = self._values[self._at]
            return Moment(
                sequence, self.now, float(values[0]), step,
                STATUSES.get(status, UNKNOWN), flags, self._which(), values,
            )  # fmt: skip

    def _which(self) -> int:
        """Number of the parameters that hold at the record that is shown."""
        return int(np.searchsorted(self._changes, self._at, side="right"))

    def take(self) -> list[Block]:
        """All records since the last time."""
        begin, end = self._taken, self._at + 1
        self._taken = max(begin, end)
        found = []
        for first in range(begin, end, ROWS):
            part = slice(first, min(first + ROWS, end))
            stamps = self._clock[part]
            answers = np.zeros(len(stamps), dtype=np.int64)
            number = int(self._counts[first, 0])
            found.append(Block(number, 0, stamps, answers, self._values[part]))
        return found

    def skip(self) -> None:
        """Forget the records since the last time."""
        self._taken = self._at + 1

    def parameters(self) -> dict[str, float]:
        """As they were."""
        which = self._which()
        if which == 0:
            return {p.name: p.default for p in self.layout.parameters}
        values = self._settings[which - 1].tolist()
        return dict(zip(names(self.layout.parameters), values, strict=True))

    def condition(self) -> Condition:
        """It runs, or it does not."""
        return Condition("running" if self._running else "paused", self._speed)

    def histograms(self) -> Histograms | None:
        """Nobody has measured them."""
        return None

    def command(self, what: str, value: float = 0.0) -> None:
        """Pause, go on, step, another speed, from the start."""
        with self._lock:
            self._go_on()
            last = len(self._counts) - 1
            if what == "pause":
                self._running = False
            elif what == "go":
                if self._at == last:
                    self._begin()
                self._running = True
            elif what == "step":
                self._running = False
                self._at = min(self._at + int(value), last)
                self._place = float(self._lapse[self._at])
            elif what == "speed":
                self._speed = value
            else:
                self._begin()

    def set_parameters(self, values: dict[str, float]) -> None:
        """What is past cannot be changed."""
        raise InputError("a recording cannot be changed", fix="Go back to the live plant.")
