"""Processes that the studio starts and ends: the loop, and the recorder."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from typing import IO

PARENT = "INLOOP_PARENT"  # environment variable: id of the process to end with
STDERR_SHOWN = 600  # characters of its output
LOOK_EVERY = 0.02  # [s]


def child_environment() -> dict[str, str]:
    """The environment of a process that ends with this one (`cli/ending.py`)."""
    return {**os.environ, PARENT: str(os.getpid())}


class Process:
    """A process in its own session, so that Ctrl-C reaches only the studio.

    Its output goes to an unnamed file.

    Args:
        command: the command line.
        piped: it waits for a line on its standard input: see `go`.
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
        """Send the line that it waits for."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended meanwhile
            self._process.stdin.write(b"go\n")
            self._process.stdin.close()

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def last_words(self) -> str:
        """The end of its output."""
        self._said.seek(0, 2)
        self._said.seek(max(0, self._said.tell() - STDERR_SHOWN))
        return self._said.read().decode(errors="replace").strip()

    @property
    def failure(self) -> str:
        """Why it has failed; "" while it runs and after a normal exit."""
        code = self._process.poll()
        if not code:
            return ""
        killed = f"it was killed by signal {-code}" if code < 0 else f"exit code {code}"
        return self.last_words() or killed

    async def end(self, patience: float) -> None:
        """Terminate it, and kill it after `patience` [s]."""
        await self.stop(patience)
        self._said.close()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    async def stop(self, patience: float) -> None:
        """The same, but its output can still be read."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not self.running:
                break
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
            for _ in range(round(patience / LOOK_EVERY)):
                if self._process.poll() is not None:
                    break
                await asyncio.sleep(LOOK_EVERY)
