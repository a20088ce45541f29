"""What the studio knows of a mechanism's parts, and whose joints it may set."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.studio.drawing.anatomy import principal
from inloop.studio.drawing.stage import Stage, make_stage
from inloop.studio.messaging.requests import RequestError, read_request
from inloop.studio.plants.show import Show


def test_principal_moments_of_a_turned_block() -> None:
    """A block of 1.3 kg with edges a, b, c: m (b² + c²) / 12, …, whatever its directions."""
    a, b, c, mass = 0.2, 0.5, 0.9, 1.3
    moments = mass / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    R = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [-0.3, 1.0, 2.0], [2.0, 0.1, 1.0]]))[0]
    found, axes = principal(R @ np.diag(moments) @ R.T)
    assert found == pytest.approx(sorted(moments))
    assert np.linalg.det(axes) == pytest.approx(1.0)
    for axis, k in zip(axes, np.argsort(moments), strict=True):
        assert abs(axis @ R[:, k]) == pytest.approx(1.0)
    # a body along its own axes has these, not their opposites
    assert principal(np.diag([1.0, 2.0, 3.0])) == ([1.0, 2.0, 3.0], np.eye(3).tolist())


def lever() -> il.Model:
    """A driven crank and a rocker, whose weight is a parameter, joined by a rod."""
    m = il.Model("lever")
    weight = m.parameter("weight", 0.7, unit="kg", range=(0.1, 2.0))
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", limits=(-1.0, 2.5)), mass=0.3)
    rocker = m.body(
        "rocker", on=m.ground.point("B", (1.0, 0.0, 0.0)), joint=il.revolute("-y"), mass=weight,
        com=(0.0, 0.0, 0.1 * weight), inertia=(0.01, 0.02, 0.03),
    )  # fmt: skip
    bob = m.body("bob", on=rocker, joint=il.ball(), mass=0.2, inertia=(0.1, 0.1, 0.1))
    ends = crank.point("end", (0.0, 0.0, 0.3)), rocker.point("tip", (0.0, 0.0, 0.5))
    m.close(*ends, kind="rod", length=1.0, name="coupling_rod")
    m.sensor("swing", il.sensors.encoder("rocker"))
    m.contact(m.ground, il.plane(), bob, il.sphere(0.05), law=il.hunt_crossley(1e4, 1.0, 0.5),
              name="bump")  # fmt: skip
    return m


def test_anatomy_tells_what_belongs_where_and_follows_parameters(tmp_path: Any) -> None:
    plant = lever().compile()
    make_stage(plant.mechanism).save(tmp_path / "stage.json")
    stage = Stage.load(tmp_path / "stage.json")  # as another process gets it
    with il.start(plant, name=f"lever-{os.getpid()}", rate=1000.0, clock=il.ScriptedClock(),
                  priority=None, lock_memory=False) as loop:  # fmt: skip
        show = Show(stage, loop.mailbox.layout)
    bodies = {body["name"]: body for body in show.anatomy["bodies"]}
    names = list(bodies)
    crank, rocker = bodies["crank"], bodies["rocker"]
    assert (crank["joint"]["low"], crank["joint"]["high"]) == (-1.0, 2.5)
    assert rocker["joint"]["axis"] == [0.0, -1.0, 0.0] and rocker["joint"]["low"] is None
    of_ball = [body["joint"]["of_ball"] for body in bodies.values()]
    assert of_ball == [False, False, True, True, True]
    assert rocker["mass"] == 0.7 and rocker["com"] == pytest.approx([0.0, 0.0, 0.07])
    assert rocker["frames"] == [{"name": "tip", "p": [0.0, 0.0, 0.5]}]
    assert show.anatomy["loops"] == [
        {"name": "coupling_rod", "kind": "rod", "bodies": [0, 1], "joints": [0, 1]}
    ]
    assert show.anatomy["sensors"] == [{"name": "swing", "bodies": [1]}]
    assert show.anatomy["contacts"] == [{"name": "bump", "bodies": [-1, names.index("bob")]}]
    # another weight is told, and where its center of mass is then
    assert show.set_parameters({"weight": 1.5})
    rocker = show.anatomy["bodies"][1]
    assert rocker["mass"] == 1.5 and rocker["com"] == pytest.approx([0.0, 0.0, 0.15])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("allowed", [False, True])
def test_joints_of_plants_of_others_are_set_only_if_they_allow_it(
    start_studio: Any, allowed: bool
) -> None:
    plant = gallery.get("pendulum").build().compile()
    about = {"placing": "allowed"} if allowed else {}
    clock, name = il.ScriptedClock(), f"others-{os.getpid()}-{allowed}"

    async def act(studio: Any) -> None:
        async with studio.page() as page:
            assert ("place" in page.hello["can"]) == allowed
            assert not page.hello["plant"]["own"]
            await page.do("watch", signals=["angle.q"])
            if allowed:
                answer = page.coming("watched", lambda m: m["values"]["angle.q"] == 0.25)
            else:
                answer = page.coming("notice", lambda m: "another program started" in m["text"])
            await page.do("place", coordinate="angle", q=0.25)
            await answer
            assert loop.mailbox.peek()["angle.q"] == (0.25 if allowed else before)

    options = {"priority": None, "lock_memory": False, "stale_after": None}
    with il.start(plant, name=name, rate=1000.0, clock=clock, about=about, **options) as loop:
        before = loop.mailbox.peek()["angle.q"]
        loop.mailbox.pause()
        studio = start_studio("pendulum", "--attach", name)
        try:
            asyncio.run(act(studio))
        finally:
            studio.end()


@pytest.mark.parametrize(
    "words", ['{"do":"place","coordinate":"angle"}', '{"do":"place","coordinate":"a","q":1e999}',
              '{"do":"place","coordinate":"a","q":1,"keep_velocities":1}',
              '{"do":"watch","signals":"all"}'],
)  # fmt: skip
def test_requests_that_make_no_sense_are_refused(words: str) -> None:
    with pytest.raises(RequestError):
        read_request(words)
