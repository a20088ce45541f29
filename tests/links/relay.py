"""A bad wire for datagrams: delays, loses, holds back, repeats; seeded.

    python relay.py HERE_A THERE_A HERE_B THERE_B DELAY LOSS HOLD REPEAT SEED

Datagrams from THERE_A that come in at HERE_A leave from HERE_B to THERE_B, and the other way
round. DELAY in seconds, the rest as parts of all datagrams; one that is held back leaves after the
next one of its side. What happens to the n-th datagram of a side depends on n alone. At the end of
stdin it prints what it did, as JSON: counts, and in order what it has passed on, as hexadecimals.
"""

from __future__ import annotations

import json
import random
import select
import socket
import sys
import time
from collections import deque
from typing import Any


class Side:
    """Datagrams that come in on one side."""

    def __init__(self, here: str, there: str, seed: str, chances: tuple[float, ...]) -> None:
        self.socket = socket.socket(type=socket.SOCK_DGRAM)
        self.socket.bind(address(here))
        self.sender = address(there)
        self.counts = {"came": 0, "lost": 0, "held": 0, "repeated": 0}
        self.passed: list[str] = []
        self.due: deque[tuple[float, bytes]] = deque()
        self._chances = chances
        self._chance = random.Random(seed)
        self._held: list[bytes] = []

    def receive(self, delay: float) -> None:
        data = self.socket.recv(65536)
        lost, hold, repeat = (self._chance.random() < p for p in self._chances)
        self.counts["came"] += 1
        leaving = [data, *self._held]
        self._held = []
        if lost:
            self.counts["lost"] += 1
            leaving.remove(data)
        elif hold:
            self.counts["held"] += 1
            leaving.remove(data)
            self._held.append(data)
        elif repeat:
            self.counts["repeated"] += 1
            leaving.append(data)
        self.due.extend((time.monotonic() + delay, each) for each in leaving)

    def send_due(self, other: Side) -> None:
        while self.due and self.due[0][0] <= time.monotonic():
            _, data = self.due.popleft()
            self.passed.append(data.hex())
            other.socket.sendto(data, other.sender)

    def told(self) -> dict[str, Any]:
        return {**self.counts, "passed": self.passed}


def address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host, int(port)


def main() -> None:
    here_a, there_a, here_b, there_b = sys.argv[1:5]
    delay, *chances = map(float, sys.argv[5:9])
    seed = sys.argv[9]
    a = Side(here_a, there_a, f"{seed} a", tuple(chances))
    b = Side(here_b, there_b, f"{seed} b", tuple(chances))
    print("ready", flush=True)
    while True:
        times = [side.due[0][0] for side in (a, b) if side.due]
        wait = max(0.0, min(times) - time.monotonic()) if times else None
        ready, _, _ = select.select([a.socket, b.socket, sys.stdin], [], [], wait)
        if sys.stdin in ready:
            break
        for side in (a, b):
            if side.socket in ready:
                side.receive(delay)
        a.send_due(b)
        b.send_due(a)
    print(json.dumps({"a": a.told(), "b": b.told()}), flush=True)


if __name__ == "__main__":
    main()
