"""URDF: joints that follow others, transmissions, and files that are xacro still."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop.errors import FileFormatError, ModelError

BODY = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def gripper(
    mimic: str = '<mimic joint="a" multiplier="-0.4" offset="0.03"/>', more: str = ""
) -> str:
    joints = "".join(
        f'<joint name="{name}" type="prismatic"><parent link="base"/><child link="{name}_finger"/>'
        f'<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>{inner}</joint>'
        for name, inner in (("a", ""), ("b", mimic))
    )
    links = "".join(
        f'<link name="{name}_finger">{BODY.format(mass)}</link>'
        for name, mass in (("a", 2.3), ("b", 3.1))
    )
    return f'<robot name="gripper"><link name="base"/>{links}{joints}{more}</robot>'


def test_a_follower_moves_with_its_leader(written: Callable[[str], Path]) -> None:
    plant = il.load(written(gripper()), gravity=(1.7, 0, 0)).compile(backend="python")
    q, qd = plant.vector(a=0.2, b=-0.4 * 0.2 + 0.03), plant.vector(a=0.5, b=-0.2)
    tau = plant.vector(a=5.0, b=7.0)
    qdd = plant.direct_dynamics(q, qd, tau)
    # virtual work: b moves by -0.4 of a
    expected = (5.0 + 2.3 * 1.7 - 0.4 * (7.0 + 3.1 * 1.7)) / (2.3 + 0.4**2 * 3.1)
    np.testing.assert_allclose(qdd, [expected, -0.4 * expected], rtol=1e-12)


def test_followers_stay_independent_on_request(written: Callable[[str], Path]) -> None:
    mechanism = il.load(written(gripper()), mimic=False).build()
    assert not mechanism.constraints
    assert any("should mimic 'a'" in note and "independent" in note for note in mechanism.notes)


def test_who_follows_nobody_is_told(written: Callable[[str], Path]) -> None:
    mechanism = il.load(written(gripper('<mimic joint="nobody"/>'))).build()
    assert any("should mimic 'nobody'" in note for note in mechanism.notes)


def test_a_circle_is_refused(written: Callable[[str], Path]) -> None:
    with pytest.raises(ModelError, match="mimics itself"):
        il.load(written(gripper('<mimic joint="b"/>')))


def test_transmissions_are_kept_and_told(written: Callable[[str], Path]) -> None:
    transmission = """
    <transmission name="drive"><type>transmission_interface/SimpleTransmission</type>
      <joint name="a"><hardwareInterface>e</hardwareInterface></joint>
      <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator>
    </transmission>"""
    mechanism = il.load(written(gripper(more=transmission))).build()
    (kept,) = mechanism.metadata["urdf"].robot.transmissions
    assert (kept.name, kept.joints, kept.actuators) == ("drive", ("a",), (("motor", 50.0),))
    (note,) = [note for note in mechanism.notes if note.startswith("transmission")]
    assert "'motor' with 50" in note and "file.xml:2" in note


def test_what_is_not_read_inside_is_told(written: Callable[[str], Path]) -> None:
    text = gripper("<calibration rising='1'/><safety_controller k_velocity='1'/>")
    notes = "\n".join(il.load(written(text)).build().notes)
    assert "not read: <calibration> in <joint>" in notes
    assert "not read: <safety_controller> in <joint>" in notes


@pytest.mark.parametrize(
    "text",
    [
        '<robot name="r" xmlns:xacro="x"><xacro:include filename="a"/></robot>',
        '<robot name="r" xmlns:xacro="x"><link name="a"><xacro:box/></link></robot>',
        '<robot name="r"><link name="a"><visual><origin xyz="0 0 ${h}"/></visual></link></robot>',
    ],
)
def test_xacro_is_told_apart(written: Callable[[str], Path], text: str) -> None:
    with pytest.raises(FileFormatError, match=r"xacro file") as error:
        il.load(written(text))
    assert "xacro file.xacro > file.urdf" in error.value.mistakes[0].fix
