"""Progress of long runs, on a terminal only."""

from __future__ import annotations

import sys
import time

PATIENCE = 1.0  # s before anything is shown


class Progress:
    """Told which part of a run is done; shows it once the run has lasted a while."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._shown = False

    def __call__(self, fraction: float) -> None:
        """Show the part that is done, 0 to 1."""
        seconds = time.monotonic() - self._begin
        if seconds < PATIENCE or not sys.stderr.isatty():
            return
        left = seconds * (1.0 - fraction) / fraction if fraction > 0.0 else float("inf")
        print(f"\rsimulating: {100 * fraction:3.0f} %, {left:.0f} s left ", end="", file=sys.stderr)
        self._shown = True

    def close(self) -> None:
        """Leave the terminal clean."""
        if self._shown:
            print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
