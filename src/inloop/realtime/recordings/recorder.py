"""Write every record of a plant's telemetry to an MCAP file; meant for its own process.

The file grows by whole chunks: if a recorder is killed, or its disk is full, the file can be read
up to the last one; see `WholePieces` for what survives a power cut. The loop is not affected: the
recorder only reads its ring.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import MailboxError
from inloop.native.library import Reals
from inloop.realtime.closing import Closing
from inloop.realtime.mailboxes.mailbox import Mailbox
from inloop.realtime.mailboxes.outputs import Flag, Outputs
from inloop.realtime.recordings.channels import COUNTS, FACTS, REPORT, facts, messages, need_mcap
from inloop.realtime.recordings.recording_file import WholePieces

WRITE_EVERY = 0.25  # [s]: maximum loss of a killed recorder
LOOK_EVERY = 0.02  # [s]
STATE_EVERY = 10.0  # [s] of simulated time between states at which a replay can start
MOST_AT_ONCE = 1000  # records
CHUNK = 1 << 16  # bytes; a torn chunk is lost


@dataclass(frozen=True)
class Recorded:
    """Result of a recording.

    Attributes:
        path: of the file.
        records: number of records in the file.
        lost: number of records that were overwritten before they could be read.
        size: of the file [bytes].
        problem: why it ended early; empty if it did not.
    """

    path: Path
    records: int
    lost: int
    size: int
    problem: str = ""


class Recorder(Closing):
    """A recording in progress; use it in a `with` statement.

    Args:
        box: of the plant.
        path: file to write.
        file: file to write into; default: a new one at the path.
        overwrite: replace an existing file.
        since: time of the plant's clock [ns]; records written before are left out.

    Attributes:
        records: number of records taken so far.
        written: number of these that are in the file.
    """

    def __init__(
        self,
        box: Mailbox,
        path: str | Path,
        file: WholePieces | None = None,
        *,
        overwrite: bool = False,
        since: int = 0,
    ) -> None:
        need_mcap()
        from mcap.writer import CompressionType, Writer

        self.records = self.written = self._in_chunk = self._unexplained = 0
        self._box, self._path, self._since = box, Path(path), since
        self._offset = time.time_ns() - box.clock.now_ns
        self._messages = messages(box.layout)
        self._file = file if file is not None else WholePieces(self._path, overwrite)
        self._writer: Any = Writer(
            self._file,  # type: ignore[arg-type]  # write and tell are all it needs
            chunk_size=1 << 30,  # chunks end with a record: see commit
            compression=CompressionType.NONE,
        )
        self._writer.start(profile="", library="inloop")
        told = facts(box.name, box.layout, self._offset)
        self._writer.add_metadata(FACTS, told)
        self._channels = {}
        for kind, message in self._messages.items():
            schema = self._writer.register_schema(message.name, "protobuf", message.schema())
            self._channels[kind] = self._writer.register_channel(
                f"/{box.name}/{kind}", "protobuf", schema
            )
        self._last: Outputs | None = None
        self._next_state, self._committed = 0.0, time.monotonic()
        self._cut = box.layout.cuts
        box.rewind()
        self._lost_before = box.lost
        try:
            # from now on it is a valid, empty recording
            self._file.commit(sync=True)
        except OSError:
            self._file.close()
            raise

    @property
    def lost(self) -> int:
        """Records that were overwritten, or whose inputs were, before they could be read."""
        return self._box.lost - self._lost_before + self._unexplained

    def take(self) -> int:
        """Take all available records; returns their number.

        Raises:
            OSError: the disk is full, or gone.
        """
        count = 0
        while (outputs := self._box.next()) is not None:
            if outputs.stamp >= self._since:
                self._add(outputs)
            count += 1
            if self._in_chunk >= CHUNK:
                self.commit()
            if count == MOST_AT_ONCE:
                break
        if time.monotonic() - self._committed >= WRITE_EVERY:
            self.commit()
        return count

    def commit(self) -> None:
        """Write the taken records to the file, as a chunk."""
        self._writer.flush()
        self._file.commit()
        self.written, self._in_chunk = self.records, 0
        self._committed = time.monotonic()

    def _add(self, outputs: Outputs) -> None:
        """One record: what has changed, the inputs, the outputs."""
        last = self._last
        gap = last is None or outputs.sequence != last.sequence + 1
        if last is None or outputs.parameter_sequence != last.parameter_sequence:
            values = self._box.parameters_at(outputs.parameter_sequence)
            if values is None:
                # its inputs are unknown: it is lost, and the next one starts anew
                self._unexplained += 1
                return
            numbers = np.array(list(values.values()), dtype=np.float64)
            self._put("parameters", outputs, (outputs.parameter_sequence,), numbers)
        pulls = self._box.hand.of(outputs.sequence) if outputs.flags & Flag.PULLED else None
        if outputs.flags & Flag.PULLED and pulls is None:
            self._unexplained += 1  # as above
            return
        self._last = outputs
        self.records += 1
        if gap or outputs.flags & Flag.SET or outputs.t >= self._next_state:
            which = (outputs.sequence, outputs.step, outputs.partition)
            self._put("state", outputs, which, outputs.x)
            self._next_state = outputs.t + STATE_EVERY
        self._put("inputs", outputs, (outputs.sequence,), outputs.inputs)
        if pulls is not None:
            self._put("hand", outputs, (outputs.sequence,), pulls.values)
        counts = tuple(getattr(outputs, name) for name in COUNTS)
        self._put("outputs", outputs, counts, outputs.values[: self._cut[4]])

    def _put(self, kind: str, outputs: Outputs, counts: tuple[int, ...], numbers: Reals) -> None:
        when = outputs.stamp + self._offset
        data = self._messages[kind].encode(counts, numbers)
        self._in_chunk += len(data)
        self._writer.add_message(
            self._channels[kind], when, data, when, sequence=outputs.sequence & 0xFFFFFFFF
        )

    def finish(self) -> None:
        """Add the deadline report and the index."""
        report = json.dumps(self._box.report().data())
        self._writer.add_metadata(REPORT, {"json": report, "lost": str(self.lost)})
        self._writer.finish()
        self._file.commit(sync=True)
        self.written = self.records

    def close(self) -> None:
        """Close the file; uncommitted records are lost."""
        self._file.close()

    def outcome(self, problem: str = "") -> Recorded:
        """The result so far."""
        return Recorded(self._path, self.written, self.lost, self._file.size, problem)


def record(
    box: Mailbox,
    path: str | Path,
    *,
    seconds: float | None = None,
    stop: Callable[[], bool] = lambda: False,
    begun: Callable[[], None] = lambda: None,
    overwrite: bool = False,
    since: int = 0,
) -> Recorded:
    """Record a plant until it ends, beginning with the oldest records of its telemetry.

    Args:
        box: of the plant.
        path: file to write.
        seconds: maximum time [s].
        stop: polled to end early.
        begun: called when the file exists and recording starts.
        overwrite: replace an existing file.
        since: time of the plant's clock [ns]; records written before are left out.

    Raises:
        InputError: the file exists already, or is being written.
    """
    end = None if seconds is None else time.monotonic() + seconds
    with Recorder(box, path, overwrite=overwrite, since=since) as recorder:
        try:
            begun()
            while not (stop() or box.gone or (end is not None and time.monotonic() >= end)):
                if recorder.take() == 0:
                    time.sleep(LOOK_EVERY)
            # records in between
            with contextlib.suppress(MailboxError):
                while recorder.take():
                    pass
            recorder.finish()
        except OSError as error:
            return recorder.outcome(error.strerror or str(error))
        return recorder.outcome()
