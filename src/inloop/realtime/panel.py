"""Pipe between a controller process and the program that displays and tunes it.

Lines of JSON. Input: numbers by name, `{"kp": 225.0}`, and `{"leave": "rest"}` or
`{"leave": "held"}`; output: `{"ready": true}` and values to display, `{"error": 0.002}`. A pipe
closed by the other side means `rest`.
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

MOST_UNREAD = 65536  # maximum length of an unfinished line [bytes]
TOLD_EVERY = 0.05  # [s]
TAKES_OVER_WITHIN = 10.0  # [s]


def take_over(box: Mailbox) -> None:
    """Wait until the current writer of the inputs of a plant has released them."""
    end = time.monotonic() + TAKES_OVER_WITHIN
    while box.writer is not None and time.monotonic() < end:
        time.sleep(1e-3)


class Panel:
    """Controller side of the pipe: standard input and output.

    Attributes:
        leaving: "" while the controller should continue; "rest": leave the inputs at rest; "held":
            another controller takes over the inputs unchanged.
    """

    def __init__(self, *, piped: bool = True) -> None:
        """Start listening.

        Args:
            piped: False for a controller without a display: no input and no output.
        """
        self.leaving = ""
        self._piped = piped
        self._unread = b""
        self._due = -math.inf
        if piped:
            os.set_blocking(sys.stdin.fileno(), False)

    def heard(self) -> dict[str, float]:
        """Numbers by name received since the last call; invalid ones are ignored."""
        found: dict[str, float] = {}
        for line in self._lines():
            with contextlib.suppress(ValueError):
                words = json.loads(line)
                for name, value in words.items() if isinstance(words, dict) else ():
                    if name == "leave":
                        self.leaving = "held" if value == "held" else "rest"
                    elif type(value) in (int, float) and math.isfinite(value):
                        found[str(name)] = float(value)
        return found

    def ready(self) -> None:
        """Report that the controller can take over."""
        self._say({"ready": True})

    def tell(self, now: float, values: Mapping[str, object]) -> None:
        """Send values to display."""
        self._due = now + TOLD_EVERY
        self._say(values)

    def is_due(self, now: float) -> bool:
        """Whether it is time to send, twenty times per second of a clock [s]."""
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
