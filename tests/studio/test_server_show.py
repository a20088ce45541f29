"""What the page is shown of a mechanism, against other ways to compute it."""

from __future__ import annotations

import asyncio
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il
from inloop import gallery
from inloop.plant.drawn.poses import Poses, build_poses, quaternions
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.studio.drawing.scene import make_scene
from inloop.studio.drawing.stage import Stage, make_stage
from inloop.studio.plants.show import Show
from inloop.studio.plants.sources import Moment
from inloop.studio.studio_process import StudioProcess


def test_all_poses_at_once_are_those_of_the_sensors() -> None:
    plant = gallery.get("four_bar").build().compile()
    poses = Poses(build_poses(plant.mechanism))
    q = np.array([0.3, -1.1, 2.3, 0.7, -2.9])
    for length in (1.0, 1.7):
        plant.parameters["length"] = length
        poses.set_parameters(dict(plant.parameters))
        found = quaternions(poses.at(q))
        for k, body in enumerate(plant.mechanism.bodies):
            p_WB, R_WB = plant.pose(body.name, q)
            assert np.allclose(found[k, :3], p_WB, atol=1e-14)
            assert np.allclose(Rotation.from_quat(found[k, 3:]).as_matrix(), R_WB, atol=1e-14)


def test_half_turns_have_quaternions_too() -> None:
    turns = Rotation.from_rotvec(
        np.pi * np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0], [0, 0, 0]])
    )
    X = np.hstack([np.zeros((5, 3)), turns.as_matrix().reshape(5, 9)])
    found = Rotation.from_quat(quaternions(X)[:, 3:])
    assert np.allclose(found.as_matrix(), turns.as_matrix(), atol=1e-12)


@pytest.fixture(scope="module")
def ball() -> il.Plant:
    """A ball above a plane that is tilted on a body that is turned."""
    m = il.Model("ball_on_plate", gravity=(0.0, 0.0, -9.81))
    plate = m.body("plate", on=m.ground, joint=il.revolute("y"), mass=0.7, inertia=(0.1, 0.1, 0.1))
    floor = plate.frame("floor", (0.3, 0.1, 0.2), il.rpy(0.4, -0.2, 0.5))
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z"), mass=0.3)
    m.contact(floor, il.plane(), ball, il.sphere(0.05), law=il.power_law(900.0, 1.0), name="touch")
    return m.compile()


def test_a_contact_is_an_arrow_in_the_world(ball: il.Plant, tmp_path: Path) -> None:
    turn, depth, radius, stiffness = 0.35, 0.004, 0.05, 900.0
    # by hand: the plane's normal and a point of it in the world
    R_WB = Rotation.from_euler("y", turn).as_matrix()
    normal = R_WB @ Rotation.from_euler("xyz", (0.4, -0.2, 0.5)).as_matrix()[:, 2]
    origin = R_WB @ (0.3, 0.1, 0.2)
    # height of the ball on the z axis so that it is in the plane by the depth
    z = (normal @ origin + radius - depth) / normal[2]
    q = np.array([turn, z])
    outputs = ball.law_outputs(q, np.zeros(2))
    signals = tuple(Quantity(name) for name in outputs)
    coordinates = tuple(Quantity(name) for name in ball.coordinates)
    layout = Layout("ball_on_plate", coordinates, (), signals, (), (), 0, 1e-3)
    values = np.array([0.0, *q, 0.0, 0.0, *(float(y) for y in outputs.values())])
    path = tmp_path / "stage.json"
    make_stage(ball.mechanism).save(path)
    frame = Show(Stage.load(path), layout).frame(Moment(1, 0.0, 0.0, 0, "OK", 0, 1, values))
    (count,) = struct.unpack("<I", frame[24 + 2 * 28 : 28 + 2 * 28])
    arrow = np.frombuffer(frame, "<f4", 6, 28 + 2 * 28)
    assert count == 1
    assert np.allclose(arrow[3:], stiffness * depth * normal, rtol=1e-5)
    # half-way between the two surfaces
    assert np.allclose(arrow[:3], [0.0, 0.0, z] - (radius - depth / 2) * normal, atol=1e-6)
    # nothing touches
    values[2] += 0.1
    values[5:] = [float(y) for y in ball.law_outputs(values[1:3], np.zeros(2)).values()]
    frame = Show(Stage.load(path), layout).frame(Moment(1, 0.0, 0.0, 0, "OK", 0, 1, values))
    assert len(frame) == 24 + 2 * 28 + 4


@pytest.mark.long
def test_a_plant_of_somebody_else_is_shown_and_never_stopped(
    ball: il.Plant, studio: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `il.run(plant, studio=True)` does it, with the loop in this process."""
    monkeypatch.setenv("INLOOP_WITHOUT_STUDIO", "1")
    name = f"studio-attached-{os.getpid()}"
    options = {"rate": 500.0, "q": {"ball": 1.0}, "clock": il.ScriptedClock()}
    with (
        il.start(ball, name=name, **options) as loop,
        # framed: it tells its address to this program instead of printing it
        StudioProcess(name, ball.mechanism, browser=False, framed=True) as beside,
    ):
        address = beside.address

        async def act() -> None:
            async with studio.open_page(address, name) as page:
                assert [b["name"] for b in page.hello["scene"]["bodies"]] == ["plate", "ball"]
                assert "choose" not in page.hello["can"] and not page.hello["menu"]
                refused = page.coming("notice")
                await page.do("choose", name="pendulum")
                assert "by another program" in (await refused)["text"]
                await page.do("pause")
                await page.text("state", lambda m: m["state"] == "paused")

        asyncio.run(act())
        beside.close()
        assert beside.ended and loop.running and loop.mailbox.state.name == "PAUSED"


def test_shapes_of_a_urdf_file_are_drawn(tmp_path: Path) -> None:
    quarter = np.pi / 2
    path = tmp_path / "arm.urdf"
    path.write_text(f"""<robot name="arm"><link name="base"/><link name="upper">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0.1 0 0.2" rpy="0 {quarter} 0"/>
    <geometry><box size="0.4 0.1 0.2"/></geometry></visual>
    <visual><origin xyz="0 0 0.4" rpy="{quarter} 0 0"/>
    <geometry><cylinder radius="0.05" length="0.3"/></geometry></visual></link>
    <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/></joint></robot>""")
    stage = make_stage(il.load(path).build())
    assert stage.sketch is not None and stage.library is not None
    scene = make_scene(stage.sketch, Poses(stage.library))
    box, cylinder = scene["bodies"][0]["shapes"]
    # turned by a quarter about y: what was long in x is long in z
    assert box["shape"]["size"] == [0.4, 0.1, 0.2] and box["position"] == [0.1, 0.0, 0.2]
    assert np.allclose(np.abs(np.array(box["rotation"]) @ (0.4, 0.1, 0.2)), (0.2, 0.1, 0.4))
    turned = np.array(cylinder["rotation"]) @ cylinder["shape"]["axis"]
    assert np.allclose(np.abs(turned), (0.0, 1.0, 0.0)) and cylinder["shape"]["length"] == 0.3
    # the view begins with all that is seen; the page widens it
    low, high = np.array([scene["bounds"]["min"], scene["bounds"]["max"]])
    assert np.all(low <= (0.0, -0.15, 0.0)) and np.all(high >= (0.2, 0.15, 0.45))
