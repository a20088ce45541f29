"""Which signals tell of the notes that an exhibit plays."""

from __future__ import annotations

from dataclasses import dataclass

MIDDLE_C = 60


@dataclass(frozen=True)
class Notes:
    """What to listen to: `inloop midi` and the studio make notes of it.

    Attributes:
        speed: signal of the hammer's speed [m/s].
        contact: when hammer and string touch, as "SIGNAL>VALUE".
        damped: when the damper is on the string, as "SIGNAL>VALUE".
        note: number of the note in MIDI.
    """

    speed: str
    contact: str
    damped: str
    note: int = MIDDLE_C
