"""All records of a real-time run as flat arrays, no larger than the file.

Python objects for each number would take many times as much memory.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from inloop.errors import InputError
from inloop.native.library import Reals
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.recordings.recording import Recording

LARGEST = 1 << 30  # maximum size of a recording in memory [bytes]
KEPT = ("sequence", "stamp", "step", "status", "flags")  # counts of each record

Integers: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class RecordTable:
    """Consecutive records.

    Attributes:
        layout: names and units.
        counts: columns as in KEPT, shape (records, 5).
        values: outputs up to the signals, then inputs held during the step, shape (records, …).
        changes: indices of the records at which parameters change.
        settings: the parameters there, shape (changes, parameters).
        complete: whether the recording is complete.
    """

    layout: Layout
    counts: Integers
    values: Reals
    changes: Integers
    settings: Reals
    complete: bool = True

    def count(self, name: str) -> Integers:
        """One of the counts of all records."""
        return self.counts[:, KEPT.index(name)]

    def part(self, begin: int, end: int) -> RecordTable:
        """A range of records, without parameters."""
        rows, none = slice(begin, end), slice(0, 0)
        return replace(
            self, counts=self.counts[rows], values=self.values[rows],
            changes=self.changes[none], settings=self.settings[none],
        )  # fmt: skip


class TableBuilder:
    """Collects records.

    Attributes:
        bytes: that the numbers take so far.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._counts, self._values = array("q"), array("d")
        self._changes, self._settings = array("q"), array("d")

    @property
    def bytes(self) -> int:
        """All that is kept."""
        kept = (self._counts, self._values, self._changes, self._settings)
        return 8 * sum(len(numbers) for numbers in kept)

    def add(
        self, counts: tuple[int, ...], values: Reals, inputs: Reals, parameters: Reals | None
    ) -> None:
        """Add a record; with parameters only if they have changed."""
        if parameters is not None:
            self._changes.append(len(self._counts) // len(KEPT))
            self._settings.frombytes(parameters.tobytes())
        self._counts.extend(counts)
        self._values.frombytes(values.tobytes())
        self._values.frombytes(inputs.tobytes())

    def table(self, name: str, complete: bool = True) -> RecordTable:
        """All collected records.

        Raises:
            InputError: there are none.
        """
        if not self._counts:
            raise InputError(f"{name} holds no samples", fix="Record for longer.")
        counts = np.frombuffer(self._counts, dtype=np.int64).reshape(-1, len(KEPT))
        size = (len(self._changes), len(self._layout.parameters))
        return RecordTable(
            self._layout,
            counts,
            np.frombuffer(self._values).reshape(len(counts), -1),
            np.array(self._changes, dtype=np.int64),
            np.asarray(self._settings).reshape(size),
            complete,
        )


def read_table(path: Path) -> RecordTable:
    """All records of a file.

    Raises:
        FileFormatError: it is not a recording, or invalid.
        InputError: it is too large, or empty.
    """
    _check_size(path)
    recording = Recording(path)
    builder = TableBuilder(recording.layout)
    for sample in recording:
        counts = tuple(sample.counts[name] for name in KEPT)
        builder.add(counts, sample.values, sample.inputs, sample.parameters)
    return builder.table(path.name, recording.complete)


def _check_size(path: Path) -> None:
    """Memory use never exceeds the size of the file."""
    size = path.stat().st_size
    if size > LARGEST:
        raise InputError(
            f"{path.name} has {size / 1e6:.0f} MB, more than is kept in memory",
            fix="Open it with Foxglove, or record for less long.",
        )
