"""Index of the chunks of a recording, from the headers of its records only.

A recording of hours is indexed in a fraction of a second and takes a few bytes per chunk. The index
at the end of the file is not needed: a truncated file, or one still being written, has none. All
lengths are checked against the file size.
"""

from __future__ import annotations

import os
import stat
from array import array
from pathlib import Path

import numpy as np

from inloop.errors import FileFormatError
from inloop.realtime.closing import Closing
from inloop.realtime.recordings.mcap_reader import (
    CHUNK,
    CHUNK_HEAD,
    DATA_END,
    MAGIC,
    RECORD,
    TornError,
    content_of,
    without_waiting,
)
from inloop.realtime.recordings.table import Integers

MESSAGE_INDEX = 7  # opcode: locations of the messages of one channel in the preceding chunk
LARGEST_CHUNK = 1 << 26  # bytes; a recorder ends a chunk after 64 kB
MOST_RECORDS = 20_000_000  # records of the file itself; a recorder writes 20 per second
AT_ONCE = 1 << 12  # bytes read for one header, and for others nearby


class ChunkIndex(Closing):
    """The chunks of a file, which may still grow.

    Attributes:
        complete: whether the data are complete.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        # opening a pipe without a writer would block
        self._file = without_waiting(str(path), os.O_RDONLY | os.O_CLOEXEC)
        self._offsets, self._lengths = array("q"), array("q")
        self._starts, self._ends = array("q"), array("q")
        self._holding: dict[int, array[int]] = {}
        self._at, self._records, self.complete = len(MAGIC), 0, False
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise FileFormatError(f"{path.name} is not a file", fix="Name a recording.")
            if os.pread(self._file, len(MAGIC), 0) != MAGIC:
                raise FileFormatError(
                    f"{path.name} is not a recording of inloop", fix="Record with inloop record."
                )
            self.extend()
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._offsets)

    def starts(self) -> Integers:
        """Times of the first messages of all chunks, wall clock [ns]."""
        return np.array(self._starts, dtype=np.int64)

    def start(self, chunk: int) -> int:
        """Time of the first message of a chunk, wall clock [ns]."""
        return self._starts[chunk]

    def holding(self, channel: int) -> Integers:
        """Chunks that contain messages of a channel, according to the file."""
        return np.array(self._holding.get(channel, ()), dtype=np.int64)

    def content(self, chunk: int) -> bytes:
        """Records of a chunk.

        Raises:
            TornError: it is damaged.
        """
        length = self._lengths[chunk]
        data = os.pread(self._file, length, self._offsets[chunk])
        if len(data) != length:
            raise TornError
        return content_of(data, self._name)

    def extend(self) -> int:
        """Find chunks that were written since the last call; returns their number."""
        before, size = len(self), os.fstat(self._file).st_size
        heads, base = b"", 0  # a piece of the file, and its start
        while not self.complete:
            if not base <= self._at <= base + len(heads) - RECORD.size - CHUNK_HEAD.size:
                heads, base = os.pread(self._file, AT_ONCE, self._at), self._at
            place = self._at - base
            if len(heads) < place + RECORD.size:
                break
            opcode, length = RECORD.unpack_from(heads, place)
            if length > size - self._at - RECORD.size:
                break  # incomplete or damaged
            self._take(opcode, length, heads[place + RECORD.size :][: CHUNK_HEAD.size])
            self._at += RECORD.size + length
            self._records += 1
            if self._records > MOST_RECORDS:
                raise FileFormatError(
                    f"{self._name} is cut into too many pieces", fix="Record with inloop record."
                )
        return len(self) - before

    def _take(self, opcode: int, length: int, head: bytes) -> None:
        """A record of the file."""
        if opcode == DATA_END:
            self.complete = True
        elif opcode == CHUNK and length >= CHUNK_HEAD.size:
            start, end, _, _ = CHUNK_HEAD.unpack(head)
            latest = self._ends[-1] if self._ends else 0
            if length > LARGEST_CHUNK or not latest <= start <= end < 1 << 62:
                raise FileFormatError(
                    f"chunk {len(self) + 1} of {self._name} makes no sense: "
                    + ("it is too large" if length > LARGEST_CHUNK else "the clock has gone back"),
                    fix="The recording is damaged.",
                )
            self._offsets.append(self._at + RECORD.size)
            self._lengths.append(length)
            self._starts.append(start)
            self._ends.append(end)
        elif opcode == MESSAGE_INDEX and length >= 2 and len(self):
            channel = int.from_bytes(head[:2], "little")
            self._holding.setdefault(channel, array("q")).append(len(self) - 1)

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
