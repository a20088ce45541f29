"""A recording, shown as if it ran."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.native import Status
from inloop.realtime import Recording
from inloop.realtime.telemetry import Block
from inloop.studio.sources import Condition, Moment

MOST_NUMBERS = 100_000_000  # of a recording that is kept in memory: 800 MB
STATUSES = {status.value: status.name for status in Status}


class Playback:
    """Records of a file, at the speed at which they were made, or another.

    Attributes:
        name: of the file.
        layout: names, units and sizes.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        recording = Recording(path)
        self.layout = recording.layout
        self._read(recording)
        self._lock = threading.Lock()
        self._speed, self._running = 1.0, True
        self._begin()

    def _read(self, recording: Recording) -> None:
        width, rows, counts = self.layout.cuts[-1], [], []
        self._parameters: list[tuple[int, dict[str, float]]] = []
        names = [p.name for p in self.layout.parameters]
        for k, sample in enumerate(recording):
            row = np.zeros(width)
            row[: len(sample.values)] = sample.values
            row[len(sample.values) : len(sample.values) + len(sample.inputs)] = sample.inputs
            rows.append(row)
            counts.append(sample.counts)
            if sample.parameters is not None:
                values = dict(zip(names, sample.parameters.tolist(), strict=True))
                self._parameters.append((k, values))
            if len(rows) * width > MOST_NUMBERS:
                break
        if not rows:
            raise InputError(f"{recording.path.name} holds no samples", fix="Record for longer.")
        self._values = np.array(rows)
        self._counts = counts
        self._times = self._values[:, 0]
        self._clock = np.array([c["stamp"] for c in counts], dtype=np.int64)

    def _begin(self) -> None:
        self._at, self._taken = 0, 0  # the record that is shown; records that were taken
        self._place, self._then = 0.0, time.monotonic()  # [s] of the recording's own clock

    def _go_on(self) -> None:
        """Move to where the clock is."""
        now = time.monotonic()
        if self._running:
            self._place += self._speed * (now - self._then)
        self._then = now
        lapse = 1e-9 * (self._clock - self._clock[0])
        self._at = max(int(np.searchsorted(lapse, self._place, side="right")) - 1, 0)
        if self._at == len(lapse) - 1:
            self._running, self._place = False, float(lapse[-1])

    def newest(self) -> Moment | None:
        """The record that is shown."""
        with self._lock:
            self._go_on()
            c = self._counts[self._at]
            return Moment(
                c["sequence"], time.monotonic(), float(self._times[self._at]), c["step"],
                STATUSES.get(c["status"], "OK"), c["flags"], self._which(), self._values[self._at],
            )  # fmt: skip

    def _which(self) -> int:
        """Number of the parameters that hold at the record that is shown."""
        return sum(k <= self._at for k, _ in self._parameters)

    def take(self) -> list[Block]:
        """All records since the last time."""
        begin, end = self._taken, self._at + 1
        if end <= begin:
            return []
        self._taken = end
        first = self._counts[begin]["sequence"]
        part = slice(begin, end)
        answers = np.zeros(end - begin, dtype=np.int64)
        return [Block(first, 0, self._clock[part], answers, self._values[part])]

    def skip(self) -> None:
        """Forget the records since the last time."""
        self._taken = self._at + 1

    def parameters(self) -> dict[str, float]:
        """As they were."""
        which = self._which()
        if which == 0:
            return {p.name: p.default for p in self.layout.parameters}
        return dict(self._parameters[which - 1][1])

    def condition(self) -> Condition:
        """It runs, or it does not."""
        return Condition("running" if self._running else "paused", self._speed)

    def histograms(self) -> dict[str, Any]:
        """Nobody has measured them."""
        return {}

    def command(self, what: str, value: float = 0.0) -> None:
        """Pause, go on, step, another speed, from the start."""
        with self._lock:
            self._go_on()
            last = len(self._times) - 1
            if what == "pause":
                self._running = False
            elif what == "go":
                if self._at == last:
                    self._begin()
                self._running = True
            elif what == "step":
                self._running = False
                self._at = min(self._at + int(value), last)
                self._place = 1e-9 * float(self._clock[self._at] - self._clock[0])
            elif what == "speed":
                self._speed = value
            else:
                self._begin()

    def set_parameters(self, values: dict[str, float]) -> None:
        """What is past cannot be changed."""
        raise InputError("a recording cannot be changed", fix="Go back to the live plant.")
