"""Protobuf messages of fixed length: integers, then doubles, each after its tag.

All fields have eight bytes (sfixed64 and double) and all tags the same length, so a message is a
table of (tag, value) that NumPy reads and writes at once, bit-identical.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from inloop.errors import FileFormatError
from inloop.native.library import Reals

PACKAGE = "inloop"
MOST = 250_000  # maximum count: tags have at most three bytes
_DOUBLE, _SFIXED64, _OPTIONAL, _EIGHT_BYTES, _BYTES = 1, 16, 1, 1, 2  # of descriptor.proto


class FixedMessage:
    """A type of message.

    Attributes:
        name: of the message type, with its package.
        integers: names of the integer fields.
        numbers: names of the other fields.
    """

    def __init__(self, name: str, integers: Sequence[str], numbers: Sequence[str]) -> None:
        self.name = f"{PACKAGE}.{name}"
        self.integers, self.numbers = tuple(integers), tuple(numbers)
        count = len(self.integers) + len(self.numbers)
        # field numbers whose tags all have two bytes, or three
        first, size = (16, 2) if count < 2000 else (2048, 3)
        if count > MOST:
            raise FileFormatError(
                f"a message of {count} numbers does not fit into a recording",
                fix=f"Up to {MOST} do.",
            )
        self._fields = range(first, first + count)
        tags = [_varint(number << 3 | _EIGHT_BYTES) for number in self._fields]
        self._table = np.zeros(count, dtype=[("tag", f"V{size}"), ("value", "<i8")])
        self._table["tag"] = np.array(tags, dtype=f"V{size}")

    def schema(self) -> bytes:
        """The FileDescriptorSet for tools that read the messages."""
        kinds = [_SFIXED64] * len(self.integers) + [_DOUBLE] * len(self.numbers)
        names = _identifiers((*self.integers, *self.numbers))
        short = self.name.removeprefix(f"{PACKAGE}.")
        message = _block(1, short.encode())
        for name, number, kind in zip(names, self._fields, kinds, strict=True):
            field = _block(1, name.encode()) + _count(3, number) + _count(4, _OPTIONAL)
            message += _block(2, field + _count(5, kind))
        file = _block(1, f"{short.lower()}.proto".encode()) + _block(2, PACKAGE.encode())
        return _block(1, file + _block(4, message))

    def encode(self, integers: Sequence[int], numbers: Reals) -> bytes:
        """One message."""
        values = self._table["value"]
        values[: len(self.integers)] = integers
        values[len(self.integers) :] = numbers.view(np.int64)
        return self._table.tobytes()

    def decode(self, data: bytes) -> tuple[list[int], Reals]:
        """Integers and numbers of one message."""
        if len(data) != self._table.nbytes:
            raise self._foreign()
        table = np.frombuffer(data, dtype=self._table.dtype)
        if table["tag"].tobytes() != self._table["tag"].tobytes():
            raise self._foreign()
        values = table["value"]
        count = len(self.integers)
        numbers: Any = np.ascontiguousarray(values[count:]).view(np.float64)
        return values[:count].tolist(), numbers

    def decode_rows(self, rows: Any) -> tuple[Any, Reals]:
        """Integers and numbers of many messages, one in each row of bytes.

        Args:
            rows: shape (messages, bytes of one).

        Returns:
            Arrays of shape (messages, integers) and (messages, numbers).
        """
        if rows.shape[1] != self._table.nbytes:
            raise self._foreign()
        table = np.ascontiguousarray(rows).view(self._table.dtype)
        if np.any(table["tag"] != self._table["tag"]):
            raise self._foreign()
        values, count = table["value"], len(self.integers)
        numbers: Any = np.ascontiguousarray(values[:, count:]).view(np.float64)
        return values[:, :count], numbers

    def _foreign(self) -> FileFormatError:
        return FileFormatError(
            f"a message is no {self.name} of this recording",
            fix="The file is damaged, or was not written by inloop.",
        )


def _identifiers(names: Iterable[str]) -> list[str]:
    """Valid and unique protobuf names: "joint_1.q" is "joint_1_q"."""
    found: dict[str, None] = {}
    for name in names:
        word = re.sub(r"\W", "_", name, flags=re.ASCII)
        word = f"_{word}" if not word or word[0].isdigit() else word
        while word in found:
            word += "_"
        found[word] = None
    return list(found)


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number >= 128:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def _count(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _block(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content
