"""The records of one chunk as arrays.

A chunk is a sequence of messages of fixed length, mostly alternating inputs and outputs (and pulls
in between): NumPy reads such a run at once, as rows of a table of bytes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inloop.errors import FileFormatError
from inloop.native.library import Reals
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.recordings.channels import COUNTS, messages
from inloop.realtime.recordings.mcap_reader import (
    CHANNEL,
    MESSAGE,
    MESSAGE_HEAD,
    RECORD,
    Channel,
    TornError,
    read_record,
)
from inloop.realtime.recordings.table import KEPT, Integers, RecordTable

HEAD = RECORD.size + MESSAGE_HEAD.size  # bytes of a message before its data
CONSTANT = RECORD.size + 2  # of these: opcode, length and channel, constant for each kind
_CHOSEN = [COUNTS.index(name) for name in KEPT]


class ChunkReader:
    """Reads chunks of one recording in any order.

    Args:
        layout: of the recording.

    Attributes:
        channels: kind of message by channel number, as far as known from chunks.
    """

    def __init__(self, layout: Layout) -> None:
        self.channels: dict[int, str] = {}
        self._layout = layout
        self._kinds = messages(layout)

    @property
    def parameters_channel(self) -> int:
        """Number of the channel of parameters; -1 if there is none."""
        return next((n for n, kind in self.channels.items() if kind == "parameters"), -1)

    def table(self, content: bytes) -> RecordTable:
        """All records of a chunk.

        Raises:
            FileFormatError: a message does not belong to this recording, or records are invalid.
            TornError: it is truncated.
        """
        counts: list[Integers] = []
        values: list[Reals] = []
        changes: list[int] = []
        settings: list[Reals] = []
        at, rows = 0, 0
        parts: list[int] = []  # starts of the messages of the next record, from its inputs on
        inputs_end = 0
        while at < len(content):
            kind, end = self._message(content, at)
            if kind == "parameters":
                changes.append(rows)
                settings.append(self._rows(kind, _bytes(content[at:end]))[1][0])
            elif kind == "inputs":
                parts, inputs_end = [at], end
            elif kind == "hand":
                self._rows(kind, _bytes(content[at:end]))  # nothing but its width
                parts.append(at)
            elif kind == "state":
                self._rows(kind, _bytes(content[at:end]))  # nothing but its width
            elif kind == "outputs":
                if not parts:
                    raise FileFormatError("a sample has no inputs", fix="The recording is damaged.")
                run, first = _run(content, [*parts, at], end), parts[0]
                _, held = self._rows("inputs", run[:, : inputs_end - first])
                found, numbers = self._rows("outputs", run[:, at - first :])
                counts.append(found)
                values.append(np.hstack([numbers, held]))
                rows, end = rows + len(run), first + run.size
                parts = []
            at = end
        width = len(self._layout.output_names) + len(self._layout.inputs)
        table = RecordTable(
            self._layout,
            np.concatenate([np.zeros((0, len(COUNTS)), np.int64), *counts])[:, _CHOSEN],
            np.concatenate([np.zeros((0, width)), *values]),
            np.array(changes, dtype=np.int64),
            np.array(settings).reshape(len(changes), len(self._layout.parameters)),
        )
        _check(table)
        return table

    def loose_end(self, content: bytes) -> bytes:
        """The part of a chunk after its last outputs: the first record of the next chunk."""
        at = loose = 0
        while at < len(content):
            kind, at = self._message(content, at)
            loose = at if kind == "outputs" else loose
        return content[loose:]

    def whole_records(self, content: bytes) -> bytes:
        """A chunk without the part that belongs to a record of the previous chunk."""
        at = end = 0
        kind = ""
        while end < len(content) and kind != "inputs":
            at = end
            kind, end = self._message(content, at)
        return content[at:] if kind == "inputs" else b""

    def begins_amid(self, content: bytes) -> bool:
        """Whether the inputs of the first record of a chunk are in the previous chunk."""
        at, kind = 0, ""
        while at < len(content) and kind not in ("inputs", "outputs"):
            kind, at = self._message(content, at)
        return kind == "outputs"

    def _message(self, content: bytes, at: int) -> tuple[str, int]:
        """Kind of the message at an offset, "" if irrelevant, and offset of the next record."""
        if at + RECORD.size > len(content):
            raise TornError
        opcode, length = RECORD.unpack_from(content, at)
        begin, end = at + RECORD.size, at + RECORD.size + length
        if end > len(content):
            raise TornError
        if opcode == CHANNEL:
            channel = read_record(opcode, content[begin:end])
            assert isinstance(channel, Channel)
            self.channels.setdefault(channel.id, channel.topic.rpartition("/")[2])
        if opcode != MESSAGE:
            return "", end
        if length < MESSAGE_HEAD.size:
            raise TornError
        return self.channels.get(int.from_bytes(content[begin : begin + 2], "little"), ""), end

    def _rows(self, kind: str, rows: np.ndarray) -> tuple[Integers, Reals]:
        return self._kinds[kind].decode_rows(rows[:, HEAD:])


def _bytes(content: bytes) -> np.ndarray:
    return np.frombuffer(content, np.uint8)[None]


def _run(content: bytes, begins: list[int], end: int) -> np.ndarray:
    """Consecutive records with the same messages, as rows of bytes.

    Args:
        content: contents of a chunk.
        begins: starts of the messages of the first record: its inputs, pulls, outputs.
        end: its end.
    """
    first = begins[0]
    stride = end - first
    count = (len(content) - first) // stride
    rows = np.frombuffer(content, np.uint8, count * stride, first).reshape(count, stride)
    fixed = np.concatenate([np.arange(at - first, at - first + CONSTANT) for at in begins])
    alike = np.all(rows[:, fixed] == rows[0, fixed], axis=1)
    return rows if alike.all() else rows[: int(np.argmin(alike))]


def _check(table: RecordTable) -> None:
    """Reject what no recorder writes."""
    sequence, stamps = table.count("sequence"), table.count("stamp")
    problems: Mapping[str, bool] = {
        "a time is not finite": not np.all(np.isfinite(table.values[:, 0])),
        "a count is negative": bool(np.any(table.counts < 0)),
        "records are not in their order": bool(np.any(np.diff(sequence) <= 0)),
        "the clock has gone back": bool(np.any(np.diff(stamps) < 0)),
        "a clock has overflowed": bool(np.any(stamps >> 62)),
    }
    wrong = next((what for what, found in problems.items() if found), None)
    if wrong is not None:
        first = int(sequence[0])
        raise FileFormatError(
            f"records after number {first} make no sense: {wrong}", fix="The recording is damaged."
        )
