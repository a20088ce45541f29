"""Recordings cut into segments for multiple shooting: which samples each of them explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from inloop.analysis.fitting.recordings import Measured

LEAST = 4  # samples in a segment


@dataclass(frozen=True)
class Segment:
    """A stretch of a recording that is simulated from a start of its own.

    With delays the output of a sample comes from up to `early` samples before it, so that a
    segment begins as much earlier than the first sample it explains.

    Attributes:
        recording: its number.
        begin: sample at which it starts.
        first, stop: samples that it explains: first ... stop - 1.
        length: periods that it is simulated for.
        handover: periods after which the next one begins; None for the last one of a recording.
    """

    recording: int
    begin: int
    first: int
    stop: int
    length: int
    handover: int | None


def cut(recordings: Sequence[Measured], seconds: float | None, early: int) -> tuple[Segment, ...]:
    """Segments of about the same length.

    Args:
        recordings: all of them.
        seconds: length of a segment [s]; None: a recording is one segment.
        early: samples that delays may reach back.
    """
    found = []
    for number, each in enumerate(recordings):
        samples = len(each) - early
        count = 1
        if seconds is not None:
            count = min(max(1, round(samples * each.period / seconds)), max(1, samples // LEAST))
        edges = [early + samples * k // count for k in range(count + 1)]
        for k, (first, stop) in enumerate(pairwise(edges)):
            begin, last = first - early, k == count - 1
            handover = None if last else stop - first
            length = max(stop - 1 - begin, handover or 0)
            found.append(Segment(number, begin, first, stop, length, handover))
    return tuple(found)
