"""Irregularities in the samples of an observer: counters, and notes as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inloop.plant import Array
from inloop.simulate.judging.innovations import idle_note, innovation_note


class Account:
    """Counters since the start of an observer.

    Attributes:
        missing: how often each measured output was NaN or rejected, by name.
        lost: number of samples that never arrived.
        repeated: number of samples that arrived twice, and were used once.
        begun_anew: number of restarts of the observer.
        reason: reason for the last restart.
    """

    def __init__(self, measured: Sequence[str]) -> None:
        self.missing = dict.fromkeys(measured, 0)
        self._far = dict.fromkeys(measured, 0)
        self.lost = self.repeated = self.begun_anew = 0
        self.reason = ""
        self._squares, self._used, self._idle = 0.0, 0, 0

    def leave_out(self, names: Sequence[str], y: Array) -> None:
        """Count measured outputs that were not used.

        Args:
            names: outputs not used: NaN, or rejected by the gate.
            y: all measured outputs.
        """
        measured = list(self.missing)
        for name in names:
            self.missing[name] += 1
            self._far[name] += math.isfinite(y[measured.index(name)])

    def correct(self, nis: float, used: int) -> None:
        """Count a correction: its normalized innovation squared, and the measurements used."""
        self._squares += nis
        self._used += used
        self._idle = 0 if used else self._idle + 1

    def notes(self, period: float, mean: float | None) -> tuple[str, ...]:
        """Notes as text.

        Args:
            period: period of the observer [s].
            mean: mean time between samples [s], if it differs.
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
