"""Notable events in a recording: resets, late steps, failures, parameter changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from inloop.native import Status
from inloop.realtime.mailboxes.layout import Layout, names
from inloop.realtime.mailboxes.outputs import Flag
from inloop.realtime.recordings.table import Integers, RecordTable

Kind = Literal["reset", "late", "safe", "failed", "mode", "event", "parameters", "lost", "damaged"]

MOST = 1000  # marks; more are merged
SHORTEST = 1e-3  # [s] between two marks of a kind
TOLD = 3  # parameters of one change that are named
STATUSES = {status.value: status.name for status in Status}
QUIET = [Status.OK.value, Status.OVERRUN.value]  # a late step is marked by its flag


@dataclass
class Mark:
    """A notable event.

    Attributes:
        kind: kind of event.
        at: time of its first occurrence, from the start of the recording [s].
        text: details of the first occurrence.
        count: number of occurrences nearby.
    """

    kind: Kind
    at: float
    text: str = ""
    count: int = 1


class Marks:
    """Collects marks from consecutive tables; never more than MOST.

    Args:
        layout: of the recording.
        begin: time of the plant's clock at its first record [ns].
    """

    def __init__(self, layout: Layout, begin: int) -> None:
        self._layout, self._begin = layout, begin
        self._apart = SHORTEST
        self._found: dict[tuple[str, int], Mark] = {}
        self._before: RecordTable | None = None
        self._settings: np.ndarray | None = None
        self._loose: np.ndarray | None = None  # parameters after the last record of a table
        facts = dict(layout.about)
        self._modes = facts.get("modes", "").split()

    def found(self) -> list[Mark]:
        """All marks, in order of time."""
        return sorted(self._found.values(), key=lambda mark: mark.at)

    def add(self, mark: Mark) -> None:
        """Add a mark, merged with a nearby one of the same kind."""
        key = (mark.kind, int(mark.at / self._apart))
        near = self._found.get(key)
        if near is None:
            self._found[key] = mark
        else:
            near.count += mark.count
        if len(self._found) > MOST:
            marks, self._found = self.found(), {}
            self._apart *= 2.0
            for each in marks:
                self.add(each)

    def read(self, table: RecordTable) -> None:
        """Process the records that follow."""
        if not len(table.counts):
            self._loose = table.settings[-1] if len(table.settings) else self._loose
            return
        stamps, flags = table.count("stamp"), table.count("flags")
        before = self._before
        seconds = 1e-9 * (stamps - self._begin)
        for kind, rows, texts in self._events(table, before, flags):
            for row, text in zip(rows.tolist(), texts, strict=True):
                self.add(Mark(kind, float(seconds[row]), text))
        changes = list(zip(table.changes.tolist(), table.settings, strict=True))
        if self._loose is not None and not (changes and changes[0][0] == 0):
            changes.insert(0, (0, self._loose))
        self._loose = None
        for row, setting in changes:
            if row == len(seconds):
                self._loose = setting  # its record is in the next table
                continue
            if self._settings is not None:
                self.add(Mark("parameters", float(seconds[row]), self._changed(setting)))
            self._settings = setting
        self._before = table.part(len(flags) - 1, len(flags))

    def _events(
        self, table: RecordTable, before: RecordTable | None, flags: Integers
    ) -> Iterator[tuple[Kind, Integers, list[str]]]:
        """Rows at which something begins, with a description of each."""
        status = table.count("status")
        # the first record is treated as if preceded by an equal one
        first = before if before is not None else table.part(0, 1)
        yield "reset", *_plain(_rises(flags & Flag.SET, first.count("flags") & Flag.SET))
        yield "late", *_plain(np.flatnonzero(flags & Flag.EXTRA))
        yield "safe", *_plain(_rises(flags & Flag.SAFE, first.count("flags") & Flag.SAFE))
        bad = ~np.isin(status, QUIET)
        rows = _rises(bad, ~np.isin(first.count("status"), QUIET))
        yield "failed", rows, [STATUSES.get(int(s), "UNKNOWN") for s in status[rows]]
        gaps = np.flatnonzero(np.diff(table.count("sequence"), prepend=first.counts[-1, 0]) > 1)
        yield "lost", *_plain(gaps)
        for name, kind in (("mode", "mode"), ("events", "event")):
            column = self._layout.index.get(name)
            if column is None:
                continue
            values = table.values[:, column]
            rows = np.flatnonzero(np.diff(values, prepend=first.values[-1, column]) != 0.0)
            told = [self._mode(v) if kind == "mode" else "" for v in values[rows].tolist()]
            yield ("mode" if kind == "mode" else "event"), rows, told

    def _mode(self, number: float) -> str:
        k = int(number) if abs(number) < 1e6 else -1
        return self._modes[k] if 0 <= k < len(self._modes) else f"{number:g}"

    def _changed(self, setting: np.ndarray) -> str:
        """Description of the changed parameters."""
        assert self._settings is not None
        changed = np.flatnonzero(setting != self._settings)
        known = names(self._layout.parameters)
        told = [f"{known[k]} = {setting[k]:.4g}" for k in changed[:TOLD].tolist()]
        return ", ".join(told) + (", …" if len(changed) > TOLD else "")


def _rises(now: np.ndarray, before: np.ndarray) -> Integers:
    """Rows that are true after one that is false."""
    both = np.concatenate([before[-1:], now]).astype(bool)
    return np.flatnonzero(both[1:] & ~both[:-1])


def _plain(rows: Integers) -> tuple[Integers, list[str]]:
    return rows, [""] * len(rows)
