"""Random access to recordings of any length, with bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from inloop.errors import FileFormatError, InputError
from inloop.native.library import Reals
from inloop.realtime.closing import Closing
from inloop.realtime.recordings.chunk_index import ChunkIndex
from inloop.realtime.recordings.chunk_table import ChunkReader
from inloop.realtime.recordings.mcap_reader import TornError
from inloop.realtime.recordings.recording import Recording
from inloop.realtime.recordings.table import RecordTable

KEPT_BYTES = 1 << 26  # of tables that were read last
MOST_DAMAGED = 1000  # consecutive damaged chunks that are skipped


class Place(NamedTuple):
    """A record: its chunk, and its index in it."""

    chunk: int
    row: int


class SeekableRecording(Closing):
    """A file whose records are found by time; it may still be written.

    Damaged chunks are skipped. Not thread-safe.

    Attributes:
        facts: metadata of the recorder, by name.
        layout: names and sizes.
        damaged: number of unreadable chunks.
        first, last: times of the plant's clock at the first and the last record [ns].

    Raises:
        FileFormatError: it is not a recording, or invalid.
        InputError: it holds no records.
    """

    def __init__(self, path: Path) -> None:
        told = Recording(path)  # reads no further than the facts
        self.facts, self.layout = told.facts, told.layout
        self.damaged: set[int] = set()
        self._problem: FileFormatError | None = None  # the first one
        self._name = path.name
        self._index = ChunkIndex(path)
        self._reader = ChunkReader(self.layout)
        self._tables: OrderedDict[int, RecordTable] = OrderedDict()
        try:
            self.begin = self._next(0)
            if self._problem is not None:  # the first chunk does not match the metadata
                raise self._problem
            self.end = self._end()
            # log times are those of the plant's clock plus a constant
            self._offset = self._index.start(self.begin.chunk) - self.stamp(self.begin)
            self._starts = self._index.starts() - self._offset
        except BaseException:
            self.close()
            raise

    @property
    def complete(self) -> bool:
        """Whether the file is complete."""
        return self._index.complete

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return len(self._index)

    @property
    def length(self) -> int:
        """Time from the first to the last record [ns]."""
        return self.stamp(self.end) - self.stamp(self.begin)

    def extend(self) -> bool:
        """Read what was written since the last call; True if there is more."""
        if self.complete or not self._index.extend():
            return False
        self._starts = self._index.starts() - self._offset
        self.end = self._end()
        return True

    # places

    def stamp(self, place: Place) -> int:
        """Time of the plant's clock at a record [ns]."""
        return int(self.table(place.chunk).count("stamp")[place.row])

    def find(self, stamp: int) -> Place:
        """The last record up to a time of the plant's clock [ns]; at least the first one."""
        chunk = int(np.searchsorted(self._starts, stamp, side="right")) - 1
        if chunk < self.begin.chunk:
            return self.begin
        stamps = self.table(chunk).count("stamp")
        row = int(np.searchsorted(stamps, stamp, side="right")) - 1
        return Place(chunk, row) if row >= 0 else self._previous(chunk - 1)

    def shifted(self, place: Place, count: int) -> Place:
        """The record `count` positions further, clamped to the ends."""
        chunk, row = place
        while row + count >= len(self.table(chunk).counts):
            if chunk >= self.end.chunk:
                return self.end
            count -= len(self.table(chunk).counts) - row
            chunk, row = self._next(chunk + 1)
        while row + count < 0:
            if chunk <= self.begin.chunk:
                return self.begin
            count += row + 1
            chunk, row = self._previous(chunk - 1)
        return Place(chunk, row + count)

    def _next(self, chunk: int) -> Place:
        """The first record in or after a chunk."""
        for k in range(chunk, min(len(self._index), chunk + MOST_DAMAGED)):
            if len(self.table(k).counts):
                return Place(k, 0)
        nothing = InputError(f"{self._name} holds no samples", fix="Record for longer.")
        raise self._problem or nothing

    def _previous(self, chunk: int) -> Place:
        """The last record in or before a chunk."""
        for k in range(chunk, max(self.begin.chunk, chunk - MOST_DAMAGED), -1):
            if rows := len(self.table(k).counts):
                return Place(k, rows - 1)
        return self.begin

    def _end(self) -> Place:
        """The last record."""
        found = self._previous(len(self._index) - 1)
        if found == self.begin:
            return Place(found.chunk, len(self.table(found.chunk).counts) - 1)
        return found

    # what is there

    def table(self, chunk: int) -> RecordTable:
        """Records of a chunk; none if it is damaged."""
        found = self._tables.pop(chunk, None)
        self._tables[chunk] = found = found if found is not None else self.read(chunk)
        while len(self._tables) > 1 and sum(map(_size, self._tables.values())) > KEPT_BYTES:
            self._tables.popitem(last=False)
        return found

    def read(self, chunk: int) -> RecordTable:
        """The same, without caching."""
        try:
            content = self._index.content(chunk)
            if chunk and self._reader.begins_amid(content):
                content = self._completed(chunk, content)
            return self._reader.table(content)
        except (TornError, FileFormatError, OSError) as error:
            self.damaged.add(chunk)
            self._problem = self._problem or (error if isinstance(error, FileFormatError) else None)
            return self._reader.table(b"")

    def _completed(self, chunk: int, content: bytes) -> bytes:
        """A chunk with the start of its first record, which is in the previous chunk.

        If that is damaged, without its first record.
        """
        try:
            return self._reader.loose_end(self._index.content(chunk - 1)) + content
        except (TornError, FileFormatError, OSError):
            return self._reader.whole_records(content)

    def between(self, begin: Place, end: Place) -> list[RecordTable]:
        """Records from one to another, inclusive, in pieces without parameters."""
        found = []
        for chunk in range(begin.chunk, end.chunk + 1):
            table = self.table(chunk)
            first = begin.row if chunk == begin.chunk else 0
            last = end.row + 1 if chunk == end.chunk else len(table.counts)
            if first < last:
                found.append(table.part(first, last))
        return found

    def parameters_at(self, place: Place) -> tuple[int, Reals | None]:
        """Parameters at a record, with an identifying number; None: the defaults."""
        chunks = self._index.holding(self._reader.parameters_channel)
        k = int(np.searchsorted(chunks, place.chunk, side="right")) - 1
        while k >= 0:
            table = self.table(int(chunks[k]))
            row = place.row if chunks[k] == place.chunk else len(table.counts)
            which = int(np.searchsorted(table.changes, row, side="right")) - 1
            if which >= 0:
                return int(chunks[k]) << 24 | which, table.settings[which]
            k -= 1
        return -1, None

    def close(self) -> None:
        """Let go of the file."""
        self._index.close()
        self._tables.clear()


def _size(table: RecordTable) -> int:
    return table.counts.nbytes + table.values.nbytes + table.settings.nbytes + 1024
