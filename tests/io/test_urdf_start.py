"""Robots from files start as a person expects: in a pose of theirs, held, within their limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop.io.urdf.joints import neutral
from inloop.plant.quantities.inputs_outputs import input_quantities
from inloop.studio.plants.inputs import Inputs

Write = Callable[[str | bytes], Path]
G = 9.81
# an arm of one link on a horizontal axis y: mass, distance of its center, inertia there
MASS, ARM, INERTIA = 2.3, 0.37, 0.041
ABOUT_AXIS = INERTIA + MASS * ARM**2
OMEGA = 60.0  # of hold and stops, as docs/files.md tells [rad/s]


def link(name: str, mass: float = MASS, x: float = ARM, inertia: float = INERTIA) -> str:
    return f"""<link name="{name}"><inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/>
      <inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}"/></inertial></link>"""


def joint(name: str, parent: str, child: str, inside: str = "", kind: str = "revolute") -> str:
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
      <origin xyz="0.29 0.03 0.11"/>{inside}</joint>"""


def arm(inside: str = "") -> str:
    """q turns about y, so that it is positive downwards; horizontal at 0."""
    turning = joint("j", "base", "rod", f'<axis xyz="0 1 0"/>{inside}')
    return f'<robot name="arm"><link name="base"/>{link("rod")}{turning}</robot>'


LIFT = '<axis xyz="0.2 1 0.1"/><limit lower="0.3" upper="1.1"/>'
GRIP = '<axis xyz="0 0.3 1"/><limit lower="-1" upper="1"/>'
TWIN = '<axis xyz="0 0.1 -1"/><mimic joint="grip" multiplier="-0.7" offset="0.013"/>'
GRIPPER = f"""<robot name="gripper">
  {link("trunk", 5.1, 0.02)}
  {link("upper")}
  {link("left", 0.31, 0.05, 0.002)}
  {link("right", 0.23, 0.04, 0.003)}
  {joint("lift", "trunk", "upper", LIFT)}
  {joint("grip", "upper", "left", GRIP, "prismatic")}
  {joint("twin", "upper", "right", TWIN, "prismatic")}
</robot>"""


@pytest.mark.parametrize(
    ("limits", "start"),
    [
        (None, None),
        ((-0.4, 1.0), None),
        ((0.0, 1.0), None),
        ((0.4, 1.0), 0.7),
        ((-3.1, -0.1), -1.6),
        ((0.4, math.inf), 0.4),
        ((-math.inf, -0.2), -0.2),
    ],
)
def test_a_joint_that_cannot_start_at_zero_starts_in_the_middle(
    limits: tuple[float, float] | None, start: float | None
) -> None:
    assert neutral(limits) == (None if start is None else pytest.approx(start, rel=1e-15))


def test_a_pose_may_be_given(written: Write) -> None:
    path = written(GRIPPER)
    assert il.load(path).build().first_q[0] == pytest.approx(0.7)
    given = il.load(path, base="free", q={"lift": 0.9, "trunk": (0, 0, 3, 4), "trunk_tz": 1.2})
    plant = given.compile()
    start = dict(zip(plant.positions, plant.simulate(t_end=1e-3).q[0], strict=True))
    assert start["lift"] == 0.9 and start["trunk_tz"] == 1.2
    found = [start[f"trunk.q{axis}"] for axis in "wxyz"]
    np.testing.assert_allclose(found, (0.0, 0.0, 0.6, 0.8), atol=1e-15)
    # the one that follows starts where it must
    assert start["twin"] == pytest.approx(0.013 - 0.7 * start["grip"], abs=1e-12)


@pytest.mark.parametrize(
    ("q", "told"),
    [
        ({"lfit": 0.5}, "no coordinate 'lfit'.*lift"),
        ({"lift": 0.2}, r"'lift' = 0.2 is outside its limits \(0.3, 1.1\)"),
        ({"lift": (1, 0, 0, 0)}, "Give one number"),
        ({"grip": math.nan}, "'grip' is 'nan'"),
        ({"trunk": 0.3}, "no quaternion"),
        ({"trunk": (0, 0, 0, 0)}, "no quaternion"),
        (0.3, "q is '0.3'"),
    ],
)
def test_a_pose_that_makes_no_sense_is_refused(written: Write, q: object, told: str) -> None:
    with pytest.raises(il.InputError, match=f"(?s){told}"):
        il.load(written(GRIPPER), base="free", q=q)  # type: ignore[arg-type]


def test_a_held_robot_stays_whatever_it_carries(written: Write) -> None:
    plant = il.load(written(GRIPPER), held=True, stops=True, q={"grip": 0.21}).compile()
    result = plant.simulate(t_end=1.0, step=1e-3)
    assert (result.method, result.notes) == ("rk4", ())  # nothing in it is stiff
    moved = np.abs(result.q - result.q[0]).max(axis=0)
    assert result.q[0][1] == 0.21 and np.all(moved < 1e-9)
    plant.parameters["hold"] = 0.0
    fallen = plant.simulate(t_end=0.2, step=1e-3)
    assert np.all(np.abs(fallen.q[-1] - fallen.q[0]) > 0.01)


@pytest.mark.parametrize("friction", [0.0, 0.4, 60.0])  # its weight asks for 8.3 N·m
def test_a_held_robot_stays_with_friction_that_sticks(written: Write, friction: float) -> None:
    """What is held needs no friction, whether it could carry the arm or not."""
    worn = arm(f'<dynamics damping="0.3" friction="{friction}"/>')
    plant = il.load(written(worn), held=True, stops=True, apply_dynamics=True).compile()
    q = plant.simulate(t_end=0.5, step=1e-3).q
    assert np.abs(q - q[0]).max() < 1e-9


def test_the_hold_is_a_spring_with_two_equal_poles(written: Write) -> None:
    """At 0 the arm is horizontal: its weight has a moment, but no stiffness."""
    plant = il.load(written(arm()), held=True).compile()
    poles = np.linalg.eigvals(plant.linearize().A)
    # equal roots are found to the root of the precision
    np.testing.assert_allclose(poles, (-OMEGA, -OMEGA), rtol=1e-6)
    pushed = plant.simulate(t_end=1.0, tau={"j": 1.7}).q[-1][0]
    # OMEGA² I q = tau - m g a (1 - cos q)
    weight = MASS * G * ARM * (1.0 - math.cos(pushed))
    assert OMEGA**2 * ABOUT_AXIS * pushed == pytest.approx(1.7 - weight, rel=1e-9)
    assert pushed > 1e-3


def test_what_is_let_go_falls(written: Write) -> None:
    plant = il.load(written(arm()), held=True).compile()
    plant.parameters["hold"] = 0.0
    qdd = plant.direct_dynamics([0.0], [0.0], [0.0])
    assert qdd[0] == pytest.approx(MASS * G * ARM / ABOUT_AXIS, rel=1e-12)


def test_joints_are_held_on_a_base_that_falls(written: Write) -> None:
    plant = il.load(written(GRIPPER), base="free", held=True).compile()
    result = plant.simulate(t_end=0.5, step=1e-3)
    names = list(plant.coordinates)
    for name in ("lift", "grip", "twin"):
        assert np.ptp(result.q[:, names.index(name)]) < 1e-9
    assert result["trunk_tz.q"][-1] == pytest.approx(-G * 0.5**2 / 2, rel=1e-9)


def test_limits_are_elastic_stops(written: Write) -> None:
    limits = '<limit lower="-0.2" upper="0.3" effort="12" velocity="1"/><dynamics damping="0.4"/>'
    plant = il.load(written(arm(limits)), stops=True, apply_dynamics=True).compile()
    q = plant.simulate(t_end=10.0, step=1e-3).q[:, 0]
    # at rest the stop carries the weight: OMEGA² I (q - 0.3) = m g a cos q
    carried = MASS * G * ARM * math.cos(q[-1])
    assert OMEGA**2 * ABOUT_AXIS * (q[-1] - 0.3) == pytest.approx(carried, rel=1e-6)
    # what falls from 0 brings at most this energy into the spring
    deepest = q.max() - 0.3
    assert 0.5 * OMEGA**2 * ABOUT_AXIS * deepest**2 < MASS * G * ARM * math.sin(q.max())
    assert deepest > 2e-3


@pytest.mark.parametrize(("effort", "most"), [("12.5", 12.5), ("0", math.inf)])
def test_inputs_have_the_range_of_the_drives(written: Write, effort: str, most: float) -> None:
    path = written(arm(f'<limit lower="-1" upper="1" effort="{effort}" velocity="1"/>'))
    plant = il.load(path).compile()
    (tau,) = input_quantities({plant.name: plant})
    assert (tau.name, tau.least, tau.most) == ("j.tau", -most, most)


def test_a_hand_in_the_studio_is_kept_in_that_range(written: Write) -> None:
    path = written(arm('<limit lower="-1" upper="1" effort="12.5" velocity="1"/>'))
    plant = il.load(path).compile()
    with (
        il.start(plant, name="ranged_arm", rate=1000, clock=il.ScriptedClock()),
        il.attach("ranged_arm") as box,
    ):
        assert Inputs(box, None).limits.range_of(0) == (-12.5, 12.5)


def test_what_is_added_is_noted(written: Write) -> None:
    notes = "\n".join(il.load(written(GRIPPER), held=True, stops=True).build().notes)
    assert "2 joints have elastic stops" in notes and "'hold' = 0 releases them" in notes


def test_other_files_are_not_held(written: Write) -> None:
    path = written(
        '<mujoco><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    with pytest.raises(il.InputError, match="not from a URDF file"):
        il.load(path, held=True)
