"""Processes that the studio starts, and ends: the loop, and the recorder beside it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from typing import IO

PARENT = "INLOOP_PARENT"  # variable of the environment: number of the process to end with
STDERR_SHOWN = 600  # characters of what a process has said
LOOK_EVERY = 0.02  # [s]


def child_environment() -> dict[str, str]:
    """The environment of a process that ends with this one (`cli/ending.py`)."""
    return {**os.environ, PARENT: str(os.getpid())}


class Process:
    """One process in a session of its own, so that Ctrl-C reaches only the studio.

    What it says goes to a file without a name.

    Args:
        command: words of the command line.
        piped: it waits for a word: see `go`.
    """

    def __init__(self, command: Sequence[str], *, piped: bool = False) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            start_new_session=True,
            env=child_environment(),
        )

    @property
    def number(self) -> int:
        """Process id."""
        return self._process.pid

    def go(self) -> None:
        """Say the word that it waits for."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended meanwhile
            self._process.stdin.write(b"go\n")
            self._process.stdin.close()

    @property
    def running(self) -> bool:
        """Has it not ended yet?"""
        return self._process.poll() is None

    def last_words(self) -> str:
        """The end of what it has said."""
        self._said.seek(0, 2)
        self._said.seek(max(0, self._said.tell() - STDERR_SHOWN))
        return self._said.read().decode(errors="replace").strip()

    @property
    def failure(self) -> str:
        """Why it has ended, if it should not have; "" while it runs and after a good end."""
        code = self._process.poll()
        if not code:
            return ""
        killed = f"it was killed by signal {-code}" if code < 0 else f"exit code {code}"
        return self.last_words() or killed

    async def end(self, patience: float) -> None:
        """Ask it to end, and make it end after so many seconds."""
        await self.stop(patience)
        self._said.close()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    async def stop(self, patience: float) -> None:
        """The same; what it has said can still be read."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not self.running:
                break
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
            for _ in range(round(patience / LOOK_EVERY)):
                if self._process.poll() is not None:
                    break
                await asyncio.sleep(LOOK_EVERY)
