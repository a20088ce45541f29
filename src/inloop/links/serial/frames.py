"""Encode and decode frames of a serial link. The board side is `native/serial/il_serial.c`.

    COBS( u8 version, u8 count, u16 status, u32 sequence, u32 answers, u32 held_us,
          count float32, u32 CRC-32 of all before ), 0x00

All little-endian. `answers` is the number of the newest frame that the sender has received,
`held_us` the time since then [µs].
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

VERSION = 1
MOST_VALUES = 56
MOST_BYTES = 248  # maximum size of a stuffed frame with its zero
_HEADER = struct.Struct("<BBHIII")
_CHECK = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame.

    Attributes:
        status: status of the sender; 0: no error.
        sequence: its number, from 1.
        answers: number of the newest frame that the sender has received; 0: none yet.
        held_us: time since then [µs].
        values: rounded to 32-bit floats.
    """

    status: int
    sequence: int
    answers: int
    held_us: int
    values: tuple[float, ...]


class Fault(Enum):
    """Why bytes are not a valid frame."""

    DAMAGED = "torn, changed or too long"
    UNEXPECTED = "of another version or size"


def pack(frame: Frame) -> bytes:
    """The bytes to send.

    Raises:
        struct.error, OverflowError: a number does not fit into a float of 32 bits.
    """
    f, count = frame, len(frame.values)
    head = _HEADER.pack(VERSION, count, f.status, f.sequence, f.answers, f.held_us)
    body = head + struct.pack(f"<{count}f", *f.values)
    return _stuffed(body + _CHECK.pack(zlib.crc32(body)))


def unpack(data: bytes) -> Frame | Fault:
    """The frame in the bytes before a zero, or why they are invalid."""
    plain = _unstuffed(data)
    if plain is None or len(plain) < _HEADER.size + _CHECK.size:
        return Fault.DAMAGED
    body = plain[: -_CHECK.size]
    if zlib.crc32(body) != _CHECK.unpack_from(plain, len(body))[0]:
        return Fault.DAMAGED
    version, count, status, sequence, answers, held = _HEADER.unpack_from(body)
    if version != VERSION or len(body) != _HEADER.size + 4 * count or sequence == 0:
        return Fault.UNEXPECTED
    values = struct.unpack_from(f"<{count}f", body, _HEADER.size)
    return Frame(status, sequence, answers, held, values)


def _stuffed(plain: bytes) -> bytes:
    """COBS: no zeros inside, each block begins with the distance to the next one; then a zero."""
    return b"".join(bytes([len(block) + 1]) + block for block in plain.split(b"\0")) + b"\0"


def _unstuffed(data: bytes) -> bytes | None:
    blocks, at = [], 0
    while at < len(data):
        length = data[at]
        if length == 0 or at + length > len(data):
            return None
        blocks.append(data[at + 1 : at + length])
        at += length
    return b"\0".join(blocks)


class Splitter:
    """Splits a byte stream into frames and faults. Buffers at most one frame."""

    def __init__(self) -> None:
        self._coming = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> Iterator[Frame | Fault]:
        """Frames and faults completed by these bytes."""
        *ends, rest = data.split(b"\0")
        for part in ends:
            self._add(part)
            found, self._coming = bytes(self._coming), bytearray()
            if self._too_long:
                self._too_long = False
                yield Fault.DAMAGED
            elif found:
                yield unpack(found)
        self._add(rest)

    def _add(self, part: bytes) -> None:
        if len(self._coming) + len(part) > MOST_BYTES:
            self._too_long = True
            self._coming.clear()
        elif not self._too_long:
            self._coming += part
