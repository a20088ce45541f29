"""A studio in a process of its own, and pages that speak to it like a browser.

The plant runs on a clock that stands: time passes when a test says so, in portions that a page has
seen before the next one begins. So nothing depends on how busy the machine is.
"""

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
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
import websockets
from playwright.sync_api import Browser, sync_playwright

from inloop.realtime import Mailbox, attach, running

sys.path.insert(0, str(Path(__file__).parent))
from described import check_message

from warm_python import WarmPython

HANG = 120.0  # [s] after which something that should come never will
CHROMIUM = "/usr/bin/chromium"
PORTION = 0.05  # [s] of the plant's time: far less than its watchdog waits
T = TypeVar("T")
_numbers = itertools.count()


class Page:
    """A connection to the studio; everything that came is kept by kind.

    Attributes:
        socket: to the studio.
    """

    def __init__(self, socket: Any, plant: str) -> None:
        self.socket, self._plant = socket, plant
        self._box: Mailbox | None = None
        self.texts: list[dict[str, Any]] = []
        self.poses: list[bytes] = []
        self.samples: list[bytes] = []
        self.echoes: list[bytes] = []
        self._news = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        with contextlib.suppress(websockets.ConnectionClosed):
            async for message in self.socket:
                if isinstance(message, str):
                    self.texts.append(json.loads(message))
                    check_message(self.texts[-1])
                else:
                    {1: self.poses, 2: self.samples, 3: self.echoes}[message[0]].append(message)
                self._news.set()
        self._news.set()

    async def do(self, what: str, **words: Any) -> None:
        await self.socket.send(json.dumps({"do": what, **words}))

    # what comes

    async def until(self, look: Callable[[], T | None]) -> T:
        """What is looked for, as soon as a message has brought it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HANG):
                while True:
                    self._news.clear()
                    if found := look():
                        return found
                    if self._reader.done():
                        self._reader.result()  # a message that is not as described
                        break
                    await self._news.wait()
        rare = [m for m in self.texts if m["kind"] not in ("state", "histogram", "hello")]
        raise AssertionError(f"nothing came; last: {self.texts[-1:]}, {str(rare[-6:])[:2000]}")

    def coming(
        self, kind: str, test: Callable[[Any], bool] = lambda _: True
    ) -> Awaitable[dict[str, Any]]:
        """The next message of a kind that passes a test, from those that come from now on."""
        begin = len(self.texts)
        return self.until(
            lambda: next((m for m in self.texts[begin:] if m["kind"] == kind and test(m)), None)
        )

    async def text(self, kind: str, test: Callable[[Any], bool] = lambda _: True) -> dict[str, Any]:
        """The same, waited for."""
        return await self.coming(kind, test)

    async def heard(self) -> None:
        """Wait until the studio has heard all that this page has said."""
        count = len(self.echoes)
        await self.socket.send(struct.pack("<B7xQ", 9, count))
        await self.until(lambda: len(self.echoes) > count)

    # time

    async def pass_time(self, seconds: float) -> None:
        """Let time pass at the plant, in portions that this page sees before the next begins."""
        end = self.box.clock.now + seconds
        while (left := end - self.box.clock.now) > 1e-9:
            self.box.clock.advance(min(left, PORTION))
            await self.seen()

    async def seen(self) -> None:
        """Wait until this page sees the newest outputs of the plant."""
        newest = self.box.peek().sequence
        # or newer ones: a command of this page may be obeyed just now
        await self.until(lambda: self.poses and sequence_of(self.poses[-1]) >= newest)

    async def while_time_passes(self, coming: Awaitable[T], portion: float = PORTION) -> T:
        """What comes while the plant goes on, as fast as this page sees it."""
        task = asyncio.ensure_future(coming)
        while not task.done():
            await self.pass_time(portion)
            await asyncio.sleep(0)
        return await task

    @property
    def box(self) -> Mailbox:
        """The plant's mailbox, to let its time pass."""
        if self._box is None:
            self._box = attach(self._plant, HANG)
        return self._box

    def detach(self) -> None:
        """The plant is over; another one may run in its place."""
        if self._box is not None:
            self._box.close()
        self._box = None
        self.poses.clear()

    @property
    def hello(self) -> dict[str, Any]:
        return next(m for m in reversed(self.texts) if m["kind"] == "hello")

    async def subscribe(self, *signals: str, **words: Any) -> int:
        """Ask for signals; returns the generation of their frames."""
        answer = self.coming("subscribed")
        await self.do("subscribe", signals=list(signals), **words)
        return int((await answer)["generation"])

    async def all_rows(self, generation: int, every: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """The table of one subscription, when the newest outputs of the plant are in it."""
        newest = self.box.peek().sequence

        def complete() -> bool:
            numbers = self.table(generation, every)[0]
            return len(numbers) > 0 and bool(numbers[-1] > newest - every)

        await self.until(complete)
        return self.table(generation, every)

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


def sequence_of(frame: bytes) -> int:
    """Number of the outputs that a frame of poses shows."""
    return int(struct.unpack("<I", frame[4:8])[0])


@contextlib.asynccontextmanager
async def open_page(address: str, plant: str, **options: Any) -> AsyncIterator[Page]:
    """A page that was greeted; the address may hold a token."""
    origin, _, query = address.partition("/?")
    url = origin.replace("http", "ws") + "/ws" + (f"?{query}" if query else "")
    options = {"origin": origin, "max_queue": None, "open_timeout": HANG, **options}
    async with websockets.connect(url, **options) as socket:
        page = Page(socket, plant)
        try:
            await page.until(lambda: any(m["kind"] == "hello" for m in page.texts))
            yield page
        finally:
            page.detach()


class Studio:
    """A studio that shows a mechanism of the gallery."""

    def __init__(self, directory: Path, *words: str, tokens: bool = False) -> None:
        command = ["-m", "inloop.cli", "studio", *words]
        command += [] if tokens or "--token" in words else ["--no-token"]
        command += ["--no-browser", "--port", "0", "--json", "--recordings", str(directory)]
        command += ["--clock", "held"]
        # others may run the same mechanism at the same time
        command += ["--name", f"studio-test-{os.getpid()}-{next(_numbers)}"]
        # no browser here: the page's libraries may be missing
        environment = {**os.environ, "INLOOP_WITHOUT_STUDIO": "1"}
        self.process = WarmPython(command, stdout=subprocess.PIPE, text=True, env=environment)
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

    def page(self, **options: Any) -> contextlib.AbstractAsyncContextManager[Page]:
        return open_page(self.address, self.plant, **options)

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
        self.process.wait(HANG)
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


@pytest.fixture(scope="session")
def chromium(
    require_file: Callable[[str, str], None],
) -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """Debian's Chromium, once for all modules: it and its driver take long to start."""
    require_file(CHROMIUM, "chromium")
    words = ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=words)
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield found, loop
        asyncio._set_running_loop(loop)
        found.close()


@pytest.fixture(scope="module")
def browser(chromium: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """Of a module, because no other event loop may run beside that of Playwright."""
    found, loop = chromium
    asyncio._set_running_loop(loop)
    yield found
    asyncio._set_running_loop(None)


@pytest.fixture
def errors() -> list[str]:
    """What the browser complained of; empty at the end of each test that does not expect it."""
    return []
