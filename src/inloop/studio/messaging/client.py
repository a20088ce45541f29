"""One browser: its send queues, its subscriptions, its rate limits."""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from inloop.studio.messaging.message_types import Level, Message

MOST_BYTES = 2 << 20  # of queued samples
MOST_TEXTS = 500  # queued messages; a client that does not read them is disconnected
PER_SECOND, BURST = 200.0, 400.0  # messages from a client
PATIENCE = 20  # mistakes that are tolerated; one is forgiven each second

_numbers = itertools.count(1)


class Channel(Protocol):
    """The part of a WebSocket that a client needs."""

    async def send_text(self, data: str) -> None:
        """Send a text frame."""
        ...

    async def send_bytes(self, data: bytes) -> None:
        """Send a binary frame."""
        ...


class Allowance:
    """A token bucket: a rate limit with a burst size.

    Args:
        rate: tokens added per second.
        burst: maximum number of tokens.
        clock: returns the time [s].
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left, self._then = burst, clock()

    def take(self) -> bool:
        """Take one token; False if none is left."""
        now = self._clock()
        self._left = min(self._burst, self._left + self._rate * (now - self._then))
        self._then = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


@dataclass(frozen=True)
class Subscription:
    """Signals that a client plots.

    Attributes:
        generation: counter of the client's subscriptions.
        columns: columns of the outputs.
        every: send one record in so many; 1: all.
        signals: names of the columns.
    """

    generation: int = 0
    columns: tuple[int, ...] = ()
    every: int = 1
    signals: tuple[str, ...] = ()


class Client:
    """Send queues of one browser: the newest poses, all samples up to a limit, and texts.

    Attributes:
        number: identifies the client.
        subscription: signals that it plots.
        watched: columns of the outputs whose newest values it gets, by name.
        messages: rate limit of its messages.
        patience: rate limit of its mistakes.
        lost: samples dropped since the last one sent, because the client reads too slowly.
    """

    def __init__(self, channel: Channel) -> None:
        self.number = next(_numbers)
        self.subscription = Subscription()
        self.watched: dict[str, int] = {}
        self.messages = Allowance(PER_SECOND, BURST)
        self.patience = Allowance(1.0, PATIENCE)
        self.lost = 0
        self.overwhelmed = False
        self._channel = channel
        self._texts: deque[str] = deque()
        self._samples: deque[bytes] = deque()
        self._waiting = 0  # bytes of samples
        self._pose: bytes | None = None
        self._wake = asyncio.Event()

    def tell(self, message: Message | str) -> None:
        """Queue a message; a string is already JSON."""
        if len(self._texts) >= MOST_TEXTS:
            self.overwhelmed = True
            return
        self._texts.append(message if isinstance(message, str) else encode(message))
        self._wake.set()

    def notice(self, level: Level, text: str, fix: str = "") -> None:
        """Queue a notice for the user."""
        self.tell({"kind": "notice", "level": level, "text": text, "fix": fix})

    def show(self, pose: bytes) -> None:
        """Queue poses; they replace older poses that were not sent yet."""
        self._pose = pose
        self._wake.set()

    def plot(self, frame: bytes, count: int) -> bool:
        """Queue samples; False if the queue is full and they were dropped, which is counted."""
        if self._waiting + len(frame) > MOST_BYTES:
            self.lost += count
            return False
        self._samples.append(frame)
        self._waiting += len(frame)
        self._wake.set()
        return True

    def answer(self, frame: bytes) -> None:
        """Queue a frame ahead of all samples."""
        self._samples.appendleft(frame)
        self._waiting += len(frame)
        self._wake.set()

    def forget_samples(self) -> None:
        """Drop queued samples of a subscription that has ended."""
        self._samples.clear()
        self._waiting = 0

    async def send_all(self) -> None:
        """Send queued messages until the client cannot keep up, or the task is cancelled."""
        while not self.overwhelmed:
            await self._wake.wait()
            self._wake.clear()
            while self._texts or self._samples or self._pose is not None:
                while self._texts:  # before the samples that they refer to
                    await self._channel.send_text(self._texts.popleft())
                pose, self._pose = self._pose, None
                if pose is not None:
                    await self._channel.send_bytes(pose)
                if self._samples:
                    frame = self._samples.popleft()
                    self._waiting -= len(frame)
                    await self._channel.send_bytes(frame)


def encode(message: Message) -> str:
    """JSON text; non-finite numbers become null."""
    try:
        return json.dumps(message, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_finite(message), separators=(",", ":"), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(item) for name, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
