"""A bad wire for datagrams: delays, loses, repeats, and thereby reorders; seeded.

    python relay.py HERE_A THERE_A HERE_B THERE_B DELAY JITTER LOSS REPEAT SEED

Datagrams from THERE_A that come in at HERE_A leave from HERE_B to THERE_B, and the other way
round. DELAY and JITTER in seconds. At the end of stdin it prints what it did, as JSON.
"""

from __future__ import annotations

import heapq
import json
import random
import select
import socket
import sys
import time


def address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host, int(port)


def main() -> None:
    here_a, there_a, here_b, there_b = map(address, sys.argv[1:5])
    delay, jitter, loss, repeat = map(float, sys.argv[5:9])
    chance = random.Random(int(sys.argv[9]))
    sockets = []
    for here in (here_a, here_b):
        sockets.append(socket.socket(type=socket.SOCK_DGRAM))
        sockets[-1].bind(here)
    a, b = sockets
    routes = {a: ("a", b, there_b), b: ("b", a, there_a)}
    counts = {side: {"came": 0, "lost": 0, "repeated": 0} for side in "ab"}
    due: list[tuple[float, int, bytes, socket.socket, tuple[str, int]]] = []
    number = 0
    print("ready", flush=True)
    while True:
        wait = max(0.0, due[0][0] - time.monotonic()) if due else 1.0
        ready, _, _ = select.select([a, b, sys.stdin], [], [], wait)
        if sys.stdin in ready:
            break
        for source in ready:
            data = source.recv(65536)
            side, way, there = routes[source]
            counts[side]["came"] += 1
            if chance.random() < loss:
                counts[side]["lost"] += 1
                continue
            copies = 2 if chance.random() < repeat else 1
            counts[side]["repeated"] += copies - 1
            for _ in range(copies):
                number += 1
                at = time.monotonic() + delay + jitter * chance.random()
                heapq.heappush(due, (at, number, data, way, there))
        while due and due[0][0] <= time.monotonic():
            _, _, data, way, there = heapq.heappop(due)
            way.sendto(data, there)
    print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    main()
