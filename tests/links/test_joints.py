"""The mailbox as messages of robots see it, without any ROS."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from realtime_arm import all_records

import inloop as il
from inloop.links.joints import JointPort, Pace, namespace_of, topic_name


def test_states_are_records_of_the_plant(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, rate=1000.0, clock=il.ScriptedClock()) as loop:
        port = JointPort(name)
        port.efforts([1.5, -2.5])
        states = []
        for _ in range(50):
            loop.clock.advance(1e-3)
            states.append(port.next())
        found = [record for record in all_records(loop.mailbox) if record.step > 0]
        port.close()
    assert port.names == ["shoulder", "elbow"]
    assert port.counts.published == 50
    assert [record.step for record in found] == list(range(1, 51))
    for state, record in zip(states, found, strict=True):
        assert state is not None
        assert (record.q.tolist(), record.qd.tolist()) == (state.position, state.velocity)
        assert [record["shoulder.tau"], record["elbow.tau"]] == state.effort == [1.5, -2.5]


def test_commands_by_name_leave_the_others_alone(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, rate=1000.0, clock=il.ScriptedClock()) as loop:
        port = JointPort(name)
        for names, values in ((["elbow"], [3.0]), (["push", "shoulder"], [4.0, 5.0])):
            port.command(names, values)
        loop.clock.advance(1e-3)
        outputs = loop.mailbox.read()
        assert [outputs[i] for i in ("elbow.tau", "push", "shoulder.tau")] == [3.0, 4.0, 5.0]
        assert port.counts.commands == 2
        port.close()


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
    with il.start(plant, name=name, clock=il.ScriptedClock()) as loop:
        port = JointPort(name)
        getattr(port, call)(*arguments)
        assert port.counts.refused == 1
        assert port.counts.commands == port.counts.parameters == 0
        assert loop.mailbox.writer is None
        assert loop.mailbox.parameters["stiffness"] == 7.0
        port.close()


@pytest.mark.parametrize("seed", range(5))
def test_the_rate_is_kept_without_bursts(seed: int) -> None:
    """Late wake-ups and long delays: a late message may be made up by an early one, not more."""
    chance, period, now = random.Random(seed), 0.01, 5.0
    pace, sent = Pace(period), []
    for _ in range(2000):
        late = chance.choice([0.0, 0.0, 0.3, 0.9, 60.0]) * period * chance.random()
        now = max(now, pace.due) + late
        sent.append(now)
        pace.sent(now)
    times = np.array(sent)
    for m in (2, 3, 5, 20, 300):
        assert (times[m - 1 :] - times[: 1 - m] > (m - 2) * period - 1e-9).all()
    # and when none is later than a period, none is missed
    pace, now = Pace(period), 7.0
    for _ in range(1000):
        pace.sent(now)
        now = max(now, pace.due) + period * chance.random()
    assert now - 7.0 == pytest.approx(1000 * period, abs=2 * period)


def test_a_port_keeps_the_rate_on_the_clock_of_its_plant(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, rate=1000.0, clock=il.ScriptedClock()) as loop:
        port = JointPort(name, rate=99.0)
        published = []
        for step in range(1, 101):
            loop.clock.advance(1e-3)
            if port.due <= loop.clock.now:
                assert port.next() is not None
                published.append(step)
        # two at once, for the first one counts as late
        assert published == [1, 2, *range(12, 101, 10)]
        # and none before its time
        assert port.due > loop.clock.now
        assert port.next() is None
        assert port.counts.published == len(published)
        port.close()


def test_names_of_topics() -> None:
    assert topic_name("spring.stiffness") == "spring/stiffness"
    assert topic_name("k-1") == "k_1"
    assert topic_name("2nd.k") == "n2nd/k"
    assert namespace_of("my-robot", None) == "/my_robot"
    assert namespace_of("robot", "/") == ""
    assert namespace_of("robot", "a/b/") == "/a/b"
    for bad in ("a b", "a//b", "1a", "é"):
        with pytest.raises(il.InputError, match="not a ROS namespace"):
            namespace_of("robot", bad)
