"""A temporary progress line for long operations, on a terminal only."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Self

PATIENCE = 1.0  # [s] before anything is shown
LEAST_PAUSE = 0.1  # [s] between two updates
WIDTH = 78  # width of the line [characters]


class ProgressLine:
    """A progress line: `with ProgressLine("deriving ...") as line:`.

    Nothing is shown for work that takes less than a second, or without a terminal. The line is
    removed at the end, in any case.
    """

    def __init__(self, text: str = "") -> None:
        self._text, self._shown_at = text, -float("inf")
        self._begin = time.monotonic()
        self._guard = threading.Lock()
        self._closed = not _on_a_terminal()
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if self._text and not self._closed and PATIENCE <= 0.0:
            self._show()
        elif self._text and not self._closed:
            # the work may be silent for long
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def say(self, text: str) -> None:
        """Show another text, once the work has lasted a while."""
        now = time.monotonic()
        self._text = text
        if not self._closed and now - max(self._begin + PATIENCE, self._shown_at + LEAST_PAUSE) > 0:
            self._show()

    def close(self) -> None:
        """Remove the line."""
        if self._timer is not None:
            self._timer.cancel()
        with self._guard:
            if not self._closed and self._shown_at > 0.0:
                _write("\r" + " " * WIDTH + "\r")
            self._closed = True

    def _show(self) -> None:
        with self._guard:
            if not self._closed:
                self._shown_at = time.monotonic()
                _write("\r" + self._text[:WIDTH].ljust(WIDTH))


def _on_a_terminal() -> bool:
    """Whether standard error is a terminal."""
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # none, or closed
        return False


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError, UnicodeError):  # a closed terminal must not stop the work
        return
