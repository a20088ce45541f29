"""What was unusual about the samples of an observer, counted and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inloop.plant import Array
from inloop.simulate.judging.innovations import idle_note, innovation_note


class Account:
    """Counts since an observer began.

    Attributes:
        missing: how often each measured output was NaN or too far off, by name.
        lost: samples that never came.
        repeated: samples that came once more, and were taken once.
        begun_anew: how often the observer began anew.
        reason: why it did so at last.
    """

    def __init__(self, measured: Sequence[str]) -> None:
        self.missing = dict.fromkeys(measured, 0)
        self._far = dict.fromkeys(measured, 0)
        self.lost = self.repeated = self.begun_anew = 0
        self.reason = ""
        self._squares, self._used, self._idle = 0.0, 0, 0

    def leave_out(self, names: Sequence[str], y: Array) -> None:
        """Outputs that were not used, of all that were measured.

        Args:
            names: of those that were not used: NaN, or too far off.
            y: all of them.
        """
        measured = list(self.missing)
        for name in names:
            self.missing[name] += 1
            self._far[name] += math.isfinite(y[measured.index(name)])

    def correct(self, nis: float, used: int) -> None:
        """A correction: squared innovations in units of their covariance, and how many."""
        self._squares += nis
        self._used += used
        self._idle = 0 if used else self._idle + 1

    def notes(self, period: float, mean: float | None) -> tuple[str, ...]:
        """In words.

        Args:
            period: of the observer [s].
            mean: between samples, if it is another one [s].
        """
        told = []
        for name, count in self.missing.items():
            far = self._far[name]
            if count > far:
                told.append(f"'{name}' was missing {count - far} times")
            if far:
                told.append(f"'{name}' was rejected {far} times as too far off (gate=)")
        told.append(idle_note(self._idle))
        if self.lost:
            told.append(f"{self.lost} samples were lost")
        if self.repeated:
            told.append(f"{self.repeated} samples were repeated, and used only once")
        if mean is not None:
            told.append(f"samples come every {mean:.4g} s, not every {period:g} s")
        if self.begun_anew:
            told.append(f"restarted {self.begun_anew} times, most recently because {self.reason}")
        told.append(innovation_note(self._squares, self._used))
        return tuple(note for note in told if note)
