"""The mailbox as messages of robots see it, without any ROS."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import pytest

import inloop as il
from inloop.links.joints import JointPort, namespace_of, topic_name


def test_states_are_records_of_the_plant(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name) as loop:
        port = JointPort(name)
        port.efforts([1.5, -2.5])
        states = [port.next() for _ in range(50)]
        found = {}
        while (record := loop.mailbox.next()) is not None:
            found[tuple(record.q)] = record
    assert port.names == ["shoulder", "elbow"]
    assert port.counts.published == 50
    for state in states:
        assert state is not None
        record = found[tuple(state.position)]
        assert record.qd.tolist() == state.velocity
        assert [record["shoulder.tau"], record["elbow.tau"]] == state.effort
    assert states[-1].effort == [1.5, -2.5]  # type: ignore[union-attr]


def test_commands_by_name_leave_the_others_alone(
    plant: il.Plant, name: str, eventually: Callable[..., Any]
) -> None:
    with il.start(plant, name=name, stale_after=None) as loop:
        port = JointPort(name)
        for names, values in ((["elbow"], [3.0]), (["push", "shoulder"], [4.0, 5.0])):
            port.command(names, values)
        eventually(lambda: loop.mailbox.read()["push"] == 4.0)
        outputs = loop.mailbox.read()
        assert (outputs["elbow.tau"], outputs["shoulder.tau"]) == (3.0, 5.0)
        assert port.counts.commands == 2


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("command", (["nobody"], [1.0])),
        ("command", (["elbow", "nobody"], [1.0, 1.0])),
        ("command", (["elbow"], [math.nan])),
        ("command", (["elbow"], [math.inf])),
        ("command", (["elbow"], [])),
        ("command", ([], [])),
        ("efforts", ([1.0],)),
        ("efforts", ([1.0, 2.0, 3.0],)),
        ("efforts", ([1.0, math.nan],)),
        ("parameter", ("nothing", 1.0)),
        ("parameter", ("stiffness", -1.0)),
        ("parameter", ("stiffness", math.nan)),
    ],
)
def test_messages_that_make_no_sense_are_counted(
    plant: il.Plant, name: str, call: str, arguments: Any
) -> None:
    with il.start(plant, name=name) as loop:
        port = JointPort(name)
        getattr(port, call)(*arguments)
        assert port.counts.refused == 1
        assert port.counts.commands == port.counts.parameters == 0
        assert loop.mailbox.writer is None
        assert loop.mailbox.parameters["stiffness"] == 7.0


def test_the_rate_is_kept_without_bursts(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name):
        port = JointPort(name, rate=100.0)
        assert port.next() is not None
        begin = time.monotonic()
        for _ in range(20):
            port.next()
        # a late message may be made up by one that is early, not by more
        assert time.monotonic() - begin > 0.18
        time.sleep(0.5)
        begin = time.monotonic()
        for _ in range(10):
            port.next()
        assert time.monotonic() - begin > 0.07


def test_names_of_topics() -> None:
    assert topic_name("spring.stiffness") == "spring/stiffness"
    assert topic_name("k-1") == "k_1"
    assert topic_name("2nd.k") == "n2nd/k"
    assert namespace_of("my-robot", None) == "/my_robot"
    assert namespace_of("robot", "/") == ""
    assert namespace_of("robot", "a/b/") == "/a/b"
    for bad in ("a b", "a//b", "1a", "é"):
        with pytest.raises(il.InputError, match="no namespace"):
            namespace_of("robot", bad)
