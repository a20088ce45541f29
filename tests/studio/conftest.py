"""A studio in a process of its own, and pages that speak to it like a browser."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
import websockets

from inloop.realtime import running

PATIENCE = 20.0  # [s] for anything to come
T = TypeVar("T")
_numbers = itertools.count()


class Page:
    """A connection to the studio; everything that came is kept by kind."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.texts: list[dict[str, Any]] = []
        self.poses: list[bytes] = []
        self.samples: list[bytes] = []
        self.echoes: list[bytes] = []
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        with contextlib.suppress(websockets.ConnectionClosed):
            async for message in self.socket:
                if isinstance(message, str):
                    self.texts.append(json.loads(message))
                else:
                    {1: self.poses, 2: self.samples, 3: self.echoes}[message[0]].append(message)

    async def do(self, what: str, **words: Any) -> None:
        await self.socket.send(json.dumps({"do": what, **words}))

    async def text(self, kind: str, test: Callable[[Any], bool] = lambda _: True) -> dict[str, Any]:
        """The next message of a kind that passes a test, from those that come from now on."""
        begin = len(self.texts)
        return await self.until(
            lambda: next((m for m in self.texts[begin:] if m["kind"] == kind and test(m)), None)
        )

    async def until(self, look: Callable[[], T | None]) -> T:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = look()
            if found:
                return found
            if self._reader.done():
                break
            await asyncio.sleep(0.005)
        raise AssertionError(f"nothing came; last texts: {str(self.texts[-3:])[:800]}")

    @property
    def hello(self) -> dict[str, Any]:
        return next(m for m in reversed(self.texts) if m["kind"] == "hello")

    async def subscribe(self, *signals: str, **words: Any) -> int:
        """Ask for signals; returns the generation of their frames."""
        asked = asyncio.create_task(self.text("subscribed"))
        await asyncio.sleep(0)
        await self.do("subscribe", signals=list(signals), **words)
        generation = (await asked)["generation"]
        return int(generation)

    def table(self, generation: int, every: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Record numbers, and rows of t and the signals, of one subscription."""
        numbers, rows = [], []
        for frame in self.samples:
            _, _, count, sequence, _, _, first, lost = struct.unpack("<BBHIddII", frame[:32])
            if sequence >> 16 != generation:
                continue
            assert lost == 0
            k = sequence & 0xFFFF
            t = np.frombuffer(frame, "<f8", count, 32)
            values = np.frombuffer(frame, "<f4", count * k, 32 + 8 * count).reshape(k, count)
            assert len(frame) == 32 + count * (8 + 4 * k)
            numbers.append(first + every * np.arange(count))
            rows.append(np.vstack([t, values]).T)
        if not rows:
            return np.zeros(0), np.zeros((0, 2))
        return np.concatenate(numbers), np.concatenate(rows)


@contextlib.asynccontextmanager
async def open_page(address: str, **options: Any) -> Any:
    """A page that was greeted."""
    options = {"origin": address, "max_queue": None, **options}
    async with websockets.connect(address.replace("http", "ws") + "/ws", **options) as socket:
        page = Page(socket)
        await page.until(lambda: any(m["kind"] == "hello" for m in page.texts))
        yield page


class Studio:
    """A studio that shows a mechanism of the gallery."""

    def __init__(self, directory: Path, *words: str, tokens: bool = False) -> None:
        command = [sys.executable, "-m", "inloop.cli", "studio", *words]
        command += [] if tokens or "--token" in words else ["--no-token"]
        command += ["--no-browser", "--port", "0", "--json", "--recordings", str(directory)]
        # others may run the same mechanism at the same time
        command += ["--name", f"studio-test-{os.getpid()}-{next(_numbers)}"]
        # no browser here: the page's libraries may be missing
        environment = {**os.environ, "INLOOP_WITHOUT_STUDIO": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        told = ""
        while not told.endswith("}\n"):
            line = self.process.stdout.readline()
            assert line, "the studio has ended"
            told += line
        facts = json.loads(told)
        address, _, query = facts["address"].partition("?")
        self.plant, self.address = facts["plant"], address.rstrip("/")
        self.token = query.removeprefix("token=")

    def page(self, **options: Any) -> Any:
        return open_page(self.address, **options)

    open_page = staticmethod(open_page)

    @property
    def loop(self) -> int:
        """Process of the loop."""
        return children(self.process.pid)[0]

    @property
    def children(self) -> list[int]:
        """All processes that it has started."""
        return children(self.process.pid)

    def end(self, number: int = signal.SIGINT) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()


def children(parent: int) -> list[int]:
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            words = Path(f"/proc/{int(entry)}/stat").read_text().rpartition(")")[2].split()
            if int(words[1]) == parent:
                found.append(int(entry))
    return sorted(found)


@pytest.fixture(scope="session")
def start_studio(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Studio]:
    """For other mechanisms; who starts one ends it."""
    return lambda *words, **options: Studio(
        tmp_path_factory.mktemp("recordings"), *words, **options
    )


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A pendulum at 1 kHz; tests leave it running and as it was."""
    found = Studio(tmp_path_factory.mktemp("recordings"), "pendulum")
    yield found
    # Ctrl-C leaves nothing behind
    loop = found.loop
    found.end()
    assert found.process.returncode in (0, 130)
    assert not Path(f"/proc/{loop}").exists() and found.plant not in running()


@pytest.fixture
def on_page(studio: Studio) -> Callable[[Callable[[Page], Awaitable[None]]], None]:
    """Run a coroutine with one page, which is closed after it."""

    def run(act: Callable[[Page], Awaitable[None]]) -> None:
        async def main() -> None:
            async with studio.page() as page:
                await act(page)

        asyncio.run(main())

    return run
