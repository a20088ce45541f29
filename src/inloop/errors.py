"""The exception tree. Every message has three parts: what is wrong, where, and what to do."""

from __future__ import annotations

import bisect
import difflib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST_MISTAKES = 100  # of one model; nobody reads more, and the rest is not looked for
_COMPARED = 500  # names among which a near miss is looked for, of at most so many letters:
_LETTERS = 100
_LISTED = 12  # names, where none is near


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong in what the user wrote.

    Attributes:
        what: what is wrong, naming the element ("body 'shank': mass must be > 0 kg, got -1.2").
        where: file and line where the user wrote it, or "" when unknown.
        fix: what to do about it.
    """

    what: str
    where: str
    fix: str

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        return f"{self.what}{place}. {self.fix}"


class InloopError(Exception):
    """Base of all errors that inloop raises on purpose."""

    def __init__(self, what: str, where: str = "", fix: str = "") -> None:
        self.mistakes: tuple[Mistake, ...] = (Mistake(what, where, fix),)
        super().__init__(str(self.mistakes[0]).strip())


class ModelError(InloopError):
    """The description of a mechanism is wrong; carries all mistakes, up to MOST_MISTAKES."""

    @classmethod
    def of(cls, model_name: str, mistakes: tuple[Mistake, ...]) -> ModelError:
        """Bundle all mistakes of one model, the first MOST_MISTAKES of them, into one error."""
        error = cls("")
        error.mistakes = mistakes = mistakes[:MOST_MISTAKES]
        count = counted(len(mistakes), "mistake")
        if len(mistakes) == MOST_MISTAKES:
            count += " or more"
        lines = [f"model '{model_name}' has {count}:"]
        lines += [f"  {k}. {mistake}" for k, mistake in enumerate(mistakes, start=1)]
        error.args = ("\n".join(lines),)
        return error


class ExpressionError(InloopError):
    """A symbolic expression is used in a way that has no meaning."""


class BuildError(InloopError):
    """Generated code could not be compiled or loaded."""


class FileFormatError(InloopError):
    """A file cannot be read: broken, truncated, hostile or of an unknown kind."""


class InputError(InloopError):
    """A numeric argument has the wrong shape, name or value."""


class SimulationError(InloopError):
    """A run cannot continue; the results so far are kept."""


class SolveError(InloopError):
    """A linear system has no reliable solution."""


class LinkError(InloopError):
    """A link to another machine or system cannot be established or maintained."""


class MailboxError(InloopError):
    """A mailbox cannot be used: no plant of that name runs, it ended, or others hold a block."""


class ExportWarning(UserWarning):
    """Something the user should know about an exported plant; the export still succeeds."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 overrun", "2 overruns", "2 bodies"."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def source_line(filename: str, line: int) -> str:
    """Return "file:line", or "Cell In[5]:line" for a cell of a notebook, which has no file."""
    current = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = current() if current is not None else None
    label_of = getattr(getattr(shell, "compile", None), "format_code_name", None)
    label = label_of(filename) if label_of is not None else None
    return f"{' '.join(label) if label else filename}:{line}"


def first_of(names: Sequence[str], most: int) -> str:
    """The first of several names: "a, b and 3 more"."""
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")


def name_hint(wrong: object, known: Iterable[str]) -> str:
    """A sentence that helps with an unknown name: the near ones, or some of those there are."""
    names = list(dict.fromkeys(known))
    near = near_names(wrong, names, most=3) if isinstance(wrong, str) else []
    if near:
        return f"Did you mean {', '.join(near)}?"
    return f"Names are: {first_of(names, _LISTED) or 'none'}."


def near_names(wrong: str, known: Iterable[str], most: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return the names that were probably meant, the nearest first; the search is bounded."""
    names = sorted(name for name in set(known) if len(name) <= _LETTERS)
    # of many names those that begin alike
    middle = bisect.bisect(names, wrong) if len(names) > _COMPARED else 0
    begin = min(max(0, middle - _COMPARED // 2), max(0, len(names) - _COMPARED))
    some = names[begin : begin + _COMPARED]
    return difflib.get_close_matches(wrong[:_LETTERS], some, n=most, cutoff=cutoff)
