"""ROS 2's topics over DDS, against an independent implementation: Fast DDS, in C++ (peer.cpp)."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from realtime_arm import all_records, newest_inputs

import inloop as il
from inloop.cli import main
from inloop.realtime import Flag

SOURCE = Path(__file__).parent / "peer.cpp"
FLAGS = ("-std=c++14", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
HANG = 120.0  # [s] after which something that should happen never will
DOMAIN = str(1 + os.getpid() % 100)


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory, require_file: Callable[[str, str], None]) -> str:
    """The program on Fast DDS; compiled once."""
    require_file("/usr/include/fastdds/dds/topic/Topic.hpp", "libfastrtps-dev")
    name = hashlib.sha256(SOURCE.read_bytes() + " ".join(FLAGS).encode()).hexdigest()[:16]
    program = Path(os.environ["INLOOP_CACHE"]) / f"peer-{name}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        draft = tmp_path_factory.mktemp("peer") / "peer"
        command = ["g++", *FLAGS, str(SOURCE), "-o", str(draft), "-lfastrtps", "-lfastcdr"]
        subprocess.run(command, check=True)
        os.replace(draft, program)
    return str(program)


def control(loop: Any, eventually: Any, steps: int) -> None:
    """Until both sides have found each other, and so many steps more, each with an answer.

    On a scripted clock of the plant; every answer is checked to the last bit.
    """
    before = loop.mailbox.inputs_written

    def step() -> bool:
        loop.clock.advance(2e-3)
        return loop.mailbox.inputs_written > before

    eventually(step)
    for _ in range(steps):
        law = (0.25 - 2.0 * loop.mailbox.read().q).tolist()
        eventually(lambda law=law: newest_inputs(loop.mailbox) == [*law, 0.0])
        loop.clock.advance(2e-3)
        record = loop.mailbox.read()
        assert [record["shoulder.tau"], record["elbow.tau"]] == law


OPTIONS = {"rate": 500.0, "stale_after": 30.0, "telemetry": 400.0}


@pytest.mark.parametrize("means", ["command", "efforts"])
def test_a_controller_on_another_dds(
    plant: il.Plant, name: str, begin: Any, link: Any, peer: str, means: str, eventually: Any
) -> None:
    with il.start(plant, name=name, clock=il.ScriptedClock(), **OPTIONS) as loop:
        at_plant = link("ros2", name, "--domain", DOMAIN)
        controller = begin(peer, name, DOMAIN, means, "12.5", stdin=subprocess.PIPE)
        control(loop, eventually, 200)
        eventually(lambda: loop.mailbox.parameters["stiffness"] == 12.5)
        # the answer to the newest record is the last one
        law = (0.25 - 2.0 * loop.mailbox.read().q).tolist()
        eventually(lambda: newest_inputs(loop.mailbox) == [*law, 0.0])
        newest = loop.mailbox.read()
        heard = json.loads(controller.communicate("", timeout=HANG)[0])
        loop.mailbox.stop()
        told = json.loads(at_plant.communicate(timeout=HANG)[0])
        assert at_plant.returncode == 0
        found = all_records(loop.mailbox)
    assert heard["count"] >= 201
    assert heard["name"] == ["shoulder", "elbow"]
    assert heard["sec"] > 1.7e9
    # the last message is a record of the plant, to the last bit
    assert heard["position"] == newest.q.tolist()
    assert heard["velocity"] == newest.qd.tolist()
    assert heard["effort"] == [newest["shoulder.tau"], newest["elbow.tau"]]
    # and what the plant applied is the peer's law, to the last bit
    laws = {tuple(0.25 - 2.0 * r.q) for r in found} | {(0.0, 0.0)}
    applied = {(r["shoulder.tau"], r["elbow.tau"]) for r in found}
    assert applied <= laws
    assert len(applied) > 200
    assert 201 <= told["commands"] <= heard["count"] <= told["published"]
    assert told["refused"] == told["unsent"] == 0


@pytest.mark.long
def test_a_killed_link_comes_back(
    plant: il.Plant, name: str, begin: Any, link: Any, peer: str, eventually: Any
) -> None:
    with il.start(plant, name=name, clock=il.ScriptedClock(), **OPTIONS) as loop:
        words = ("ros2", name, "--namespace", f"cell/{name}", "--domain", DOMAIN)
        first = link(*words)
        controller = begin(peer, f"cell/{name}", DOMAIN, "command", stdin=subprocess.PIPE)
        control(loop, eventually, 20)
        assert loop.mailbox.writer == first.pid
        os.kill(first.pid, signal.SIGKILL)
        first.wait(HANG)
        loop.clock.advance(30.1)
        outputs = loop.mailbox.read()
        assert outputs.flags & Flag.SAFE and outputs["shoulder.tau"] == 0.0
        second = link(*words)
        control(loop, eventually, 20)
        assert loop.mailbox.writer == second.pid
        # a controller that dies does not hold up the link
        os.kill(controller.pid, signal.SIGKILL)
        controller.wait(HANG)
        loop.clock.advance(30.1)
        assert loop.mailbox.read().flags & Flag.SAFE
        before = loop.mailbox.inputs_written
        for _ in range(50):
            loop.clock.advance(2e-3)
        loop.mailbox.stop()
        told = json.loads(second.communicate(timeout=HANG)[0])
        assert second.returncode == 0
        assert loop.mailbox.inputs_written == before
        found = all_records(loop.mailbox)
    assert told["published"] > 20
    assert [record.step for record in found] == list(range(len(found)))


def test_messages_are_serialized_as_ros_does() -> None:
    """XCDR1, little-endian, by hand: 4 bytes of encapsulation, then aligned members."""
    from inloop.links import ros2_messages as messages

    stamp = messages.Time(7, 8)
    message = messages.JointState(messages.Header(stamp, "w"), ["ab"], [1.5], [], [2.5, 3.5])
    body = struct.pack("<iI", 7, 8) + struct.pack("<I2sxx", 2, b"w\0")
    body += struct.pack("<II3sx", 1, 3, b"ab\0")
    body += struct.pack("<Id", 1, 1.5) if len(body) % 8 == 4 else struct.pack("<I4xd", 1, 1.5)
    body += struct.pack("<I", 0)
    body += struct.pack("<I2d", 2, 2.5, 3.5) if len(body) % 8 == 4 else b"wrong"
    assert message.serialize() == b"\0\1\0\0" + body


def test_what_cannot_be_joined_is_explained(
    capsys: pytest.CaptureFixture[str], plant: il.Plant, name: str
) -> None:
    with il.start(plant, name=name, clock=il.ScriptedClock()):
        assert main(["link", "ros2", name, "--domain", "500"]) == 2
        assert "DDS domain 500 cannot be joined" in capsys.readouterr().err
        assert main(["link", "ros2", name, "--rate", "0"]) == 2
        assert "a rate of 0 Hz" in capsys.readouterr().err
