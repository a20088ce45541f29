"""Scans a whole recording for events that deserve a mark, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from inloop.errors import InloopError
from inloop.realtime.closing import Closing
from inloop.realtime.recordings.marks import Mark, Marks
from inloop.realtime.recordings.seekable import SeekableRecording
from inloop.studio.messaging.message_types import TimelineMark

GIVE_WAY = 1e-4  # [s] after each chunk: the pages have priority
LOOK_EVERY = 0.5  # [s] between polls of a file that is being written


class MarkScanner(Closing):
    """Marks of a file, as far as it has been scanned.

    Args:
        path: path of the file.
        grows: whether it is being written now.
    """

    def __init__(self, path: Path, grows: Callable[[], bool]) -> None:
        self._path, self._grows = path, grows
        self._marks: list[Mark] = []
        self._scanned = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="inloop-marks", daemon=True)
        self._thread.start()

    def found(self) -> tuple[list[TimelineMark], float]:
        """Marks, and the fraction of the file that has been scanned."""
        marks: list[TimelineMark] = [
            {"what": mark.kind, "at": mark.at, "text": mark.text, "count": mark.count}
            for mark in self._marks
        ]
        return marks, self._scanned

    def _work(self) -> None:
        try:
            with SeekableRecording(self._path) as recording:
                self._scan(recording)
        except (InloopError, OSError):
            self._scanned = 1.0  # the player reports what is wrong

    def _scan(self, recording: SeekableRecording) -> None:
        begin = recording.stamp(recording.begin)
        marks, chunk, last = Marks(recording.layout, begin), 0, begin
        while not self._ended.is_set():
            if chunk >= recording.chunks:
                self._marks, self._scanned = marks.found(), 1.0
                if not self._grows() or self._ended.wait(LOOK_EVERY):
                    return
                recording.extend()
                continue
            table = recording.read(chunk)
            if len(table.counts):
                last = int(table.count("stamp")[-1])
            elif chunk in recording.damaged:
                marks.add(Mark("damaged", 1e-9 * (last - begin)))
            marks.read(table)
            chunk += 1
            if chunk % 256 == 0:
                self._marks, self._scanned = marks.found(), chunk / recording.chunks
            self._ended.wait(GIVE_WAY)

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join()
