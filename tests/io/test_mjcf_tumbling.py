"""Ball and free joints of MJCF: names, order, start and springs are those of MuJoCo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mujoco_oracle import order_of

import inloop as il

AGREEMENT = 1e-9
BALL = '<geom size=".11" pos=".03 .02 -.04"/><geom type="box" size=".05 .07 .31" pos=".1 .2 .1"/>'


@pytest.fixture(autouse=True)
def log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings into a file where it runs."""
    monkeypatch.chdir(tmp_path)


def model(bodies: str, before: str = "", after: str = "") -> str:
    return f'<mujoco model="m">{before}<worldbody>{bodies}</worldbody>{after}</mujoco>'


def test_a_ball_joint_on_a_moving_body(written: Callable, disagreement: Callable) -> None:
    joint = '<joint type="ball" pos=".1 0 .2" damping=".3" stiffness="5" armature=".2"/>'
    inner = f'<body pos=".3 0 .1" euler="10 20 30">{joint}{BALL}</body>'
    text = model(f'<body><joint axis="0 1 .2" damping=".1"/>{BALL}{inner}</body>')
    assert disagreement(written(text)) < AGREEMENT


def test_a_keyframe_of_velocities_alone_starts_as_written(written: Callable) -> None:
    bodies = (
        f'<body pos="1 2 3" euler="10 20 30"><freejoint/>{BALL}</body>'
        f'<body><joint type="ball"/>{BALL}<body><joint ref="20"/>{BALL}</body></body>'
    )
    rates = " ".join(map(str, range(1, 11)))
    path = written(model(bodies, after=f'<keyframe><key qvel="{rates}"/></keyframe>'))
    theirs = mujoco.MjModel.from_xml_path(str(path))
    plant = il.load(path, keyframe="key0").compile(backend="python")
    of_q, of_qd = order_of(plant)
    np.testing.assert_allclose(np.array(plant.mechanism.first_q)[of_q], theirs.qpos0, atol=1e-15)
    np.testing.assert_array_equal(np.array(plant.mechanism.first_qd)[of_qd], np.arange(1, 11))


def test_ball_and_free_joints_start_where_mujoco_has_them(written: Callable) -> None:
    """Names, order and values of q are those of `qpos0`, quaternions at the end."""
    bodies = (
        f'<body name="hull" pos="1 2 3" quat=".5 .6 -.2 .3"><joint name="root" type="free"/>{BALL}'
        f'<body name="arm"><joint type="ball" range="0 40"/>{BALL}</body></body>'
    )
    path = written(model(bodies))
    mechanism = il.load(path).build()
    assert mechanism.coordinates == (
        *("root_tx", "root_ty", "root_tz", "root_wx", "root_wy", "root_wz"),
        *("arm_wx", "arm_wy", "arm_wz"),
    )
    assert mechanism.positions[9:] == tuple(
        f"{body}.q{part}" for body in ("hull", "arm") for part in "wxyz"
    )
    qpos0 = mujoco.MjModel.from_xml_path(str(path)).qpos0
    q = np.array(mechanism.first_q)
    np.testing.assert_allclose(q[[0, 1, 2, 9, 10, 11, 12]], qpos0[:7], atol=1e-15)
    np.testing.assert_allclose(q[13:], qpos0[7:], atol=1e-15)
    assert any("range of ball joints is not read (file" in _short(n) for n in mechanism.notes)


def _short(note: str) -> str:
    """A note without folders."""
    return note.replace(str(Path.cwd()) + "/", "")


def test_friction_of_a_ball_joint(written: Callable) -> None:
    """Each turn rate has its own, as each velocity of MuJoCo has."""
    body = f'<body name="b"><joint name="j" type="ball" frictionloss=".3"/>{BALL}</body>'
    laws = il.load(written(model(body)), friction_deflection=1e-3).build().joint_forces
    assert [law.name for law in laws] == [f"j_w{axis}_friction" for axis in "xyz"]


@pytest.mark.parametrize("turn", [0.0, 1e-9])
def test_a_ball_joint_on_its_spring_near_rest(written: Callable, turn: float) -> None:
    """Where the spring is relaxed, axis and length of its turn are not; -k / I is."""
    inertial = '<inertial pos="0 0 0" mass="2" diaginertia=".2 .3 .4"/>'
    body = f'<body name="b"><joint type="ball" stiffness="7"/>{inertial}</body>'
    plant = il.load(written(model(body, '<option gravity="0 0 0"/>'))).compile()
    still = np.zeros(3)
    q = plant.vector(b=(1.0, turn / 2.0, 0.0, 0.0))
    found = plant.direct_dynamics_derivatives(q, still, still)["dqdd_dq"]
    k = np.array([7.0 / 0.2, 7.0 / 0.3, 7.0 / 0.4])
    np.testing.assert_allclose(found, -np.diag(k), atol=1e-6)
    np.testing.assert_allclose(plant.direct_dynamics(q, still, still), [-k[0] * turn, 0, 0])
