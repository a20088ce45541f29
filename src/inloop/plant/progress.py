"""What a terminal shows while equations of a large mechanism are made."""

from __future__ import annotations

from inloop.native import ProgressLine


def deriving(function: str, model: str, number: int = 1, count: int = 1) -> ProgressLine:
    """A line for the time in which a function is derived; `number`: which it is, of how many."""
    which = f" ({number} of {count})" if count > 1 else ""
    return ProgressLine(f"deriving {function} of {model}{which}")


def simplifying(count: int, model: str) -> ProgressLine:
    """A line for the time of the passes over some functions."""
    return ProgressLine(f"simplifying {_functions(count)} of {model}")


def writing(count: int, model: str) -> ProgressLine:
    """A line for the time in which C text is written."""
    return ProgressLine(f"writing C for {_functions(count)} of {model}")


def _functions(count: int) -> str:
    return f"{count} functions" if count != 1 else "a function"
