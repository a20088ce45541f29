"""Signals from which the notes that an exhibit plays are detected."""

from __future__ import annotations

from dataclasses import dataclass

MIDDLE_C = 60


@dataclass(frozen=True)
class Notes:
    """Signals that `inloop midi` and the studio turn into notes.

    Attributes:
        speed: signal of the hammer's speed [m/s].
        contact: condition that hammer and string touch, as "SIGNAL>VALUE".
        damped: condition that the damper is on the string, as "SIGNAL>VALUE".
        note: MIDI note number.
    """

    speed: str
    contact: str
    damped: str
    note: int = MIDDLE_C
