"""Inputs that get old, inputs that may stay, and what is told after a step has failed."""

from __future__ import annotations

import math

import pytest
from realtime_arm import do_steps

import inloop as il
from inloop.native import Status
from inloop.realtime import Flag

STALE_AFTER = 0.02  # [s]


@pytest.fixture(scope="module")
def cart() -> il.Plant:
    """A light cart that a large force throws out of all numbers."""
    m = il.Model("cart")
    m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1e-3)
    m.joint_force("cart", lambda q, qd: -0.1 * qd)
    return m.compile()


def test_answers_to_what_is_not_there_yet_get_old_as_well(plant: il.Plant, name: str) -> None:
    options = {"rate": 1000.0, "stale_after": STALE_AFTER, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        box = loop.mailbox
        box.answer(10**15, {"push": 0.7})
        loop.clock.advance(0.0055)
        assert box.read()["push"] == 0.7
        loop.clock.advance(2.0 * STALE_AFTER)
        record = box.read()
        assert (record["push"], record.status) == (0.0, Status.INPUT_STALE)


def test_inputs_at_rest_do_not_get_old_and_others_do(plant: il.Plant, name: str) -> None:
    options = {"rate": 1000.0, "stale_after": STALE_AFTER, "clock": il.ScriptedClock()}
    with (
        il.start(plant, name=name, **options) as loop,
        il.attach(name) as box,
        il.attach(name) as other,
    ):
        box.write(push=0.7)
        loop.clock.advance(0.0055)
        assert box.read()["push"] == 0.7
        loop.clock.advance(2.0 * STALE_AFTER)
        record = box.read()
        assert (record["push"], record.status) == (0.0, Status.INPUT_STALE)
        # who leaves in order is no controller that has died
        box.rest(push=0.3)
        stale = loop.mailbox.statistics()["stale_inputs"]
        for _ in range(10):
            loop.clock.advance(STALE_AFTER)
            record = box.read()
            assert record["push"] == 0.3 and not record.flags & Flag.SAFE
        assert loop.mailbox.statistics()["stale_inputs"] == stale > 0
        # and others may write
        assert box.writer is None
        other.write(push=0.1)
        with pytest.raises(il.MailboxError, match="are written by"):
            box.rest()


def test_a_driven_joint_stays_where_it_is_in_the_safe_state(name: str) -> None:
    m = il.Model("driven")
    m.body("arm", on=m.ground, joint=il.revolute("y", name="arm"), mass=1.0, inertia=(1, 1, 1))
    m.drive("arm")
    with (
        il.start(m.compile(), name=name, paused=True, clock=il.ScriptedClock()) as loop,
        il.attach(name) as box,
    ):
        box.write({"arm.q": 0.4, "arm.qd": 0.2, "arm.qdd": 0.1})
        box.make_safe()
        assert Status(loop.mailbox.statistics().latched) == Status.STOPPED
        record = do_steps(box, 1)
        applied = [record.inputs[k] for k, n in enumerate(box.inputs) if n.startswith("arm.q")]
        assert applied == [0.4, 0.0, 0.0]


def test_after_a_failed_step_everybody_can_see_why_inputs_are_ignored(
    cart: il.Plant, name: str
) -> None:
    options = {"paused": True, "clock": il.ScriptedClock()}
    with il.start(cart, name=name, **options) as loop, il.attach(name) as box:
        assert (box.statistics().failure, box.statistics().latched) == (0, 0)
        box.write({"cart.tau": 1.7e308})
        assert do_steps(box, 1).status == Status.DIVERGED
        record = do_steps(box, 3)
        # the steps are good again, with the safe value
        assert (record.status_name, record["cart.tau"]) == ("OK", 0.0)
        assert record.flags & Flag.SAFE
        statistics = box.statistics()
        assert Status(statistics.latched) == Status(statistics.failure) == Status.DIVERGED
        assert loop.report().status == "DIVERGED"
        # the way out
        box.write({"cart.tau": 1e-3})
        box.resume()
        box.pause()
        record = do_steps(box, 1)
        assert (record.status_name, record["cart.tau"]) == ("OK", 1e-3)
        assert box.statistics().latched == 0
        # but the account of the run does not forget
        assert loop.close().status == "DIVERGED"


def test_who_has_answered_the_newest_outputs_is_not_late(plant: il.Plant, name: str) -> None:
    """However slow the clock is: nobody can answer outputs before they are there."""
    options = {"rate": 1000.0, "stale_after": 1e-4, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop, il.attach(name) as box:
        statuses = []
        for answered in (True, True, False, True, False):
            box.read()
            if answered:
                box.write(push=0.5)
            loop.clock.advance(1e-3)
            statuses.append(box.read().status_name)
        assert statuses == ["OK", "OK", "INPUT_STALE", "OK", "INPUT_STALE"]


def test_a_loop_stays_within_its_bounds_and_names_what_would_have_left_them(name: str) -> None:
    """qd = exp(50 t) passes 100 m/s after ln(100) / 50 s, a step of 1 ms earlier at the most."""
    m = il.Model("runaway")
    m.body("cart", on=m.ground, joint=il.prismatic("x", name="cart", initial=(0.0, 1.0)), mass=1.0)
    m.joint_force("cart", lambda q, qd: 50.0 * qd)
    plant = m.compile()
    plant.bounds["cart"] = (1e3, 100.0)
    report = il.run(plant, name=name, mode="free", policies={"DIVERGED": "stop"})
    assert (report.status, report.failed) == ("OUT_OF_BOUNDS", 1)
    assert report.outputs is not None
    assert report.outputs["cart.qd"] <= 100.0
    assert 0.0 <= math.log(100.0) / 50.0 - report.outputs.t <= 1e-3
    assert "the speed of coordinate 'cart' would have exceeded its bounds" in str(report)
