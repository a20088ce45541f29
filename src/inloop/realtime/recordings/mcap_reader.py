"""Records of an MCAP file in order, up to where the file is truncated.

Written for untrusted files: lengths are checked before anything is read, nothing is decompressed,
and damage ends the reading instead of raising. Only what a recording needs is supported; the format
is described at https://mcap.dev/spec.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from inloop.errors import FileFormatError

MAGIC = b"\x89MCAP0\r\n"
FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, METADATA, DATA_END = 2, 3, 4, 5, 6, 12, 15  # opcodes
LONGEST = 1 << 28  # bytes of a record; a recorder ends a chunk after 64 kB
AT_ONCE = 1 << 16  # block size for skipping a record [bytes]
RECORD = struct.Struct("<BQ")  # opcode, length
MESSAGE_HEAD = struct.Struct("<HIQQ")
CHUNK_HEAD = struct.Struct("<QQQI")


class Schema(NamedTuple):
    """Encoding of the messages of a channel."""

    id: int
    name: str
    encoding: str
    data: bytes


class Channel(NamedTuple):
    """A stream of messages."""

    id: int
    schema: int
    topic: str
    encoding: str


class Message(NamedTuple):
    """One message; times are wall clock [ns]."""

    channel: int
    sequence: int
    log_time: int
    publish_time: int
    data: bytes


class Metadata(NamedTuple):
    """Texts by name."""

    name: str
    items: dict[str, str]


Record = Schema | Channel | Message | Metadata


class TornError(Exception):
    """The file is truncated or damaged here."""


class McapReader:
    """One pass over a file.

    Attributes:
        complete: whether the file is complete; known after all records were read.
    """

    def __init__(self, path: Path) -> None:
        self.complete = False
        self._path = path

    def records(self) -> Iterator[Record]:
        """Schemas, channels, messages and metadata.

        Raises:
            FileFormatError: it is not a regular file, or compressed.
        """
        self.complete = False
        # opening a pipe without a writer would block
        with open(self._path, "rb", opener=without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileFormatError(f"{self._path.name} is not a file", fix="Name a recording.")
            source = _Source(file)
            try:
                yield from self._read(source)
                self.complete = True
            except TornError:
                pass

    def _read(self, source: _Source) -> Iterator[Record]:
        if source.take(len(MAGIC)) != MAGIC:
            raise TornError
        ended = False  # the data are followed by an index, which is not needed
        while True:
            checksum = source.checksum
            opcode, length = RECORD.unpack(source.take(RECORD.size))
            if opcode == FOOTER:
                source.skip(length)
                break
            if ended or opcode not in (SCHEMA, CHANNEL, MESSAGE, CHUNK, METADATA, DATA_END):
                source.skip(length)
                continue
            data = source.take(length)
            if opcode == CHUNK:
                yield from _records_of(content_of(data, self._path.name))
            elif opcode == DATA_END:
                ended, expected = True, Fields(data).number(4)
                if expected not in (0, checksum):
                    raise TornError
            else:
                yield read_record(opcode, data)
        if not ended or source.take(len(MAGIC)) != MAGIC:
            raise TornError


class _Source:
    """A file that is read sequentially.

    Attributes:
        checksum: CRC-32 of everything read.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = os.fstat(file.fileno()).st_size
        self.checksum = 0

    def take(self, length: int) -> bytes:
        """The next bytes; none are read if there are fewer."""
        if length > min(self._left, LONGEST):
            raise TornError
        data = self._file.read(length)
        self._left -= len(data)
        self.checksum = zlib.crc32(data, self.checksum)
        if len(data) != length:  # the file was truncated while it was read
            raise TornError
        return data

    def skip(self, length: int) -> None:
        """Skip bytes, but include them in the checksum."""
        if length > self._left:
            raise TornError
        while length > 0:
            length -= len(self.take(min(length, AT_ONCE)))


class Fields:
    """Reads consecutive fields from the bytes of a record."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def left(self) -> bool:
        """Whether there is another field."""
        return self._at < len(self._data)

    def take(self, length: int) -> bytes:
        """The next bytes."""
        begin, end = self._at, self._at + length
        if end > len(self._data):
            raise TornError
        self._at = end
        return self._data[begin:end]

    def rest(self) -> bytes:
        """The remaining bytes."""
        return self.take(len(self._data) - self._at)

    def number(self, size: int) -> int:
        """An unsigned integer of `size` bytes."""
        return int.from_bytes(self.take(size), "little")

    def text(self) -> str:
        """A length-prefixed string."""
        try:
            return self.take(self.number(4)).decode()
        except UnicodeDecodeError:
            raise TornError from None

    def texts(self) -> dict[str, str]:
        """Strings by name."""
        inner, found = Fields(self.take(self.number(4))), {}
        while inner.left:
            name = inner.text()
            found[name] = inner.text()
        return found


def content_of(chunk: bytes, name: str) -> bytes:
    """Records of a chunk, after verifying its checksum.

    Raises:
        FileFormatError: it is compressed.
        TornError: it is damaged.
    """
    fields = Fields(chunk)
    _, _, size, checksum = CHUNK_HEAD.unpack(fields.take(CHUNK_HEAD.size))
    if fields.text():
        raise FileFormatError(
            f"{name} is compressed, which recordings of inloop are not",
            fix="Decompress it: mcap compress --compression none FILE -o NEW.",
        )
    content = fields.take(fields.number(8))
    if len(content) != size or checksum not in (0, zlib.crc32(content)):
        raise TornError
    return content


def without_waiting(path: str, flags: int) -> int:
    """Open a file without blocking on pipes."""
    return os.open(path, flags | os.O_NONBLOCK)


def _records_of(content: bytes) -> Iterator[Record]:
    """Records of a chunk."""
    fields = Fields(content)
    while fields.left:
        opcode, length = RECORD.unpack(fields.take(RECORD.size))
        data = fields.take(length)
        if opcode in (SCHEMA, CHANNEL, MESSAGE):
            yield read_record(opcode, data)


def read_record(opcode: int, data: bytes) -> Record:
    """A schema, a channel, a message or metadata."""
    fields = Fields(data)
    if opcode == MESSAGE:
        channel, sequence, logged, published = MESSAGE_HEAD.unpack(fields.take(MESSAGE_HEAD.size))
        return Message(channel, sequence, logged, published, fields.rest())
    if opcode == CHANNEL:
        return Channel(fields.number(2), fields.number(2), fields.text(), fields.text())
    if opcode == SCHEMA:
        number, name, encoding = fields.number(2), fields.text(), fields.text()
        return Schema(number, name, encoding, fields.take(fields.number(4)))
    return Metadata(fields.text(), fields.texts())
