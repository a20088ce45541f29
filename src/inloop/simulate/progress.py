"""Progress of long runs, on a terminal only."""

from __future__ import annotations

import time

from inloop.native import ProgressLine, Watch


class Progress(ProgressLine):
    """Told which part of a run is done; shows it once the run has lasted a while.

    Args:
        begin: time at which the run begins [s].
        end: time at which it will end [s].
    """

    def __init__(self, begin: float, end: float) -> None:
        super().__init__()
        self._start = time.monotonic()
        self._first, self._span = begin, (end - begin) or 1.0

    def __call__(self, fraction: float) -> None:
        """Show the part that is done, 0 to 1."""
        seconds = time.monotonic() - self._start
        left = f", {seconds * (1.0 - fraction) / fraction:.0f} s left" if fraction > 0.0 else ""
        self.say(f"simulating: {100 * fraction:3.0f} %{left}")

    def piece(self, begin: float, end: float) -> Watch:
        """A watch for a piece of the run between two times [s], told which part of that is done."""
        self((begin - self._first) / self._span)
        return lambda part: self((begin + part * (end - begin) - self._first) / self._span)
