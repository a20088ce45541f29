"""Read a recording, even a truncated one; any damage is reported."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inloop.errors import FileFormatError
from inloop.native.library import Reals
from inloop.realtime.mailboxes.hand import Pulls
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.mailboxes.outputs import Flag, Snapshot
from inloop.realtime.recordings.channels import (
    COUNTS,
    FACTS,
    REPORT,
    layout_from,
    messages,
    read_facts,
    read_report,
)
from inloop.realtime.recordings.mcap_reader import Channel, McapReader, Message, Metadata, Record


@dataclass(frozen=True)
class Sample:
    """One record of the telemetry.

    Attributes:
        counts: sequence, stamp, step, status, flags, input_sequence, parameter_sequence.
        values: outputs in the order of the layout, up to the signals.
        inputs: inputs held during the step.
        parameters: parameters, if they have changed.
        state: state from which a replay can start, if available.
        hand: pulls on bodies, if any.
    """

    counts: dict[str, int]
    values: Reals
    inputs: Reals
    parameters: Reals | None
    state: Snapshot | None
    hand: Pulls | None

    @property
    def was_set(self) -> bool:
        """Not the result of a step: the start, a reset or a restored state."""
        return bool(self.counts["flags"] & Flag.SET)


class Recording:
    """A file; iterate over it for its samples, as often as needed.

    Sequence numbers increase, the clock never goes back, and every time is finite: a file that
    violates this raises a FileFormatError.

    Attributes:
        path: of the file.
        facts: metadata of the recorder, by name.
        layout: names and sizes.
        complete: whether the file is complete; known after reading.
        report: deadline report from the end of the file; None if missing.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.complete = False
        self.facts = self._first_facts()
        self.layout: Layout = layout_from(self.facts)
        self.report: dict[str, object] | None = None

    def __iter__(self) -> Iterator[Sample]:
        kinds = messages(self.layout)
        channels: dict[int, str] = {}
        last: dict[str, tuple[list[int], Reals]] = {}
        before: Sample | None = None
        for record in self.records():
            if isinstance(record, Channel):
                channels[record.id] = record.topic.rpartition("/")[2]
            elif isinstance(record, Metadata) and record.name == REPORT:
                self.report = read_report(record.items.get("json", "{}"))
            elif isinstance(record, Message) and channels.get(record.channel) in kinds:
                kind = channels[record.channel]
                last[kind] = kinds[kind].decode(record.data)
                if kind == "outputs":
                    sample = _sample(last, self.layout)
                    _check_order(before, sample)
                    before = sample
                    yield sample
                    last.clear()

    def records(self) -> Iterator[Record]:
        """Records of the file, up to where it is truncated."""
        reader = McapReader(self.path)
        yield from reader.records()
        self.complete = reader.complete

    def _first_facts(self) -> dict[str, str]:
        for record in self.records():
            if isinstance(record, Metadata) and record.name == FACTS:
                return read_facts(record.items)
        raise FileFormatError(
            f"{self.path.name} is not a recording of inloop", fix="Record with inloop record."
        )


def _sample(last: dict[str, tuple[list[int], Reals]], layout: Layout) -> Sample:
    counts, values = last["outputs"]
    state = last.get("state")
    parameters = last.get("parameters")
    if "inputs" not in last:
        raise FileFormatError("a sample has no inputs", fix="The recording is damaged.")
    told, hand = dict(zip(COUNTS, counts, strict=True)), last.get("hand")
    if hand is None and told["flags"] & Flag.PULLED:
        raise FileFormatError(
            "a sample does not say how its bodies were held", fix="The recording is damaged."
        )
    return Sample(
        told,
        values,
        last["inputs"][1],
        None if parameters is None else parameters[1],
        None if state is None else Snapshot(state[0][1], state[1]),
        None if hand is None else Pulls(told["sequence"], 0, hand[1], layout.bodies),
    )


def _check_order(before: Sample | None, sample: Sample) -> None:
    """Reject what no recorder writes."""
    counts, t = sample.counts, float(sample.values[0])
    sequence = counts["sequence"]
    if not math.isfinite(t):
        what = f"its time is {t}"
    elif min(counts.values()) < 0:
        what = "one of its counts is negative"
    elif before is not None and sequence <= before.counts["sequence"]:
        what = f"it comes after record {before.counts['sequence']}"
    elif before is not None and counts["stamp"] < before.counts["stamp"]:
        what = "the clock has gone back"
    else:
        return
    raise FileFormatError(
        f"record {sequence} makes no sense: {what}", fix="The recording is damaged."
    )
