"""Recordings cut into segments for multiple shooting: which samples each segment predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from inloop.analysis.fitting.recordings import Measured

LEAST = 4  # minimum number of samples in a segment


@dataclass(frozen=True)
class Segment:
    """A part of a recording that is simulated from its own initial state.

    With delays, the output at a sample depends on up to `early` samples before it; a segment starts
    that much earlier than the first sample it predicts.

    Attributes:
        recording: number of the recording.
        begin: sample at which the segment starts.
        first, stop: samples that it predicts: first ... stop - 1.
        length: duration of the simulation, in periods.
        handover: periods until the next segment starts; None for the last one of a recording.
    """

    recording: int
    begin: int
    first: int
    stop: int
    length: int
    handover: int | None


def cut(recordings: Sequence[Measured], seconds: float | None, early: int) -> tuple[Segment, ...]:
    """Cut recordings into segments of about equal length.

    Args:
        recordings: all recordings.
        seconds: length of a segment [s]; None: each recording is one segment.
        early: maximum delay in samples.
    """
    segments = []
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
            segments.append(Segment(number, begin, first, stop, length, handover))
    return tuple(segments)
