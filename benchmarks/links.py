"""Links: round trips over UDP on this machine, compared with a bare echo.

python -m benchmarks.links [--seconds S]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np

import inloop as il
from benchmarks.report import Findings, Row, note, progress, show
from inloop import gallery

SECONDS = 10.0
ECHOES = 10_000
NAME = f"bench-link-{os.getpid()}"
ECHO = """
import socket, sys
s = socket.socket(type=socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
while True:
    s.sendto(*s.recvfrom(65536))
"""
CONTROLLER = """
import sys, inloop as il
with il.attach(sys.argv[1], wait=30.0) as box:
    try:
        while True:
            outputs = box.wait()
            if outputs is not None:
                box.write(tau=-2.0 * outputs.qd)
    except il.MailboxError:
        pass
"""
LEGEND = """\
Times in µs. A packet's round trip is over both sockets and all that wakes up the two ends, without
the time that the other end kept it. An answer is from outputs being written by the plant (1 kHz) to
the inputs that answer them being written to its mailbox: plant's end, mirror's end, controller in
Python, and back. All are processes of their own."""


def run(seconds: float = SECONDS) -> Findings:
    """Measure and print."""
    findings = Findings()
    progress("links: bare echo over UDP")
    findings.rows.append(_echo())
    for sealed in (False, True):
        progress(f"links: a plant and its mirror, {seconds:g} s")
        findings.rows += _link(seconds, sealed=sealed)
    show(["what", "p50", "p99", "p99.9", "max"], [_cells(row) for row in findings.rows])
    note(LEGEND)
    note(f"Load of the machine: {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores.")
    return findings


def _echo() -> Row:
    """Round trip of as many bytes as a record of the robot."""
    times = []
    with (
        _running([sys.executable, "-c", ECHO]) as process,
        socket.socket(type=socket.SOCK_DGRAM) as near,
    ):
        assert process.stdout is not None
        near.connect(("127.0.0.1", int(process.stdout.readline())))
        for _ in range(ECHOES):
            begin = time.perf_counter_ns()
            near.send(bytes(400))
            near.recv(65536)
            times.append((time.perf_counter_ns() - begin) / 1e3)
    quantiles = np.quantile(times, (0.5, 0.99, 0.999, 1.0)).tolist()
    return {
        "what": "bare echo, Python to Python",
        **dict(zip(("p50", "p99", "p999", "max"), quantiles, strict=True)),
    }


def _link(seconds: float, *, sealed: bool) -> list[Row]:
    """Statistics of the plant's end, with processes started as by a user."""
    plant = gallery.get("puma560").build(friction=True).compile()
    words = ["--json"]
    with contextlib.ExitStack() as stack:
        if sealed:
            words += ["--key-file", stack.enter_context(_key_file())]
        loop = stack.enter_context(il.start(plant, name=NAME, rate=1000))
        command = [sys.executable, "-m", "inloop.cli", "link", "udp"]
        near = stack.enter_context(_running([*command, NAME, *words]))
        far = f"{NAME}.far"
        stack.enter_context(_running([*command, far, "--mirror", *words]))
        stack.enter_context(_running([sys.executable, "-c", CONTROLLER, far]))
        loop.wait(seconds + 5.0)
        loop.mailbox.stop()
        told = json.loads(near.communicate(timeout=30)[0])
    kind = "with a key" if sealed else "without a key"
    return [
        {"what": f"packet, {kind}", **told["round_trip_us"]},
        {"what": f"answer, {kind}", **told["answer_us"]},
    ]


@contextlib.contextmanager
def _key_file() -> Iterator[str]:
    descriptor = os.memfd_create("key")
    os.fchmod(descriptor, 0o600)
    os.write(descriptor, b"a key for measuring, not secret")
    try:
        yield f"/proc/{os.getpid()}/fd/{descriptor}"
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _cells(row: Row) -> list[str]:
    return [row["what"], *(f"{row[name]:.1f}" for name in ("p50", "p99", "p999", "max"))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    run(parser.parse_args().seconds)
