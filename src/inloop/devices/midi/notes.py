"""Detect the start and end of notes from the motion of hammer and damper."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from inloop.devices.midi.midi_velocity import midi_velocity

NOTE_OFF, NOTE_ON = 0x80, 0x90


class Note(NamedTuple):
    """A MIDI message of one note.

    Attributes:
        t: time [s].
        kind: NOTE_ON or NOTE_OFF.
        note: 0 to 127; 60 is C4.
        velocity: 1 to 127, and 0 for NOTE_OFF.
        speed: speed of the hammer at the string [m/s]; 0 for NOTE_OFF, or if unknown.
    """

    t: float
    kind: int
    note: int
    velocity: int
    speed: float = 0.0

    def message(self, channel: int = 0) -> tuple[int, int, int]:
        """The three MIDI bytes."""
        return self.kind | channel, self.note, self.velocity

    def data(self) -> dict[str, float | int | bool]:
        """As plain data."""
        return {
            "t": self.t,
            "on": self.kind == NOTE_ON,
            "note": self.note,
            "velocity": self.velocity,
            "speed": self.speed,
        }


@dataclass
class NoteMaker:
    """Detects the notes of one hammer.

    A note begins when the hammer hits the string, with the speed just before; it ends when the
    damper is back, or after `longest`. Without contact information, a hammer that reverses within
    `contact_time` of its full speed has hit the string: gravity takes longer.

    Attributes:
        note: 0 to 127; 60 is C4.
        least: slower hammers make no sound [m/s]; the softest tone of the pianists of
            Goebl, Bresin and Galembo (2005) had 0.18 m/s.
        apart: strikes closer than this are one, because a hammer may bounce in its felt [s].
        contact_time: maximum time from first touch to reversal [s].
        longest: maximum duration of a note [s].
        sounds_since: start of the current note [s]; None while silent.
    """

    note: int = 60
    least: float = 0.18
    apart: float = 0.02
    contact_time: float = 4e-3
    longest: float = 10.0
    sounds_since: float | None = None
    speed: float = 0.0
    touching: bool = False
    rising: deque[tuple[float, float]] = field(default_factory=deque)

    def update(
        self, t: float, speed: float, contact: bool | None = None, damped: bool = False
    ) -> list[Note]:
        """Process a sample; returns the resulting messages.

        Args:
            t: time [s].
            speed: of the hammer towards the string [m/s].
            contact: whether hammer and string touch; None if unknown.
            damped: whether the damper is on the string.
        """
        found: list[Note] = []
        strike = self._turned_back(t, speed) if contact is None else self._touched(speed, contact)
        begun = math.inf if self.sounds_since is None else t - self.sounds_since
        if strike >= self.least and not 0.0 <= begun < self.apart:
            found += self.silence(t)
            found.append(Note(t, NOTE_ON, self.note, midi_velocity(strike), strike))
            self.sounds_since = t
        elif not self.touching and (begun >= self.longest or (damped and begun >= self.apart)):
            found += self.silence(t)
        return found

    def silence(self, t: float) -> list[Note]:
        """End the current note, if any."""
        if self.sounds_since is None:
            return []
        self.sounds_since = None
        return [Note(t, NOTE_OFF, self.note, 0)]

    def _touched(self, speed: float, contact: bool) -> float:
        """Speed of a strike that begins now; else 0. The previous sample is most accurate."""
        begins, self.touching = contact and not self.touching, contact
        before, self.speed = self.speed, speed
        return before if begins else 0.0

    def _turned_back(self, t: float, speed: float) -> float:
        """Speed of a strike that has just reversed the hammer; else 0."""
        while self.rising and t - self.rising[0][0] > self.contact_time:
            self.rising.popleft()
        if speed > 0.0:
            self.rising.append((t, speed))
            return 0.0
        strike = max((v for _, v in self.rising), default=0.0)
        self.rising.clear()
        return strike
