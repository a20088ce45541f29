"""Notes in a standard MIDI file, format 0."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inloop.devices.midi.notes import Note

# 120 quarters per minute with 960 ticks each: 1920 ticks per second
TICKS_PER_QUARTER, QUARTERS_PER_SECOND = 960, 2
TICKS_PER_SECOND = TICKS_PER_QUARTER * QUARTERS_PER_SECOND
MOST_TICKS = 0x0FFFFFFF  # four bytes of seven bits


def write_midi_file(path: str | Path, notes: Sequence[Note]) -> None:
    """Write notes at their times; negative times become zero."""
    microseconds = 1_000_000 // QUARTERS_PER_SECOND
    track = b"\x00\xff\x51\x03" + microseconds.to_bytes(3, "big")
    now = 0
    for note in sorted(notes, key=lambda note: note.t):
        tick = max(now, round(note.t * TICKS_PER_SECOND))
        track += _length(min(tick - now, MOST_TICKS)) + bytes(note.message())
        now = tick
    track += b"\x00\xff\x2f\x00"
    header = b"MThd" + (6).to_bytes(4, "big") + (0).to_bytes(2, "big") + (1).to_bytes(2, "big")
    header += TICKS_PER_QUARTER.to_bytes(2, "big")
    Path(path).write_bytes(header + b"MTrk" + len(track).to_bytes(4, "big") + track)


def _length(ticks: int) -> bytes:
    """Variable-length quantity: seven bits per byte, all but the last with the top bit set."""
    parts = [ticks & 0x7F]
    while ticks := ticks >> 7:
        parts.append(0x80 | (ticks & 0x7F))
    return bytes(reversed(parts))
