"""A plant takes the place of one that runs: what names agree on goes on, the rest is told."""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.plant.formulation.reduced_loops import ReducedLoops
from inloop.realtime import Options
from inloop.realtime.succession import Successor

RATE = 500.0
_numbers = itertools.count()


def crane(edit: Callable[[il.Model, Any], None] | None = None, length: float = 1.7) -> il.Model:
    """A load on a trolley, with a law that has a state and two parameters."""
    m = il.Model("crane")
    rope = m.parameter("length", length, unit="m", range=(0.5, 4.0))
    drag = m.parameter("drag", 0.3, range=(0.0, 2.0))
    trolley = m.body("trolley", on=m.ground, joint=il.prismatic("x", name="way"), mass=13.0)
    swing = il.revolute("y", name="swing", initial=(0.4, 0.0))
    load = m.body("load", on=trolley, joint=swing, mass=4.0, com=(0.0, 0.0, -rope))
    m.joint_force(
        "swing",
        lambda q, qd, lag: (-drag * qd - 0.2 * lag, {"lag": q - 2.0 * lag}),
        name="rope",
        states={"lag": 0.0},
    )
    if edit is not None:
        edit(m, load)
    return m


def replaced(
    old: il.Model, new: il.Model, act: Callable[[il.Mailbox], None] = lambda box: None
) -> tuple[il.Outputs, il.Outputs, dict[str, Any], dict[str, float]]:
    """Newest outputs of the old plant, first ones of the new, what was told, its parameters.

    What was told has the outputs after one more step, too, as "next".
    """
    name = f"heir-{os.getpid()}-{next(_numbers)}"
    quick = {"rate": RATE, "priority": None, "lock_memory": False, "stale_after": None}
    with il.start(old.compile(), name=name, clock=il.ScriptedClock(), **quick) as loop:
        loop.clock.advance(0.7)
        act(loop.mailbox)
        loop.clock.advance(0.1)
        before = loop.mailbox.peek()
        plant = new.compile()
        successor = Successor(plant, name, Options(rate=RATE, method="rk4"))
        told = json.loads(successor.take_over())
    begin = {"clock": il.ScriptedClock(), "snapshot": successor.snapshot}
    with il.start(plant, name=name, **begin, **quick) as heir:
        successor.hand_over(heir)
        after = heir.mailbox.peek()
        values = dict(heir.mailbox.parameters)
        heir.clock.advance(1.0 / RATE)
        told["next"] = heir.mailbox.peek()
        # back to the start is back to the declared one
        heir.mailbox.reset()
        declared = plant.stepper(step=1.0 / RATE).look().q[0]
        assert heir.mailbox.peek().q == pytest.approx(declared, abs=1e-14)
    return before, after, told, values


def test_the_same_description_goes_on_at_the_same_state() -> None:
    before, after, told, _ = replaced(crane(), crane())
    assert told["state"] and told["left"] == []
    assert abs(before["swing.qd"]) > 0.1 and before["rope.lag"] != 0.0  # it moves
    assert (after.t, after.step) == (before.t, before.step)
    for part in ("q", "qd", "z"):
        assert getattr(after, part).tolist() == getattr(before, part).tolist()


def test_what_names_agree_on_is_kept_and_the_rest_is_told() -> None:
    def edit(m: il.Model, load: Any) -> None:
        m.body("hook", on=load, joint=il.revolute("x", initial=(0.25, 0.0)), mass=0.3,
               com=(0.0, 0.0, -0.1), inertia=(1e-3, 1e-3, 1e-3))  # fmt: skip

    def act(box: il.Mailbox) -> None:
        box.parameters["drag"] = 1.1
        box.write({"way.tau": 3.5})

    before, after, told, values = replaced(crane(), crane(edit, length=2.2), act)
    assert told["state"] and told["left"] == ["coordinate hook"]
    for name in ("way.q", "way.qd", "swing.q", "swing.qd", "rope.lag"):
        assert after[name] == before[name] != 0.0
    assert told["next"]["way.tau"] == before["way.tau"] == 3.5
    assert after["hook.q"] == 0.25
    # a value that a person has set stays; one that nobody has touched is the new one of the file
    assert values == {"length": 2.2, "drag": 1.1}


def test_parameters_out_of_their_new_range_and_joints_of_another_kind_are_left() -> None:
    def other() -> il.Model:
        m = il.Model("crane")
        drag = m.parameter("drag", 0.1, range=(0.0, 0.5))
        trolley = m.body("trolley", on=m.ground, joint=il.prismatic("x", name="way"), mass=13.0)
        m.body("load", on=trolley, joint=il.prismatic("z", name="swing"), mass=4.0)
        m.joint_force("swing", lambda q, qd: -9.0 * q - drag * qd)
        return m

    before, after, told, values = replaced(
        crane(), other(), lambda box: box.parameters.set({"drag": 1.5})
    )
    assert told["left"] == ["coordinate swing", "state rope.lag", "parameter drag = 1.5"]
    assert after["way.q"] == before["way.q"] != 0.0 and after["swing.q"] == 0.0
    assert values == {"drag": 0.1}


def rods(rod: float, crank: float = 0.1) -> il.Model:
    """A slider-crank in the x-z plane; q of the slider is r cos a + sqrt(l² - r² sin² a)."""
    m = il.Model("rods", gravity=(0.0, 0.0, -9.81))
    start = 1.2
    a = m.body("crank", on=m.ground, joint=il.revolute("y", initial=(-start, 6.0)), mass=0.4,
               com=(crank / 2, 0.0, 0.0), inertia=(1e-4, 4e-4, 4e-4))  # fmt: skip
    lean = math.asin(crank / rod * math.sin(start))
    b = m.body("rod", on=a.point("pin", (crank, 0.0, 0.0)),
               joint=il.revolute("y", guess=start + lean), mass=0.6, com=(rod / 2, 0.0, 0.0),
               inertia=(1e-4, 4e-3, 4e-3))  # fmt: skip
    c = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=rod), mass=1.0)
    m.close(b.point("end", (rod, 0.0, 0.0)), c.origin, name="cut")
    m.independent("crank")
    return m


def test_loops_are_closed_near_where_they_were() -> None:
    rod = 0.34
    before, after, told, _ = replaced(rods(0.3), rods(rod))
    assert told["state"] and told["left"] == []
    # closed form of the new mechanism at the angle of its crank, which has moved only a little
    angle, rate = after["crank.q"], after["crank.qd"]
    root = math.sqrt(rod**2 - (0.1 * math.sin(angle)) ** 2)
    assert after["slider.q"] == pytest.approx(0.1 * math.cos(angle) + root, abs=1e-9)
    slope = -0.1 * math.sin(angle) - 0.01 * math.sin(angle) * math.cos(angle) / root
    assert after["slider.qd"] == pytest.approx(slope * rate, rel=1e-6)
    assert abs(angle - before["crank.q"]) < 0.3 and abs(before["crank.q"] + 1.2) > 0.5
    assert rate == before["crank.qd"]


def test_loops_that_cannot_be_closed_there_begin_at_the_declared_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(self: ReducedLoops, guess: np.ndarray, held: Any = ()) -> Any:
        raise il.ModelError("loop 'cut' stays open by 0.1 m")

    def act(box: il.Mailbox) -> None:
        monkeypatch.setattr(ReducedLoops, "assemble", fails)

    _, after, told, _ = replaced(rods(0.3), rods(0.34), act)
    assert not told["state"]
    assert told["left"] == ["the state: loop 'cut' stays open by 0.1 m"]
    assert after.t == 0.0 and after["crank.q"] == -1.2


def test_a_plant_that_is_gone_leaves_nothing() -> None:
    successor = Successor(crane().compile(), f"nobody-{os.getpid()}", Options(method="rk4"))
    told = json.loads(successor.take_over())
    assert not told["state"] and told["left"][0].startswith("everything: ")
