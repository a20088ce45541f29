"""Joints that are set while a plant stands, against closed forms: what depends on them follows.

Of the planar slider-crank with crank r and rod l, x = r cos q + sqrt(l² - r² sin² q).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from realtime_arm import own_name

import inloop as il
from inloop import gallery
from inloop.gallery.slider_crank import CRANK, ROD
from inloop.realtime import Mailbox

OPTIONS = {"rate": 1000.0, "priority": None, "lock_memory": False}
G = 9.81


@pytest.fixture(scope="module")
def slider_crank() -> Iterator[Mailbox]:
    plant = gallery.get("slider_crank").build().compile()
    clock = il.ScriptedClock()
    with own_name("placed") as name, il.start(plant, name=name, clock=clock, **OPTIONS) as loop:
        yield loop.mailbox


@pytest.fixture
def box(slider_crank: Mailbox) -> Iterator[Mailbox]:
    """In motion first, then standing."""
    slider_crank.reset()
    slider_crank.resume()
    slider_crank.clock.advance(0.05)
    slider_crank.pause()
    yield slider_crank


def stroke(angle: float) -> float:
    return CRANK * math.cos(angle) + math.sqrt(ROD**2 - (CRANK * math.sin(angle)) ** 2)


def test_in_a_tree_nothing_else_moves(name: str) -> None:
    plant = gallery.get("double_pendulum").build().compile()
    with il.start(plant, name=name, clock=il.ScriptedClock(), **OPTIONS) as loop:
        box = loop.mailbox
        first, second = box.coordinates[:2]
        box.clock.advance(0.1)
        with pytest.raises(il.InputError, match="cannot be set while the plant runs"):
            box.place(second, 0.4)
        box.pause()
        before = box.peek()
        assert before[f"{first}.qd"] != 0.0
        box.place(second, 0.4, keep_velocities=True)
        after = box.peek()
        assert (after.t, after[f"{second}.q"]) == (before.t, 0.4)
        assert after[f"{first}.q"] == before[f"{first}.q"]
        assert after.qd.tolist() == before.qd.tolist()
        box.place(second, -0.3)
        assert not box.peek().qd.any() and box.peek()[f"{second}.q"] == -0.3
        # it goes on from there, as a simulation does
        q = box.peek().q
        box.resume()
        box.clock.advance(0.2)
        end = box.peek()
        result = plant.simulate(t_end=end.t - before.t, step=1e-3, q=q, qd=np.zeros(len(q)))
        np.testing.assert_allclose(end.q, result.q[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("angle", [0.3, -2.0, 3.0, 7.5])
def test_what_depends_on_a_joint_follows(box: Mailbox, angle: float) -> None:
    t = box.peek().t
    box.place("crank", angle)
    found = box.peek()
    assert found.t == t and not found.qd.any()
    assert found["crank.q"] == pytest.approx(angle, abs=1e-12)
    assert found["slider.q"] == pytest.approx(stroke(angle), abs=1e-12)


def test_a_dependent_joint_leads_the_others(box: Mailbox) -> None:
    """cos q = (x² + r² - l²) / (2 r x), on the side where the crank was."""
    side = math.copysign(1.0, math.sin(box.peek()["crank.q"]))
    for x in (stroke(0.4), stroke(2.0), stroke(1.2)):
        box.place("slider", x)
        found = box.peek()
        expected = side * math.acos((x * x + CRANK**2 - ROD**2) / (2.0 * CRANK * x))
        assert found["slider.q"] == pytest.approx(x, abs=1e-12)
        turned = (found["crank.q"] - expected + math.pi) % (2.0 * math.pi) - math.pi
        assert turned == pytest.approx(0.0, abs=1e-10)


def test_velocities_that_are_kept_fit_the_loops(box: Mailbox) -> None:
    speed, angle = box.peek()["crank.qd"], 0.9
    box.place("crank", angle, keep_velocities=True)
    found = box.peek()
    assert abs(speed) > 1.0 and found["crank.qd"] == speed
    s, c = CRANK * math.sin(angle), CRANK * math.cos(angle)
    assert found["slider.qd"] == pytest.approx(-speed * (s + s * c / math.sqrt(ROD**2 - s * s)))


def test_what_cannot_be_closed_is_refused_and_names_the_loop(box: Mailbox) -> None:
    before = box.peek()
    for x in (CRANK + ROD + 1e-3, ROD - CRANK - 1e-3, 1e6):
        with pytest.raises(il.InputError, match=r"slider.*loop 'pin' cannot be closed there"):
            box.place("slider", x)
    # not a bit has changed, and it goes on
    assert box.peek().values.tolist() == before.values.tolist()
    box.resume()
    box.clock.advance(0.05)
    assert box.peek().status_name == "OK"
    assert box.peek()["slider.q"] == pytest.approx(stroke(box.peek()["crank.q"]), abs=1e-9)


def test_names_and_numbers_are_checked(box: Mailbox) -> None:
    with pytest.raises(il.InputError, match="no coordinate 'wheel'"):
        box.place("wheel", 1.0)
    with pytest.raises(il.InputError, match="finite"):
        box.place("crank", math.nan)
    for number in (-1.0, 3.0, 1e300):
        with pytest.raises(il.InputError):
            box.command(9, number, 0.5)


def test_drives_and_ball_joints_are_left_alone(name: str) -> None:
    m = il.Model("pair")
    arm = m.body("arm", on=m.ground, joint=il.revolute("y"), mass=1.0, com=(0.3, 0.0, 0.0))
    m.drive(arm, lambda t: 0.2 * il.sin(t))
    m.body("bob", on=arm, joint=il.ball(), mass=0.7, com=(0.1, 0.0, 0.2), inertia=(0.1, 0.2, 0.3))
    with il.start(m.compile(), name=name, clock=il.ScriptedClock(), **OPTIONS) as loop:
        loop.mailbox.pause()
        for joint in loop.mailbox.coordinates:
            with pytest.raises(il.InputError, match="a drive holds it, it turns as a ball"):
                loop.mailbox.place(joint, 0.3)


def test_events_are_armed_anew(name: str) -> None:
    """A ball that is lifted falls for sqrt(2 h / g) before it hits the floor."""
    plant = gallery.get("bouncing_ball").build().compile()
    with il.start(plant, name=name, clock=il.ScriptedClock(), **OPTIONS) as loop:
        box, height = loop.mailbox, 0.5
        box.pause()
        box.place("ball", height)
        start = box.peek()
        box.resume()
        falls = math.sqrt(2.0 * height / G)
        box.clock.advance(falls - 2e-3)
        assert box.peek()["events"] == start["events"]
        box.clock.advance(4e-3)
        assert box.peek()["events"] == start["events"] + 1.0 and box.peek()["ball.qd"] > 0.0
