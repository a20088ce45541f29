"""Results of the checks of a model."""

from __future__ import annotations

from dataclasses import dataclass, field

from inloop.errors import MOST_MISTAKES, Mistake


class EnoughError(Exception):
    """The maximum number of reported mistakes is reached: the checks stop here."""


@dataclass
class Findings:
    """Mistakes, which stop the build, and notes, which do not."""

    mistakes: list[Mistake] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def mistake(self, what: str, where: str, fix: str) -> None:
        """Record a mistake, where it was written, and how to fix it.

        Raises:
            EnoughError: the list is full.
        """
        self.mistakes.append(Mistake(what, where, fix))
        if len(self.mistakes) >= MOST_MISTAKES:
            raise EnoughError

    def doubt(self, strict: bool, what: str, where: str, fix: str) -> None:
        """Record a mistake if strict, else a note."""
        if strict:
            self.mistake(what, where, fix)
        else:
            self.notes.append(what)

    def in_order(self) -> tuple[Mistake, ...]:
        """Return the mistakes from top to bottom, file by file."""
        places = [mistake.where.rpartition(":") for mistake in self.mistakes]
        files = list(dict.fromkeys(file for file, _, _ in places))

        def position(k: int) -> tuple[int, int]:
            file, _, line = places[k]
            return files.index(file), int(line) if line.isdigit() else 0

        return tuple(self.mistakes[k] for k in sorted(range(len(places)), key=position))
