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
from inloop.links.packets import Packet, unseal

RELAY = str(Path(__file__).parent / "relay.py")
DELAY, LOSS = 0.015, 0.05  # one way [s]; of all packets
PLANT, MIRROR = "10.77.1.1", "10.77.2.1"
WIRE_A, WIRE_B = "10.77.1.2", "10.77.2.2"
KEY = b"sixteen bytes or more of key"
HANG = 120.0  # [s] after which something that should happen never will
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


@pytest.fixture
def key(tmp_path: Path) -> tuple[str, str]:
    """What seals the packets, as an option."""
    path = tmp_path / "key"
    path.write_bytes(KEY)
    path.chmod(0o600)
    return "--key-file", str(path)


Ends = Callable[..., tuple[Any, Any]]


@pytest.fixture
def ends(name: str, spaces: tuple[str, str, str], link: Any, key: tuple[str, str]) -> Ends:
    """`ends(to_plant, to_mirror)`: both ends of the link, each in its namespace, as processes."""
    a, _, b = spaces

    def start(to_plant: str, to_mirror: str, *options: str) -> tuple[Any, Any]:
        listen = ("--listen", f"{PLANT}:5620", "--peer", f"{to_mirror}:5621", *key, *options)
        near = link("udp", name, *listen, before=inside(a))
        listen = ("--listen", f"{MIRROR}:5621", "--peer", f"{to_plant}:5620", *key, *options)
        return near, link("udp", f"{name}.far", "--mirror", *listen, before=inside(b))

    return start


def inside(space: str) -> tuple[str, ...]:
    return ("ip", "netns", "exec", space)


def start_relay(begin: Any, space: str, delay: float, loss: float) -> Any:
    """A wire of ours in the namespace between the two."""
    words = [f"{WIRE_A}:5621", f"{PLANT}:5620", f"{WIRE_B}:5620", f"{MIRROR}:5621"]
    settings = [str(delay), str(loss), "0", "0", "3"]
    relay = begin(*inside(space), sys.executable, RELAY, *words, *settings, stdin=-1)
    assert relay.stdout.readline() == "ready\n"
    return relay


def test_every_packet_between_two_namespaces_is_accounted_for(
    plant: il.Plant, name: str, spaces: tuple[str, str, str], begin: Any, ends: Ends
) -> None:
    """On a scripted clock of the plant: every step waits for its answer over the wire."""
    relay = start_relay(begin, spaces[1], 0.0, 0.1)
    options = {"rate": 500.0, "stale_after": None, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        links = ends(WIRE_B, WIRE_A)
        with il.attach(f"{name}.far", wait=HANG) as mirror:
            outputs = mirror.read()
            for _ in range(100):
                mirror.write(push=-5.0 * outputs.q[0])
                assert loop.mailbox.answered(HANG)
                loop.clock.advance(2e-3)
                found = mirror.wait(HANG)
                assert found is not None
                assert found["push"] == -5.0 * outputs.q[0]
                outputs = found
        assert outputs.step == 100
        loop.mailbox.stop()
        told = [json.loads(end.communicate(timeout=HANG)[0]) for end in links]
    did = json.loads(relay.communicate("end\n")[0])
    # the wire passes packets in order: numbers that are missing were lost by it, and no others
    for end, side in zip(told, "ba", strict=True):
        assert end["peers"] == 1
        assert end["forged"] == end["refused"] == end["foreign"] == end["replayed"] == 0
        assert end["accepted"] >= 100
        assert did[side]["lost"] > 5
        assert end["lost"] == missing(did[side]["passed"], end["accepted"] + end["unknown"])


def missing(passed: list[str], count: int) -> int:
    """Gaps in the numbers of so many packets, from the first one to a session that is known."""
    packets = [unseal(bytes.fromhex(data), KEY) for data in passed]
    numbers = [p.sequence for p in packets if isinstance(p, Packet) and p.to != 0][:count]
    return numbers[-1] - numbers[0] + 1 - count


def control(name: str, seconds: float) -> int:
    """A controller at the mirror; how often it answered."""
    count, end = 0, time.monotonic() + seconds
    with il.attach(name, wait=HANG) as mirror:
        while time.monotonic() < end:
            outputs = mirror.wait(HANG)
            assert outputs is not None
            mirror.write(push=-5.0 * outputs.q[0])
            count += 1
    return count


@pytest.mark.long
@pytest.mark.parametrize("means", ["relay", "netem"])
def test_delay_and_loss_between_two_namespaces(
    plant: il.Plant, name: str, spaces: tuple[str, str, str], begin: Any, ends: Ends, means: str
) -> None:
    """Against the clock: on an idle machine, ages and round trips are those of the wire."""
    a, wire, b = spaces
    if means == "relay":
        start_relay(begin, wire, DELAY, LOSS)
    else:
        forward = "echo 1 > /proc/sys/net/ipv4/ip_forward"
        subprocess.run([*inside(wire), "sh", "-c", forward], check=True)
        for space in (a, b):
            words = ["qdisc", "add", "dev", f"{space}w", "root", "netem"]
            words += ["delay", f"{1e3 * DELAY:g}ms", "loss", f"{100 * LOSS:g}%"]
            tried = subprocess.run(
                [*inside(wire), "tc", *words], capture_output=True, text=True, check=False
            )
            if tried.returncode != 0:
                pytest.skip(f"this kernel has no netem: {tried.stderr.strip()}")
    with il.start(plant, name=name, rate=500) as loop:
        links = ends(*((WIRE_B, WIRE_A) if means == "relay" else (PLANT, MIRROR)))
        assert control(f"{name}.far", 2.0) > 300
        assert loop.mailbox.statistics()["bad_inputs"] == 0
        loop.mailbox.stop()
        told = [json.loads(end.communicate(timeout=HANG)[0]) for end in links]
    for end in told:
        assert end["peers"] == 1
        assert end["forged"] == end["refused"] == end["foreign"] == 0
        # the wire delays both ways
        assert 2e6 * DELAY <= end["round_trip_us"]["p50"] < 2e6 * DELAY + 15e3
        assert 0.9e6 * DELAY < end["age_us"]["p50"] < 1e6 * DELAY + 10e3
        rate = end["lost"] / (end["lost"] + end["accepted"])
        assert 0.4 * LOSS < rate < 2.0 * LOSS
    # the plant's own clock: there, the controller's time, and back
    assert told[0]["answer_us"]["p50"] >= 2e6 * DELAY
