"""Progress of long runs, shown on terminals only."""

from __future__ import annotations

import time
from collections.abc import Callable

from inloop.native import ProgressLine, Watch


def time_left(total: float) -> Callable[[float], str]:
    """Returns a function that estimates the remaining time as text, from the work done.

    Args:
        total: amount of work from now on.
    """
    start = time.monotonic()

    def words(done: float) -> str:
        seconds = time.monotonic() - start
        return f", {seconds * (total - done) / done:.0f} s left" if done > 0.0 else ""

    return words


def searching(what: str) -> ProgressLine:
    """A progress line for work that runs a plant repeatedly, such as "fitting"."""
    return ProgressLine(what)


class Progress(ProgressLine):
    """Progress of a run, shown once the run has taken a while.

    Args:
        begin: start time of the run [s].
        end: end time of the run [s].
        doing: what the run is for.
    """

    def __init__(self, begin: float, end: float, doing: str = "simulating") -> None:
        super().__init__()
        self._doing = doing
        self._left = time_left(1.0)
        self._first, self._span = begin, (end - begin) or 1.0

    def __call__(self, fraction: float) -> None:
        """Show the fraction done, 0 to 1."""
        self.say(f"{self._doing}: {100 * fraction:3.0f} %{self._left(fraction)}")

    def piece(self, begin: float, end: float) -> Watch:
        """A callback for a piece of the run between two times [s]; takes the fraction done."""
        self((begin - self._first) / self._span)
        return lambda part: self((begin + part * (end - begin) - self._first) / self._span)
