"""A ROS 1 node for a plant, against a real rosmaster and real rospy nodes of Debian."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.cli import main
from inloop.links.ros1 import SYSTEM_PYTHON, find_master, find_rospy
from inloop.realtime import Flag

# as in the haptic piano's coupling: one node listens, one talks, over two topics
LISTENER = """
import json, sys, rospy
from sensor_msgs.msg import JointState
got = []
def listen(m):
    got.append([m.header.seq, m.header.stamp.to_sec(), m.name, m.position, m.velocity, m.effort])
    if len(got) == int(sys.argv[2]):
        rospy.signal_shutdown("enough")
rospy.init_node("listener")
rospy.Subscriber(sys.argv[1] + "/joint_states", JointState, listen, tcp_nodelay=True)
print("ready", flush=True)
rospy.spin()
print(json.dumps(got))
"""
TALKER = """
import sys, rospy
from std_msgs.msg import Float64, Float64MultiArray
rospy.init_node("talker")
efforts = rospy.Publisher(sys.argv[1] + "/efforts", Float64MultiArray, queue_size=1)
stiffness = rospy.Publisher(sys.argv[1] + "/parameters/stiffness", Float64, queue_size=1)
print("ready", flush=True)
rate = rospy.Rate(200)
while not rospy.is_shutdown():
    efforts.publish(Float64MultiArray(data=[0.375, -0.75]))
    stiffness.publish(Float64(12.5))
    rate.sleep()
"""
# one node that does both: a spring at the shoulder
CONTROLLER = """
import sys, rospy
from sensor_msgs.msg import JointState
rospy.init_node("controller")
command = rospy.Publisher(sys.argv[1] + "/command", JointState, queue_size=None, tcp_nodelay=True)
def answer(m):
    q = dict(zip(m.name, m.position))
    command.publish(JointState(name=["shoulder", "push"], effort=[0.25 - 2.0 * q["shoulder"], 0.5]))
rospy.Subscriber(sys.argv[1] + "/joint_states", JointState, answer, tcp_nodelay=True)
print("ready", flush=True)
rospy.spin()
"""


@pytest.fixture
def master(
    begin: Any,
    require_program: Callable[[str], str],
    require_file: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    eventually: Any,
    tmp_path: Path,
) -> Iterator[str]:
    """A rosmaster of the test's own."""
    program = require_program("rosmaster")
    for package in ("rospy", "sensor_msgs", "std_msgs"):
        debian = f"python3-{package.replace('_', '-')}"
        require_file(f"/usr/lib/python3/dist-packages/{package}", debian)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("ROS_MASTER_URI", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("ROS_IP", "127.0.0.1")
    monkeypatch.setenv("ROS_HOME", str(tmp_path))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    process = begin(program, "--core", "-p", str(port))

    def answers() -> bool:
        try:
            find_master()
        except il.LinkError:
            return False
        return True

    find_rospy(SYSTEM_PYTHON)
    eventually(answers)
    yield os.environ["ROS_MASTER_URI"]
    process.terminate()
    process.wait(10)


@pytest.fixture
def node(begin: Any) -> Callable[..., Any]:
    """`node(text, *arguments)`: a rospy node of Debian's Python."""

    def start(text: str, *arguments: str) -> Any:
        process = begin(SYSTEM_PYTHON, "-c", text, *arguments)
        assert process.stdout.readline() == "ready\n"
        return process

    return start


@pytest.fixture
def ros1(link: Any, monkeypatch: pytest.MonkeyPatch, repository: Path) -> Callable[..., Any]:
    """`ros1(name)`: the link as a process."""

    def start(*words: str) -> Any:
        environment = {**os.environ, "PYTHONPATH": str(repository / "src")}
        return link("ros1", *words, env=environment)

    return start


def records(box: Any) -> list[Any]:
    found = []
    while (record := box.next()) is not None:
        found.append(record)
    return found


def test_a_listener_and_a_talker(
    plant: il.Plant, name: str, master: str, node: Any, ros1: Any, eventually: Any
) -> None:
    with il.start(plant, name=name, telemetry=60.0) as loop:
        at_plant = ros1(name)
        listener = node(LISTENER, f"/{name}", "300")
        node(TALKER, f"/{name}")
        eventually(lambda: loop.mailbox.read()["shoulder.tau"] == 0.375)
        eventually(lambda: loop.mailbox.parameters["stiffness"] == 12.5)
        heard = json.loads(listener.communicate(timeout=30)[0])
        found = records(loop.mailbox)
        loop.mailbox.stop()
        told = json.loads(at_plant.communicate(timeout=30)[0])
        assert at_plant.returncode == 0
    # to the last bit what the plant put out, each once, in order
    states = {(r.q.tobytes(), r.qd.tobytes()): r for r in found}
    steps = []
    for _, stamp, names, position, velocity, effort in heard:
        assert names == ["shoulder", "elbow"]
        record = states[np.array(position).tobytes(), np.array(velocity).tobytes()]
        assert effort == [record["shoulder.tau"], record["elbow.tau"]]
        assert abs(stamp - time.time()) < 60.0
        steps.append(record.step)
    assert len(steps) == 300
    assert steps == sorted(set(steps))
    applied = {(r["shoulder.tau"], r["elbow.tau"]) for r in found}
    assert applied == {(0.0, 0.0), (0.375, -0.75)}
    assert told["commands"] > 0
    assert told["parameters"] > 0
    assert told["refused"] == 0


def test_a_node_closes_the_loop_and_a_killed_link_comes_back(
    plant: il.Plant, name: str, master: str, node: Any, ros1: Any, eventually: Any
) -> None:
    with il.start(plant, name=name, rate=500, telemetry=60.0) as loop:
        first = ros1(name, "--namespace", "/cell/arm")
        node(CONTROLLER, "/cell/arm")
        eventually(lambda: loop.mailbox.read()["push"] == 0.5)
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
        os.kill(first.pid, signal.SIGKILL)
        eventually(lambda: loop.mailbox.read().flags & Flag.SAFE)
        # its node ends with it
        eventually(lambda: children and not any(Path(f"/proc/{c}").exists() for c in children))
        ros1(name, "--namespace", "/cell/arm")
        eventually(lambda: loop.mailbox.read()["push"] == 0.5)
        time.sleep(0.2)
        found = records(loop.mailbox)
    np.testing.assert_array_equal([r.step for r in found], np.arange(len(found)))
    laws = {0.25 - 2.0 * r.q[0] for r in found} | {0.0}
    applied = [r["shoulder.tau"] for r in found]
    assert set(applied) <= laws
    assert len(set(applied)) > 50


def test_no_master_and_no_rospy_are_explained(
    plant: il.Plant,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    require_program: Callable[[str], str],
) -> None:
    require_program("rosmaster")
    monkeypatch.setenv("ROS_MASTER_URI", "http://127.0.0.1:9")
    with il.start(plant, name=name):
        assert main(["link", "ros1", name, "--python", "/no/such/python"]) == 2
        assert "there is no Python at /no/such/python" in capsys.readouterr().err
        assert main(["link", "ros1", name]) == 2
        assert "no ROS master answers at http://127.0.0.1:9" in capsys.readouterr().err
        assert main(["link", "ros1", name, "--namespace", "9 lives"]) == 2
        assert "is no namespace of ROS" in capsys.readouterr().err
