"""`make demo HEADLESS=1`: a piece that is played by itself."""

from __future__ import annotations

import inloop as il
from inloop.cli.commands.demo_piece import PIECE, play_piece


def test_every_touch_is_a_note_and_faster_ones_are_louder() -> None:
    found = play_piece(shown=False, clock=il.ScriptedClock())
    struck = [note for note in found["notes"] if note["on"]]
    assert found["status"] == "OK" and len(struck) == len(PIECE)
    for note, touch in zip(struck, PIECE, strict=True):
        assert touch.t < note["t"] < touch.t + touch.rise + 0.05
    loudness = [note["velocity"] for note in struck[:4]]
    assert loudness == sorted(loudness) and loudness[3] > loudness[0] + 20
