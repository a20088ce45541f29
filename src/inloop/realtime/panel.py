"""The pipe between a controller in a process of its own and whoever shows and tunes it.

Lines of JSON. In come numbers by name, `{"kp": 225.0}`, and `{"leave": "rest"}` or
`{"leave": "held"}`; out go `{"ready": true}` and what there is to tell, `{"error": 0.002}`. A pipe
that is closed on the other side means `rest`: nobody is there any more.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import time
from collections.abc import Mapping

from inloop.realtime.mailboxes.mailbox import Mailbox

MOST_UNREAD = 65536  # bytes of a line that never ends
TOLD_EVERY = 0.05  # [s]
TAKES_OVER_WITHIN = 10.0  # [s]


def take_over(box: Mailbox) -> None:
    """Wait until whoever writes the inputs of a plant has let go; then they are free."""
    end = time.monotonic() + TAKES_OVER_WITHIN
    while box.writer is not None and time.monotonic() < end:
        time.sleep(1e-3)


class Panel:
    """One end of the pipe: standard input and output.

    Attributes:
        leaving: "" while the controller shall go on; "rest": it leaves its inputs at rest; "held":
            somebody else takes them over, as they are.
    """

    def __init__(self, *, piped: bool = True) -> None:
        """Begin to listen.

        Args:
            piped: False for a controller that nobody shows: it hears nothing and tells nothing.
        """
        self.leaving = ""
        self._piped = piped
        self._unread = b""
        self._due = -math.inf
        if piped:
            os.set_blocking(sys.stdin.fileno(), False)

    def heard(self) -> dict[str, float]:
        """Numbers by name that have come since the last time; what makes no sense is left out."""
        found: dict[str, float] = {}
        for line in self._lines():
            with contextlib.suppress(ValueError):
                words = json.loads(line)
                for name, value in words.items() if isinstance(words, dict) else ():
                    if name == "leave":
                        self.leaving = "held" if value == "held" else "rest"
                    elif isinstance(value, int | float) and math.isfinite(value):
                        found[str(name)] = float(value)
        return found

    def ready(self) -> None:
        """Tell that the controller can take over."""
        self._say({"ready": True})

    def tell(self, now: float, values: Mapping[str, object]) -> None:
        """Tell how it goes."""
        self._due = now + TOLD_EVERY
        self._say(values)

    def is_due(self, now: float) -> bool:
        """Is it time to tell somebody how it goes? By a clock [s], twenty times a second."""
        return self._piped and now >= self._due

    def _say(self, words: Mapping[str, object]) -> None:
        if self._piped:
            try:
                print(json.dumps(words), flush=True)
            except OSError:
                self.leaving = self.leaving or "rest"

    def _lines(self) -> list[bytes]:
        if not self._piped:
            return []
        try:
            data = os.read(sys.stdin.fileno(), MOST_UNREAD)
        except BlockingIOError:
            return []
        if not data:
            self.leaving = self.leaving or "rest"
        *lines, self._unread = (self._unread + data).split(b"\n")
        self._unread = self._unread[-MOST_UNREAD:]
        return lines
