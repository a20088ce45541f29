"""Bodies that tumble, in every host: real time, recordings, exported C, modes, sensors, studio."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il
from inloop.plant.drawn.poses import Poses, build_poses
from inloop.realtime import Recording, record, replay

STEP = 1e-3


def thrown() -> il.Model:
    """A box with an arm on a ball joint, thrown up, tumbling."""
    m = il.Model("thrown")
    box = m.body(
        "box", on=m.ground,
        joint=il.free(position=(0, 0, 1.0), velocity=(0.4, 0, 2.0), rate=(0.5, 3.0, 0.1)),
        mass=2.0, com=(0.02, 0.0, -0.01), inertia=(0.02, 0.03, 0.01),
    )  # fmt: skip
    arm = m.body(
        "arm", on=box.point("shoulder", (0.1, 0, 0)),
        joint=il.ball(initial=(0.9, 0.1, -0.3, 0.2), rate=(0, 1.0, 0)), mass=0.3,
        com=(0, 0, -0.2), inertia=(0.002, 0.003, 0.001),
    )  # fmt: skip
    m.sensor("imu", il.sensors.imu(box))
    m.sensor("turned", il.sensors.orientation(arm))
    return m


@cache
def plant() -> il.Plant:
    return thrown().compile()


@cache
def simulated() -> il.Result:
    return plant().simulate(t_end=0.2, step=STEP, method="rk4")


def test_names_and_start() -> None:
    found = simulated()
    assert plant().positions[-8:] == tuple(f"{b}.q{c}" for b in ("box", "arm") for c in "wxyz")
    assert plant().coordinates[3:6] == ("box_wx", "box_wy", "box_wz")
    first = np.array([0.9, 0.1, -0.3, 0.2]) / np.linalg.norm([0.9, 0.1, -0.3, 0.2])
    np.testing.assert_allclose(found.q[0, -4:], first, rtol=1e-15)
    np.testing.assert_array_equal(found["arm.qx"], found.q[:, -3])
    assert found["box_wy.qd"][0] == 3.0
    # the turn about an axis counts its velocity
    by_hand = np.trapezoid(found["box_wy.qd"], found.t)
    assert found["box_wy.q"][-1] == pytest.approx(by_hand, abs=1e-6)


def test_sensors() -> None:
    """Orientation of the arm in the world; an IMU in free fall feels the motion about it alone."""
    found = simulated()
    box, arm = (
        Rotation.from_quat(np.stack([found[f"{b}.q{c}"] for c in "xyzw"], axis=1))
        for b in ("box", "arm")
    )
    told = Rotation.from_quat(np.stack([found[f"turned.{c}"] for c in "xyzw"], axis=1))
    assert ((box * arm).inv() * told).magnitude().max() < 1e-12
    rates = np.stack([found[f"imu.gyro.{c}"] for c in "xyz"], axis=1)
    np.testing.assert_allclose(rates, found.qd[:, 3:6], atol=1e-14)


def test_the_loop_gives_the_same_bits_and_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    name = f"test-tumbling-{os.getpid()}"
    options = {"rate": 1000, "seconds": 0.2, "method": "rk4", "clock": il.ScriptedClock()}
    with il.start(plant(), name=name, **options) as loop, il.attach(name) as box:
        loop.clock.advance(0.2)
        loop.wait()
        record(box, path)
        last = box.read()
        for signal in ("box.qw", "box.qz", "arm.qx", "arm_wz.qd", "imu.accel.y"):
            assert last[signal] == simulated()[signal][-1]
    assert replay(Recording(path), plant()).identical


@pytest.mark.long
def test_exported_c_gives_the_same_bits(
    tmp_path: Path, make: Callable[..., Path], shipped_flags: None
) -> None:
    tumbling = thrown().compile()
    tumbling.export_c(tmp_path, method="rk4", t_end=0.05, step=STEP)
    done = subprocess.run([make(tmp_path)], capture_output=True, text=True, check=True)
    head, *_, last = done.stdout.splitlines()
    printed = dict(zip(head.split(","), map(float, last.split(",")), strict=True))
    found = tumbling.simulate(t_end=0.05, step=STEP, method="rk4")
    for signal in ("box.qw", "box.qz", "arm.qx", "arm_wz.qd"):
        assert printed[signal] == found[signal][-1]


def test_the_picture_is_where_the_body_is() -> None:
    poses = Poses(build_poses(plant().mechanism))
    q = simulated().q[150]
    X = poses.at(q)
    box = Rotation.from_quat(np.roll(q[9:13], -1))
    np.testing.assert_allclose(X[5, 3:].reshape(3, 3), box.as_matrix(), atol=1e-14)
    np.testing.assert_allclose(X[5, :3], q[:3], atol=1e-15)
    shoulder = q[:3] + box.apply([0.1, 0, 0])
    np.testing.assert_allclose(X[8, :3], shoulder, atol=1e-14)


def test_many_starts_by_quaternions() -> None:
    starts = np.array([[1.0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], [0.1, -0.7, 0.2, 0.3]])
    many = plant().simulate_many(t_end=0.1, step=STEP, q={"box": starts}, method="rk4")
    for k, start in enumerate(starts):
        alone = plant().simulate(t_end=0.1, step=STEP, q={"box": start}, method="rk4")
        for signal in ("box.qy", "arm.qw", "arm_wx.qd"):
            assert many[signal][k, -1] == alone[signal][-1]


def test_modes_and_impacts() -> None:
    """A ball with spin drops on a floor that holds its height for an instant."""
    m = il.Model("spinning_ball")
    joint = il.free(position=(0, 0, 1.0), velocity=(0.5, 0, 0), rate=(0.3, 4.0, -2.0))
    m.body("ball", on=m.ground, joint=joint, mass=0.5, inertia=(0.001, 0.001, 0.001))
    flight, hold = m.mode("flight"), m.mode("hold")
    with m.during(hold):
        m.lock("ball_tz")
    m.event("bounce", lambda q: q["ball_tz"], mode=flight, to=flight, impact=hold, restitution=0.8)
    found = m.compile().simulate(t_end=1.0, step=STEP, method="rk4")
    fall = np.sqrt(2.0 / 9.81)
    assert found.events[0].t == pytest.approx(fall, abs=1e-9)
    assert found.events[0].energy_lost == pytest.approx((1 - 0.64) * 0.5 * 9.81, rel=1e-9)
    # nothing turns a ball with equal moments of inertia: it goes on about the same axis
    om = np.array([0.3, 4.0, -2.0])
    turned = Rotation.from_quat(np.stack([found[f"ball.q{c}"] for c in "xyzw"], axis=1))
    expected = Rotation.from_rotvec(np.outer(found.t, om))
    assert (turned.inv() * expected).magnitude().max() < 1e-9
    np.testing.assert_allclose(found["ball_wy.qd"], 4.0, atol=1e-12)


def test_driven_turns() -> None:
    """A driven turn prescribes the rate about an axis of the body; its torque is an output."""
    m = il.Model("driven", gravity=(0, 0, 0))
    m.body("wheel", on=m.ground, joint=il.ball(), mass=1.0, inertia=(0.3, 0.2, 0.1))
    for axis in "xyz":
        m.drive(f"wheel_w{axis}")
    rates = {"wheel_wx": lambda t: 0.4 * t, "wheel_wy": lambda t: 2.0 * t, "wheel_wz": lambda t: t}
    found = m.compile().simulate(t_end=1.0, step=STEP, **rates)
    om = np.array([0.4, 2.0, 1.0])
    turned = Rotation.from_quat(np.stack([found[f"wheel.q{c}"] for c in "xyzw"], axis=1))
    assert (turned.inv() * Rotation.from_rotvec(np.outer(found.t, om))).magnitude().max() < 1e-9
    # om × I om
    torque = np.cross(om, np.array([0.3, 0.2, 0.1]) * om)
    for axis, expected in zip("xyz", torque, strict=True):
        np.testing.assert_allclose(found[f"wheel_w{axis}.effort"], expected, atol=1e-12)


@pytest.mark.parametrize("method", ["rk4", "euler", "dopri", "implicit"])
def test_a_continued_run_has_the_same_bits(method: str) -> None:
    options = {"step": STEP, "method": method}
    first = plant().simulate(t_end=0.1, **options)
    second = plant().simulate(t_end=0.2, start=first, **options)
    whole = plant().simulate(t_end=0.2, **options)
    np.testing.assert_array_equal(second.q[-1], whole.q[-1])
    np.testing.assert_array_equal(second.qd[-1], whole.qd[-1])


def test_saved_results_have_their_attitudes(tmp_path: Path) -> None:
    for ending in ("npz", "csv"):
        found = il.read(simulated().save(tmp_path / f"run.{ending}"))
        np.testing.assert_array_equal(found.q, simulated().q)
