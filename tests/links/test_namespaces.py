"""UDP between two network namespaces, over a third one that delays and loses packets.

    plant's end, 10.77.1.1  ──  10.77.1.2, the wire, 10.77.2.2  ──  10.77.2.1, mirror's end

The wire is a relay of ours, which knows what it lost, or the kernel's netem where it has that.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import inloop as il

RELAY = str(Path(__file__).parent / "relay.py")
DELAY, LOSS = 0.015, 0.05  # one way [s]; of all packets
PLANT, MIRROR = "10.77.1.1", "10.77.2.1"
WIRE_A, WIRE_B = "10.77.1.2", "10.77.2.2"
_numbers = itertools.count()


def ip(*words: str) -> None:
    result = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        pytest.skip(f"`ip {' '.join(words)}` is not allowed here: {result.stderr.strip()}")


@pytest.fixture
def spaces(require_program: Callable[[str], str]) -> Iterator[tuple[str, str, str]]:
    """Namespaces of the plant's end, the wire and the mirror's end."""
    require_program("ip")
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    tag = f"il{os.getpid() % 100_000}{next(_numbers)}"
    a, wire, b = (f"{tag}{side}" for side in "awb")
    try:
        for space in (a, wire, b):
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
        for space, host, way in ((a, PLANT, WIRE_A), (b, MIRROR, WIRE_B)):
            far = f"{space}w"
            ip("link", "add", space, "netns", space, "type", "veth", "peer", far, "netns", wire)
            for inside, device, address in ((space, space, host), (wire, far, way)):
                ip("-n", inside, "address", "add", f"{address}/24", "dev", device)
                ip("-n", inside, "link", "set", device, "up")
            ip("-n", space, "route", "add", "default", "via", way)
        yield a, wire, b
    finally:
        for space in (a, wire, b):
            subprocess.run(["ip", "netns", "delete", space], capture_output=True, check=False)


def control(name: str, seconds: float) -> int:
    """A controller at the mirror; how often it answered."""
    count, end = 0, time.monotonic() + seconds
    with il.attach(name, wait=20.0) as mirror:
        while time.monotonic() < end:
            outputs = mirror.wait(1.0)
            assert outputs is not None
            mirror.write(push=-5.0 * outputs.q[0])
            count += 1
    return count


@pytest.mark.parametrize("means", ["relay", pytest.param("netem", marks=pytest.mark.long)])
def test_delay_and_loss_between_two_namespaces(
    plant: il.Plant,
    name: str,
    spaces: tuple[str, str, str],
    begin: Any,
    link: Any,
    tmp_path: Path,
    means: str,
) -> None:
    a, wire, b = spaces
    inside = {space: ("ip", "netns", "exec", space) for space in spaces}
    relay = None
    to_plant, to_mirror = PLANT, MIRROR
    if means == "relay":
        words = [f"{WIRE_A}:5621", f"{PLANT}:5620", f"{WIRE_B}:5620", f"{MIRROR}:5621"]
        settings = [str(DELAY), "0", str(LOSS), "0", "3"]
        relay = begin(*inside[wire], sys.executable, RELAY, *words, *settings, stdin=-1)
        assert relay.stdout.readline() == "ready\n"
        to_plant, to_mirror = WIRE_B, WIRE_A
    else:
        subprocess.run(
            [*inside[wire], "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"], check=True
        )
        for space in (a, b):
            words = ["qdisc", "add", "dev", f"{space}w", "root", "netem"]
            words += ["delay", f"{1e3 * DELAY:g}ms", "loss", f"{100 * LOSS:g}%"]
            tried = subprocess.run(
                [*inside[wire], "tc", *words], capture_output=True, text=True, check=False
            )
            if tried.returncode != 0:
                pytest.skip(f"this kernel has no netem: {tried.stderr.strip()}")
    key = tmp_path / "key"
    key.write_bytes(b"sixteen bytes or more of key")
    key.chmod(0o600)
    options = ("--key-file", str(key))
    with il.start(plant, name=name, rate=500) as loop:
        listen = ("--listen", f"{PLANT}:5620", "--peer", f"{to_mirror}:5621")
        near = link("udp", name, *listen, *options, before=inside[a])
        listen = ("--listen", f"{MIRROR}:5621", "--peer", f"{to_plant}:5620")
        far = link("udp", f"{name}.far", "--mirror", *listen, *options, before=inside[b])
        assert control(f"{name}.far", 2.0) > 300
        assert loop.mailbox.statistics()["bad_inputs"] == 0
        loop.mailbox.stop()
        told = [json.loads(end.communicate(timeout=30)[0]) for end in (near, far)]
    for end in told:
        assert end["peers"] == 1
        assert end["forged"] == end["refused"] == end["foreign"] == 0
        # the wire delays both ways; under load somebody may be late himself
        assert 2e6 * DELAY <= end["round_trip_us"]["p50"] < 2e6 * DELAY + 15e3
        assert 0.9e6 * DELAY < end["age_us"]["p50"] < 1e6 * DELAY + 10e3
        rate = end["lost"] / (end["lost"] + end["accepted"])
        assert 0.4 * LOSS < rate < 2.0 * LOSS
    # the plant's own clock: there, the controller's time, and back
    assert told[0]["answer_us"]["p50"] >= 2e6 * DELAY
    if relay is not None:
        did = json.loads(relay.communicate("end\n")[0])
        # but for those before the first packet that counts and after the last
        assert abs(told[1]["lost"] - did["a"]["lost"]) <= 8
        assert abs(told[0]["lost"] - did["b"]["lost"]) <= 8
        assert did["a"]["lost"] > 30
