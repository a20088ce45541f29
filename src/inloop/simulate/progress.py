"""Progress of long runs, on a terminal only."""

from __future__ import annotations

import time
from collections.abc import Callable

from inloop.native import ProgressLine, Watch


def time_left(total: float) -> Callable[[float], str]:
    """Words about the time that work still takes, from how much of it is done.

    Args:
        total: how much there is to do, from now on.
    """
    start = time.monotonic()

    def words(done: float) -> str:
        seconds = time.monotonic() - start
        return f", {seconds * (total - done) / done:.0f} s left" if done > 0.0 else ""

    return words


def searching(what: str) -> ProgressLine:
    """A line about work that runs a plant again and again, such as "fitting"."""
    return ProgressLine(what)


class Progress(ProgressLine):
    """Told which part of a run is done; shows it once the run has lasted a while.

    Args:
        begin: time at which the run begins [s].
        end: time at which it will end [s].
    """

    def __init__(self, begin: float, end: float) -> None:
        super().__init__()
        self._left = time_left(1.0)
        self._first, self._span = begin, (end - begin) or 1.0

    def __call__(self, fraction: float) -> None:
        """Show the part that is done, 0 to 1."""
        self.say(f"simulating: {100 * fraction:3.0f} %{self._left(fraction)}")

    def piece(self, begin: float, end: float) -> Watch:
        """A watch for a piece of the run between two times [s], told which part of that is done."""
        self((begin - self._first) / self._span)
        return lambda part: self((begin + part * (end - begin) - self._first) / self._span)
