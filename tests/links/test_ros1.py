"""A ROS 1 node for a plant, against a real rosmaster and real rospy nodes of Debian."""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from realtime_arm import all_records, newest_inputs

import inloop as il
from inloop.cli import main
from inloop.links.ros1 import SYSTEM_PYTHON, find_master, find_rospy
from inloop.realtime import Flag

HANG = 120.0  # [s] after which something that should happen never will

# as in the haptic piano's coupling: one node listens, one talks, over two topics
LISTENER = """
import json, sys, rospy
from sensor_msgs.msg import JointState
def listen(m):
    state = [m.header.seq, m.header.stamp.to_sec(), m.name, m.position, m.velocity, m.effort]
    print(json.dumps(state), flush=True)
rospy.init_node("listener")
print("ready", flush=True)
rospy.Subscriber(sys.argv[1] + "/joint_states", JointState, listen, tcp_nodelay=True)
rospy.spin()
"""
# whoever connects later gets what a latched topic said last
TALKER = """
import sys, rospy
from std_msgs.msg import Float64, Float64MultiArray
rospy.init_node("talker")
def topic(name, kind):
    return rospy.Publisher(sys.argv[1] + name, kind, queue_size=1, latch=True)
efforts = topic("/efforts", Float64MultiArray)
stiffness = topic("/parameters/stiffness", Float64)
efforts.publish(Float64MultiArray(data=[0.375, -0.75]))
stiffness.publish(Float64(12.5))
print("ready", flush=True)
rospy.spin()
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
    process.wait(HANG)


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


@pytest.mark.long
def test_a_listener_and_a_talker(
    plant: il.Plant, name: str, master: str, node: Any, ros1: Any, eventually: Any
) -> None:
    """On a scripted clock of the plant: each step is heard before the next one is done."""
    options = {"rate": 1000.0, "stale_after": None, "telemetry": 200.0}
    with il.start(plant, name=name, clock=il.ScriptedClock(), **options) as loop:
        at_plant = ros1(name)
        listener = node(LISTENER, f"/{name}")
        node(TALKER, f"/{name}")
        eventually(lambda: loop.mailbox.inputs_written == 1)
        eventually(lambda: loop.mailbox.parameters["stiffness"] == 12.5)
        heard = lines(listener)

        def step() -> bool:
            loop.clock.advance(1e-3)
            return not heard.empty()

        # messages of ROS get lost as long as publisher and subscriber have not found each other
        eventually(step)
        newest = loop.mailbox.read()
        while (message := heard.get(timeout=HANG))[3] != newest.q.tolist():
            pass
        for _ in range(300):
            number = message[0]
            loop.clock.advance(1e-3)
            record = loop.mailbox.read()
            message = heard.get(timeout=HANG)
            _, stamp, names, position, velocity, effort = message
            # to the last bit what the plant put out, each once, in order
            assert message[0] == number + 1
            assert names == ["shoulder", "elbow"]
            assert (position, velocity) == (record.q.tolist(), record.qd.tolist())
            assert effort == [record["shoulder.tau"], record["elbow.tau"]] == [0.375, -0.75]
            assert stamp > 1.7e9  # [s] of the clock that all machines share
        assert heard.empty()
        loop.mailbox.stop()
        told = json.loads(at_plant.communicate(timeout=HANG)[0])
        assert at_plant.returncode == 0
        found = all_records(loop.mailbox)
    applied = [(r["shoulder.tau"], r["elbow.tau"]) for r in found]
    assert set(applied[:1]) == {(0.0, 0.0)} and set(applied[1:]) == {(0.375, -0.75)}
    assert (told["commands"], told["parameters"], told["refused"]) == (1, 1, 0)
    assert told["published"] >= message[0] > 300


def lines(process: Any) -> queue.SimpleQueue[Any]:
    """What a process writes, line by line, each in JSON."""
    found: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def read() -> None:
        for line in process.stdout:
            found.put(json.loads(line))

    threading.Thread(target=read, daemon=True).start()
    return found


def test_a_node_closes_the_loop_and_a_killed_link_comes_back(
    plant: il.Plant, name: str, master: str, node: Any, ros1: Any, eventually: Any
) -> None:
    """On a scripted clock of the plant: each step is answered before the next one is done."""
    options = {"rate": 500.0, "stale_after": 30.0, "telemetry": 400.0}
    with il.start(plant, name=name, clock=il.ScriptedClock(), **options) as loop:

        def control(steps: int) -> None:
            """Until the nodes have found each other, and so many steps more."""
            before = loop.mailbox.inputs_written

            def step() -> bool:
                loop.clock.advance(2e-3)
                return loop.mailbox.inputs_written > before

            eventually(step)
            for _ in range(steps):
                law = 0.25 - 2.0 * loop.mailbox.read().q[0]
                eventually(lambda law=law: newest_inputs(loop.mailbox) == [law, 0.0, 0.5])
                loop.clock.advance(2e-3)
                record = loop.mailbox.read()
                assert [record[i] for i in ("shoulder.tau", "elbow.tau", "push")] == [law, 0.0, 0.5]

        first = ros1(name, "--namespace", "/cell/arm")
        node(CONTROLLER, "/cell/arm")
        control(60)
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
        assert children
        ends = [os.pidfd_open(int(child)) for child in children]
        os.kill(first.pid, signal.SIGKILL)
        # its node ends with it
        for end in ends:
            assert select.select([end], [], [], HANG)[0]
            os.close(end)
        loop.clock.advance(30.1)
        assert loop.mailbox.read().flags & Flag.SAFE
        assert loop.mailbox.read()["push"] == 0.0
        ros1(name, "--namespace", "/cell/arm")
        control(60)
        assert not loop.mailbox.read().flags & Flag.SAFE
        found = all_records(loop.mailbox)
    assert [record.step for record in found] == list(range(len(found)))
    laws = {0.25 - 2.0 * r.q[0] for r in found} | {0.0}
    applied = {r["shoulder.tau"] for r in found}
    assert applied <= laws
    assert len(applied) > 120


def test_no_master_and_no_rospy_are_explained(
    plant: il.Plant,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    require_program: Callable[[str], str],
) -> None:
    require_program("rosmaster")
    monkeypatch.setenv("ROS_MASTER_URI", "http://127.0.0.1:9")
    with il.start(plant, name=name, clock=il.ScriptedClock()):
        assert main(["link", "ros1", name, "--python", "/no/such/python"]) == 2
        assert "there is no Python at /no/such/python" in capsys.readouterr().err
        assert main(["link", "ros1", name]) == 2
        assert "no ROS master answers at http://127.0.0.1:9" in capsys.readouterr().err
        assert main(["link", "ros1", name, "--namespace", "9 lives"]) == 2
        assert "is not a ROS namespace" in capsys.readouterr().err
