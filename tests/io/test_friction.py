"""Dry friction of files sticks: an arm that its friction can carry stays where it is.

The arm is horizontal at 0 and falls to positive q. Bristles that give way by 1e-3 rad under the
whole friction hold its weight like a spring; sliding, friction is the same at every speed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import inloop as il

MASS, ARM, INERTIA = 2.3, 0.37, 0.041
ABOUT_AXIS = INERTIA + MASS * ARM**2
G = 9.81
WEIGHT = MASS * G * ARM  # moment of the arm where it is horizontal [N·m]

URDF = f"""<robot name="arm"><link name="base"/>
  <link name="rod"><inertial><origin xyz="{ARM} 0 0"/><mass value="{MASS}"/>
    <inertia ixx="{INERTIA}" iyy="{INERTIA}" izz="{INERTIA}"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="rod"/>
    <axis xyz="0 1 0"/><dynamics friction="FRICTION"/></joint></robot>"""
MJCF = f"""<mujoco><option gravity="0 0 -{G}"/><worldbody><body name="rod">
  <joint name="j" type="hinge" axis="0 1 0" frictionloss="FRICTION"/>
  <inertial pos="{ARM} 0 0" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>
  </body></worldbody></mujoco>"""
SDF = f"""<sdf version="1.9"><model name="arm"><link name="rod">
  <inertial><pose>{ARM} 0 0 0 0 0</pose><mass>{MASS}</mass><inertia><ixx>{INERTIA}</ixx>
  <iyy>{INERTIA}</iyy><izz>{INERTIA}</izz></inertia></inertial></link>
  <joint name="j" type="continuous"><parent>world</parent><child>rod</child>
    <axis><xyz>0 1 0</xyz><dynamics><friction>FRICTION</friction></dynamics></axis></joint>
  </model></sdf>"""
IN_FORCE = {
    "urdf": (URDF, {"apply_dynamics": True}),
    "mjcf": (MJCF, {"friction_deflection": 1e-3}),
    "sdf": (SDF, {"friction_deflection": 1e-3}),
}
Load = Callable[..., il.Model]


@pytest.fixture(params=IN_FORCE)
def load(request: pytest.FixtureRequest, tmp_path: Path) -> Load:
    text, options = IN_FORCE[request.param]

    def loaded(friction: float, in_force: bool = True, **more: object) -> il.Model:
        path = tmp_path / "arm.xml"
        path.write_text(text.replace("FRICTION", repr(friction)))
        gravity = {"gravity": (0.0, 0.0, -G)}
        return il.load(path, **(gravity | (options if in_force else {}) | more))

    return loaded


def test_an_arm_that_friction_carries_stays_for_good(load: Load) -> None:
    result = load(2.0 * WEIGHT).compile().simulate(t_end=20.0, step=1e-3)
    q = result["j.q"]
    # the spring of the bristles under half of what they carry
    assert q[-1] == pytest.approx(0.5e-3, rel=1e-6)
    assert np.ptp(q[len(q) // 2 :]) < 1e-12


def test_one_that_it_does_not_carry_falls(load: Load) -> None:
    result = load(0.5 * WEIGHT).compile().simulate(t_end=0.5, step=1e-3)
    assert result["j.q"][-1] > 0.5
    # friction takes its part of the weight's work, but for what bristles have not taken up at first
    q, qd = result["j.q"][-1], result["j.qd"][-1]
    kept = 0.5 * ABOUT_AXIS * qd**2
    assert kept == pytest.approx(WEIGHT * (np.sin(q) - 0.5 * q), abs=1e-3 * WEIGHT)


def test_sliding_friction_is_the_same_at_every_speed(load: Load) -> None:
    plant = load(0.6, gravity=(0.0, 0.0, 0.0)).compile()
    qd = plant.simulate(t_end=0.8, step=1e-3, qd={"j": 2.0})["j.qd"]
    assert qd[200] - qd[800] == pytest.approx(0.6 * 0.6 / ABOUT_AXIS, rel=1e-6)


def test_it_is_told_where_it_is_left_out(load: Load) -> None:
    mechanism = load(0.6, in_force=False).build()
    assert not mechanism.joint_forces
    assert any("is not applied" in note for note in mechanism.notes)


@pytest.mark.parametrize("deflection", [0.0, -1e-3, float("nan"), float("inf"), "1e-3"])
def test_deflections_that_make_no_sense(load: Load, deflection: object) -> None:
    with pytest.raises(il.InputError, match="friction_deflection"):
        load(0.6, friction_deflection=deflection)
