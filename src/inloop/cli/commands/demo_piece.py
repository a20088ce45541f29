"""A short piece on one key of the grand-piano action, played in real time."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop import gallery
from inloop.cli.commands import midi
from inloop.cli.commands.studio_catalog import pace
from inloop.cli.output import heading, paragraph, table
from inloop.devices import Note, NoteMaker
from inloop.devices.midi.notes import NOTE_ON
from inloop.realtime import Loop, Report

MECHANISM, INPUT = "piano", "finger"
WRITE_EVERY = 1e-3  # [s]
AFTER = 0.3  # [s] of silence at the end


@dataclass(frozen=True)
class Touch:
    """One keystroke.

    Attributes:
        t: start of the finger motion [s].
        rise: time to the bottom [s]: shorter is louder.
        hold: time at the bottom [s].
        up_to: travel to which it returns [m]; not 0 for a soft repetition.
    """

    t: float
    rise: float
    hold: float
    up_to: float = 0.0


BOTTOM = 11.5e-3  # [m]
RELEASE = 0.06  # [s] from the bottom
# from soft to loud, then a quick repetition from a half-released key
PIECE = (
    Touch(0.3, 0.080, 0.20), Touch(0.9, 0.055, 0.20), Touch(1.5, 0.035, 0.20),
    Touch(2.1, 0.010, 0.20), Touch(2.8, 0.030, 0.05, 4e-3), Touch(2.97, 0.030, 0.05, 4e-3),
    Touch(3.14, 0.030, 0.05, 4e-3), Touch(3.31, 0.020, 0.40),
)  # fmt: skip


def finger_curve() -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and desired travel [m] of the finger, interpolated linearly."""
    corners, place = [(0.0, 0.0)], 0.0
    for touch in PIECE:
        down = touch.t + touch.rise
        corners += [(touch.t, place), (down, BOTTOM), (down + touch.hold, BOTTOM)]
        place = touch.up_to
        corners.append((down + touch.hold + RELEASE, place))
    corners.append((corners[-1][0] + AFTER, 0.0))
    t, travel = zip(*corners, strict=True)
    return np.array(t), np.array(travel)


def play_piece(shown: bool, clock: il.ScriptedClock | None = None) -> dict[str, Any]:
    """Play it in real time; return notes and the timing report.

    Args:
        shown: whether to print a summary.
        clock: clock on which it is played as fast as possible, reproducibly; None: the system
            clock.
    """
    exhibit = gallery.get(MECHANISM)
    if shown:
        heading(exhibit.title)
        paragraph(exhibit.look_at)
        paragraph("A finger plays a few notes, in real time:\n")
    plant = exhibit.build().compile()
    rate, substeps = pace(exhibit)
    name = f"{MECHANISM}-demo-{os.getpid()}"
    with il.start(
        plant,
        name=name,
        rate=rate,
        substeps=substeps,
        method=exhibit.method,
        stale_after=0.5,
        clock=clock,
    ) as loop:
        notes = _play(loop)
        report = loop.close()
    if shown:
        _show(notes, report)
    return {
        "notes": [note.data() for note in notes],
        "status": report.status,
        "realtime": report.data(),
    }


def _play(loop: Loop) -> list[Note]:
    """Move the finger along its curve, and record the notes."""
    box, (times, travel) = loop.mailbox, finger_curve()
    heard = midi.gallery_notes(box)
    contact, damped = map(midi.Condition.parse, (heard.contact, heard.damped))
    maker, notes = NoteMaker(), []
    with il.attach(loop.name) as ear:
        while (t := box.read().t) < times[-1] and loop.running:
            box.write({INPUT: float(np.interp(t, times, travel))})
            while (outputs := ear.next()) is not None:
                speed = outputs[heard.speed]
                notes += maker.update(
                    outputs.t, speed, contact.holds(outputs), damped.holds(outputs)
                )
            if loop.clock.scripted:
                loop.clock.advance(WRITE_EVERY)
            else:
                time.sleep(WRITE_EVERY)
    return notes


def _show(notes: list[Note], report: Report) -> None:
    struck = [note for note in notes if note.kind == NOTE_ON]
    table(("time [s]", "MIDI velocity"), [(f"{n.t:.3f}", str(n.velocity)) for n in struck])
    paragraph()
    for sentence in report.sentences():
        paragraph(sentence)
    table(("time [µs]", "p50", "p99", "p99.9", "max"), report.rows())
