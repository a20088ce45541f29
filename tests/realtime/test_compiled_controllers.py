"""Controllers that are part of a plant, against the clock: no other process, safe, replayed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from realtime_arm import arm

import inloop as il
from inloop.native import Status
from inloop.realtime import Flag, Recording, replay
from inloop.realtime.elements import led_inputs
from inloop.realtime.recordings.recorder import Recorder

RATE = 1000.0


class Hold:
    """Holds the shoulder where it is told, with an integral; the elbow is left alone."""

    states: ClassVar[dict[str, float]] = {"total": 0.0}

    def __call__(
        self, t: float, outputs: Mapping[str, Any], kp: Any = 60.0, ki: Any = 90.0, goal: Any = 0.4
    ) -> dict[str, Any]:
        error = goal - outputs["shoulder.q"]
        self.total = self.total + 2e-3 * error
        # gains beyond reason have no answer
        pull = il.where(kp > 1e6, il.sqrt(-kp), kp * error)
        return {"shoulder.tau": pull + ki * self.total - 6.0 * outputs["shoulder.qd"]}


@pytest.fixture(scope="module")
def held() -> il.Plant:
    m = arm()
    m.controller(Hold(), period=2e-3)
    return m.compile()


def test_it_runs_in_the_loop_and_is_replayed_to_the_bit(
    held: il.Plant, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "held.mcap"
    with il.start(held, name=name, rate=RATE, seconds=0.6, clock=il.ScriptedClock()) as loop:
        recorder = Recorder(loop.mailbox, path)
        assert list(led_inputs(loop.mailbox.layout)) == ["shoulder.tau"]
        for k in range(3):
            loop.mailbox.parameters["controller.goal"] = 0.4 + 0.1 * k
            # the controller of the plant does not listen to others
            loop.mailbox.write([1e3, 0.0, 0.5 * k])
            loop.clock.advance(0.2 + 1e-9)
            while recorder.take():
                pass
        recorder.finish()
        recorder.close()
        assert loop.close().steps == 600
    recording = Recording(path)
    samples = list(recording)
    efforts = [sample.inputs[0] for sample in samples]
    # a new answer every second step, held in between
    assert len(samples) == 601
    assert all(a == b for a, b in zip(efforts[1::2], efforts[2::2], strict=True))
    assert len(set(efforts)) > 250
    found = replay(recording, held)
    assert found.identical, found.first
    assert found.steps == 600


def test_values_that_are_not_finite_give_the_safe_state(held: il.Plant, name: str) -> None:
    options = {"rate": RATE, "clock": il.ScriptedClock(), "safe": {"shoulder.tau": 0.125}}
    with il.start(held, name=name, **options) as loop:
        box = loop.mailbox
        loop.clock.advance(0.1)
        assert box.read()["shoulder.tau"] != 0.125
        box.parameters["controller.kp"] = 2e6
        loop.clock.advance(0.1)
        last = box.read()
        assert last.flags & Flag.SAFE
        assert last["shoulder.tau"] == 0.125
        assert box.statistics().latched == Status.CONTROLLER_FAILED
        box.parameters["controller.kp"] = 60.0
        box.resume()
        loop.clock.advance(0.1)
        last = box.read()
        assert not last.flags & Flag.SAFE
        assert last["shoulder.tau"] != 0.125


def test_others_whose_inputs_are_stale_do_not_stop_it(held: il.Plant, name: str) -> None:
    """A controller in the plant goes on when somebody who pushes has died."""
    with il.start(held, name=name, rate=RATE, clock=il.ScriptedClock()) as loop:
        loop.mailbox.write(push=2.0)
        loop.clock.advance(0.05)
        assert loop.mailbox.read()["push"] == 2.0
        loop.clock.advance(0.3)
        before = loop.mailbox.read()
        assert before["push"] == 0.0
        loop.clock.advance(0.01)
        assert loop.mailbox.read()["shoulder.tau"] not in (0.0, before["shoulder.tau"])


def test_nobody_else_writes_what_it_leads(held: il.Plant, name: str) -> None:
    with il.start(held, name=name, rate=RATE, clock=il.ScriptedClock()), il.attach(name) as box:
        for given in ({"shoulder.tau": 1.0}, {"push": 1.0, "tau": [1.0, 1.0]}):
            with pytest.raises(
                il.InputError, match=r"shoulder.tau' is set by controller .*Leave it"
            ):
                box.write(given)
        assert box.writer is None  # nothing was written
        box.write(push=1.0)
