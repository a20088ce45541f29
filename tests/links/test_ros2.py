"""ROS 2's topics over DDS, against an independent implementation: Fast DDS, in C++ (peer.cpp)."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.cli import main
from inloop.realtime import Flag

SOURCE = Path(__file__).parent / "peer.cpp"
FLAGS = ("-std=c++14", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
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


def records(box: Any) -> list[Any]:
    found = []
    while (record := box.next()) is not None:
        found.append(record)
    return found


@pytest.mark.parametrize("means", ["command", "efforts"])
def test_a_controller_on_another_dds(
    plant: il.Plant, name: str, begin: Any, link: Any, peer: str, means: str
) -> None:
    with il.start(plant, name=name, telemetry=60.0) as loop:
        at_plant = link("ros2", name, "--domain", DOMAIN)
        began = time.time()
        controller = begin(peer, name, DOMAIN, "1.5", means, "12.5")
        out, _ = controller.communicate(timeout=30)
        found = records(loop.mailbox)
        assert loop.mailbox.parameters["stiffness"] == 12.5
        loop.mailbox.stop()
        told = json.loads(at_plant.communicate(timeout=30)[0])
        assert at_plant.returncode == 0
    heard = json.loads(out)
    assert heard["count"] > 200
    assert heard["name"] == ["shoulder", "elbow"]
    assert abs(heard["sec"] - began) < 60.0
    # the last message is a record of the plant, to the last bit
    (record,) = [r for r in found if r.q.tolist() == heard["position"]]
    assert record.qd.tolist() == heard["velocity"]
    assert [record["shoulder.tau"], record["elbow.tau"]] == heard["effort"]
    # and what the plant applied is the peer's law, to the last bit
    laws = {tuple(0.25 - 2.0 * r.q) for r in found} | {(0.0, 0.0)}
    applied = [(r["shoulder.tau"], r["elbow.tau"]) for r in found]
    assert set(applied) <= laws
    assert len(set(applied)) > 150
    assert told["commands"] > 150
    assert told["refused"] == told["unsent"] == 0


def test_a_killed_link_comes_back(
    plant: il.Plant, name: str, begin: Any, link: Any, peer: str, eventually: Any
) -> None:
    with il.start(plant, name=name, rate=500, telemetry=60.0) as loop:
        words = ("ros2", name, "--namespace", "cell", "--domain", DOMAIN)
        first = link(*words)
        controller = begin(peer, "cell", DOMAIN, "60", "command")
        eventually(lambda: loop.mailbox.read()["shoulder.tau"] != 0.0)
        assert loop.mailbox.writer == first.pid
        os.kill(first.pid, signal.SIGKILL)
        eventually(lambda: loop.mailbox.read().flags & Flag.SAFE)
        assert loop.mailbox.read()["shoulder.tau"] == 0.0
        second = link(*words)
        eventually(lambda: loop.mailbox.read()["shoulder.tau"] != 0.0)
        assert loop.mailbox.writer == second.pid
        # a controller that dies does not hold up the link
        os.kill(controller.pid, signal.SIGKILL)
        eventually(lambda: loop.mailbox.read().flags & Flag.SAFE)
        time.sleep(0.3)
        found = records(loop.mailbox)
        loop.mailbox.stop()
        told = json.loads(second.communicate(timeout=30)[0])
    assert told["published"] > 50
    np.testing.assert_array_equal([r.step for r in found], np.arange(len(found)))


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
    with il.start(plant, name=name):
        assert main(["link", "ros2", name, "--domain", "500"]) == 2
        assert "DDS domain 500 cannot be joined" in capsys.readouterr().err
        assert main(["link", "ros2", name, "--rate", "0"]) == 2
        assert "a rate of 0 Hz" in capsys.readouterr().err
