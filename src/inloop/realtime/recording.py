"""Reads a recording, also one whose end is missing."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inloop.errors import FileFormatError
from inloop.native.library import Reals
from inloop.realtime.channels import COUNTS, FACTS, REPORT, layout_from, messages, need_mcap
from inloop.realtime.channels import read_report as _read_report
from inloop.realtime.layout import Layout
from inloop.realtime.outputs import Flag, Snapshot


@dataclass(frozen=True)
class Sample:
    """One record of the telemetry.

    Attributes:
        counts: sequence, stamp, step, status, flags, input_sequence, parameter_sequence.
        values: outputs in the order of the layout, up to the signals.
        inputs: as held during the step.
        parameters: if they are others than before.
        state: to start a replay from, where there is one.
    """

    counts: dict[str, int]
    values: Reals
    inputs: Reals
    parameters: Reals | None
    state: Snapshot | None

    @property
    def was_set(self) -> bool:
        """Not the result of a step: the start, a reset or a restored state."""
        return bool(self.counts["flags"] & Flag.SET)


class Recording:
    """A file; iterate over it for its samples, as often as needed.

    Attributes:
        path: of the file.
        facts: what the recorder knew at the start, by name.
        layout: names and sizes.
        complete: the file has its end; known after it was read.
        report: deadline report from the end of the file; None without it.
    """

    def __init__(self, path: str | Path) -> None:
        need_mcap()
        self.path = Path(path)
        self.complete = False
        self.facts = self._first_facts()
        self.layout: Layout = layout_from(self.facts)
        self.report: dict[str, object] | None = None

    def __iter__(self) -> Iterator[Sample]:
        kinds = messages(self.layout)
        channels: dict[int, str] = {}
        last: dict[str, tuple[list[int], Reals]] = {}
        for record in self._records():
            name = type(record).__name__
            if name == "Channel":
                channels[record.id] = record.topic.rpartition("/")[2]
            elif name == "Metadata" and record.name == REPORT:
                self.report = _read_report(record.metadata)
            elif name == "Message" and channels.get(record.channel_id) in kinds:
                kind = channels[record.channel_id]
                last[kind] = kinds[kind].decode(record.data)
                if kind == "outputs":
                    yield _sample(last)
                    last.clear()

    def _first_facts(self) -> dict[str, str]:
        for record in self._records():
            if type(record).__name__ == "Metadata" and record.name == FACTS:
                return dict(record.metadata)
        raise FileFormatError(
            f"{self.path.name} is no recording of inloop", fix="Record with inloop record."
        )

    def _records(self) -> Iterator[Any]:
        """Records of the file, up to where it breaks off."""
        from mcap.exceptions import McapError
        from mcap.stream_reader import StreamReader

        with self.path.open("rb") as file:
            reader = StreamReader(file, validate_crcs=True, record_size_limit=1 << 30)
            try:
                yield from reader.records
                self.complete = True
            except (McapError, struct.error, EOFError, ValueError):
                self.complete = False


def _sample(last: dict[str, tuple[list[int], Reals]]) -> Sample:
    counts, values = last["outputs"]
    state = last.get("state")
    parameters = last.get("parameters")
    if "inputs" not in last:
        raise FileFormatError("a sample has no inputs", fix="The recording is damaged.")
    return Sample(
        dict(zip(COUNTS, counts, strict=True)),
        values,
        last["inputs"][1],
        None if parameters is None else parameters[1],
        None if state is None else Snapshot(state[0][1], state[1], state[0][2]),
    )


def repair(path: str | Path, to: str | Path) -> int:
    """Write a complete file, with its indexes, from one whose end is missing.

    Returns:
        Number of messages.
    """
    from mcap.writer import CompressionType, Writer

    source, count = Recording(path), 0
    with Path(to).open("wb") as file:
        writer: Any = Writer(file, compression=CompressionType.NONE)
        writer.start(library="inloop")
        schemas: dict[int, int] = {}
        channels: dict[int, int] = {}
        for record in source._records():
            name = type(record).__name__
            if name == "Metadata":
                writer.add_metadata(record.name, record.metadata)
            elif name == "Schema" and record.id not in schemas:
                schemas[record.id] = writer.register_schema(
                    record.name, record.encoding, record.data
                )
            elif name == "Channel" and record.id not in channels:
                channels[record.id] = writer.register_channel(
                    record.topic, record.message_encoding, schemas[record.schema_id]
                )
            elif name == "Message":
                writer.add_message(
                    channels[record.channel_id], record.log_time, record.data,
                    record.publish_time, record.sequence,
                )  # fmt: skip
                count += 1
        writer.finish()
    return count
