"""URDF: what the file says is what the model has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il
from inloop.errors import InputError, ModelError
from inloop.io.load import load
from inloop.io.urdf.reader import UrdfData
from inloop.model import Mechanism, ModelBuilder, revolute


@pytest.fixture(scope="module")
def sorter(data: Path) -> Mechanism:
    return load(data / "sorter.urdf").build()


def rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    return Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix()


def one_link(joint: str = "", link: str = "") -> str:
    body = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    return f"""<robot name="r"><link name="a"/><link name="b">{link or body}</link>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/>{joint}</joint></robot>"""


def test_order_is_depth_first_and_names_are_those_of_the_file(sorter: Mechanism) -> None:
    assert sorter.name == "fruit_sorter"
    assert sorter.coordinates == (
        *("shoulder", "elbow", "slide"),
        *("rolling_t1", "rolling_t2", "rolling_r"),
        *("flying_tx", "flying_ty", "flying_tz", "flying_wx", "flying_wy", "flying_wz"),
    )
    assert [body.name for body in sorter.bodies[:3]] == ["left_arm", "_1stwrist", "plate"]
    assert [part.name for part in sorter.ground.parts] == ["ground", "table"]


def test_inertia_is_turned_into_link_axes(sorter: Mechanism) -> None:
    arm = sorter.body("left_arm")
    I = np.array([[0.0411, 0.0023, -0.0017], [0.0023, 0.0379, 0.0031], [-0.0017, 0.0031, 0.0127]])
    R = rpy(0.31, -0.47, 0.83)
    assert arm.mass == 3.17
    assert arm.com == (0.013, -0.021, 0.17)
    np.testing.assert_allclose(np.array(arm.inertia, dtype=float), R @ I @ R.T, atol=1e-16)


def test_joint_frames_axes_and_limits(sorter: Mechanism) -> None:
    shoulder, elbow, slide = (sorter.joint(name) for name in ("shoulder", "elbow", "slide"))
    np.testing.assert_allclose(shoulder.attachment.R_PJ, rpy(0.1, -0.3, 1.1), atol=1e-15)
    assert shoulder.attachment.p_PJ == (0.31, 0.22, 0.71)
    assert shoulder.joint.limits == (-1.7, 2.1)
    assert elbow.joint.limits is None
    np.testing.assert_allclose(elbow.joint.axis, np.array([0.3, -0.5, 0.8]) / np.sqrt(0.98))
    assert slide.joint.kind.name == "prismatic"
    assert slide.joint.axis == (1.0, 0.0, 0.0)


def test_a_planar_joint_moves_in_the_plane_and_turns_about_its_normal(sorter: Mechanism) -> None:
    first, second, turn = (sorter.joint(f"rolling_{name}").joint for name in ("t1", "t2", "r"))
    assert [first.kind.name, second.kind.name, turn.kind.name] == [
        "prismatic",
        "prismatic",
        "revolute",
    ]
    frame = np.array([first.axis, second.axis, turn.axis])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert np.linalg.norm(np.cross(turn.axis, (0.1, 0.2, 0.97))) == pytest.approx(0.0, abs=1e-15)
    # the normal is nearest to z, so the first direction is nearest to x
    assert first.axis[0] > 0.9


def test_a_floating_joint_translates_in_axes_of_its_parent_then_turns(data: Path) -> None:
    plant = load(data / "sorter.urdf", il.Model, mimic=False).compile(backend="python")
    p, attitude = np.array([0.3, -0.7, 0.2]), np.array([0.5, 0.6, -0.2, 0.3])
    q = plant.vector(ball=attitude, flying_tx=p[0], flying_ty=p[1], flying_tz=p[2], shoulder=0.4)
    p_WB, R_WB = plant.pose("ball", q)
    R_WJ = rpy(-0.4, 0.3, 0.2)
    turned = Rotation.from_quat(attitude[[1, 2, 3, 0]]).as_matrix()
    np.testing.assert_allclose(p_WB, np.array([0.5, -0.2, 1.1]) + R_WJ @ p, atol=1e-15)
    np.testing.assert_allclose(R_WB, R_WJ @ turned, atol=1e-15)


def test_shapes_that_are_not_found_are_told_by_name_and_line(sorter: Mechanism) -> None:
    (cylinder,) = sorter.body("left_arm").visuals
    assert (cylinder.shape.radius, cylinder.shape.length, cylinder.color) == (0.043, 0.37, None)
    (table,) = sorter.ground.visuals
    np.testing.assert_allclose(table.rotation, rpy(0.1, 0.2, 0.3), atol=1e-15)
    (note,) = [note for note in sorter.notes if "arm.stl" in note]
    assert "link 'left-arm': mesh 'package://sorter/meshes/arm.stl' is not read" in note
    assert "package 'sorter' is not found" in note and "sorter.urdf:" in note


def test_what_was_changed_or_left_out_is_told(sorter: Mechanism) -> None:
    notes = "\n".join(sorter.notes)
    for told in (
        "link 'left-arm' is called 'left_arm'",
        "link '1stwrist' is called '_1stwrist'",
        "joint 'slide' mimics 'elbow' (q = -0.03 * q + 0.01), by a constraint",
        "planar joint 'rolling' has the coordinates rolling_t1, rolling_t2, rolling_r",
        "floating joint 'flying' has the coordinates flying_tx, flying_ty, flying_tz, flying_wx",
        "friction of 1 joints is not applied",
        "not read: 1 'gazebo'",
        "body 'camera' merged into 'plate'",
    ):
        assert told in notes


def test_what_the_equations_do_not_use_is_kept(sorter: Mechanism) -> None:
    kept = sorter.metadata["urdf"]
    assert isinstance(kept, UrdfData)
    joints = {joint.name: joint for joint in kept.robot.joints}
    assert joints["slide"].mimic is not None and joints["slide"].mimic.joint == "elbow"
    assert (joints["shoulder"].effort, joints["shoulder"].velocity) == (87.0, 2.3)
    assert (joints["elbow"].damping, joints["elbow"].friction) == (0.37, 0.11)
    assert kept.bodies["1stwrist"] == "_1stwrist"
    assert kept.coordinates["mount"] == ()
    assert kept.coordinates["rolling"] == ("rolling_t1", "rolling_t2", "rolling_r")


def test_damping_and_friction_are_laws_if_they_are_applied(data: Path) -> None:
    sorter = load(data / "sorter.urdf", apply_dynamics=True).build()
    assert "friction" not in "\n".join(sorter.notes)
    assert {law.name: law.body for law in sorter.joint_forces} == {
        "shoulder_damping": 0,
        "elbow_damping": 1,
        "elbow_friction": 1,
    }
    without = load(data / "sorter.urdf").build()
    assert not without.joint_forces
    notes = "\n".join(without.notes)
    assert "damping of 2 joints is not applied" in notes
    assert "friction of 1 joints is not applied" in notes


@pytest.mark.parametrize(("base", "letter"), [("free", "w"), ("angles", "r")])
def test_a_free_base_has_the_name_of_the_root_link(data: Path, base: str, letter: str) -> None:
    sorter = load(data / "sorter.urdf", base=base).build()
    slides, turns = (tuple(f"table_{a}{axis}" for axis in "xyz") for a in ("t", letter))
    assert sorter.coordinates[:6] == (*slides, *turns)
    assert sorter.joint(f"table_{letter}z").name == "table"
    assert sorter.body("table").mass == 23.7
    names = [attitude.name for attitude in sorter.attitudes]
    assert names == (["table", "ball"] if base == "free" else ["ball"])


def test_a_root_without_mass_cannot_be_free(tmp_path: Path) -> None:
    """It could turn about the axis of the only joint on it, and nothing would resist."""
    path = tmp_path / "r.urdf"
    path.write_text(one_link())
    with pytest.raises(ModelError, match=r"link 'a': the root link has no mass.*base=\"fixed\""):
        load(path, base="free")
    heavy = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    path.write_text(one_link().replace('<link name="a"/>', f'<link name="a">{heavy}</link>'))
    load(path, base="free")


def test_a_base_that_is_not_known(data: Path) -> None:
    with pytest.raises(InputError, match=r"base = 'loose' is not known.*fixed, free, angles"):
        load(data / "sorter.urdf", base="loose")


def test_the_users_own_class_name_and_gravity(data: Path) -> None:
    class MyModel(ModelBuilder):
        pass

    model = load(data / "sorter.urdf", MyModel, name="mine", gravity=(1.0, 2.0, 3.0))
    assert type(model) is MyModel
    assert model.name == "mine"
    assert model.build().gravity == (1.0, 2.0, 3.0)


def test_a_loaded_model_can_be_extended(data: Path) -> None:
    model = load(data / "sorter.urdf")
    model.body("tool", on="camera", joint=revolute("x"), mass=0.3, inertia=(0.1, 0.2, 0.25))
    assert "tool" in model.build().coordinates


MASSLESS = """<robot name="r"><link name="a"/>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="c"/><link name="d"/><link name="e"/>
<joint name="ab" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="bc" type="continuous"><parent link="b"/><child link="c"/></joint>
<joint name="cd" type="fixed"><parent link="c"/><child link="d"/></joint>
<joint name="de" type="continuous"><parent link="d"/><child link="e"/></joint></robot>"""


def test_joints_that_move_no_mass_are_named_with_their_lines(written) -> None:
    path = written(MASSLESS)
    with pytest.raises(ModelError) as caught:
        load(path)
    assert [mistake.where for mistake in caught.value.mistakes] == [f"{path}:5", f"{path}:7"]
    assert "'bc' moves nothing" in str(caught.value)
    assert 'massless="lock"' in str(caught.value)


def test_joints_that_move_no_mass_can_be_locked_or_kept(written) -> None:
    locked = load(written(MASSLESS), massless="lock").build()
    assert locked.coordinates == ("ab",)
    assert "joint 'de' is locked: it moves no mass" in locked.notes
    assert load(written(MASSLESS), massless="keep").build().coordinates == ("ab", "bc", "de")
    with pytest.raises(InputError, match="error, lock, keep"):
        load(written(MASSLESS), massless="maybe")


def test_names_that_only_differ_in_odd_characters_stay_apart(written) -> None:
    links = "".join(f'<link name="{name}"/>' for name in ("a-b", "a_b", "a b", "ground", "int"))
    joints = "".join(
        f'<joint name="j{k}" type="fixed"><parent link="a-b"/><child link="{name}"/></joint>'
        for k, name in enumerate(("a_b", "a b", "ground", "int"))
    )
    parts = load(written(f'<robot name="r">{links}{joints}</robot>')).build().ground.parts
    names = [part.name for part in parts[1:]]
    assert names == ["a_b_2", "a_b", "a_b_3", "ground_2", "int_2"]


def test_long_names_are_cut(written) -> None:
    text = one_link().replace('"b"', f'"{"b" * 200}"').replace('"j"', f'"{"j" * 200}"')
    mechanism = load(written(text)).build()
    assert mechanism.coordinates == ("j" * 63,)


def test_rounded_right_angles_give_exact_zeros(written) -> None:
    path = written(one_link('<origin xyz="1 2 3" rpy="1.57079632679 0 -3.14159265359"/>'))
    R = np.array(load(path).build().bodies[0].attachment.R_PJ)
    assert set(np.abs(R).ravel()) == {0.0, 1.0}
    # 1.5708 is another angle, not a rounded one
    path = written(one_link('<origin rpy="1.5708 0 0"/>'))
    R = np.array(load(path).build().bodies[0].attachment.R_PJ)
    np.testing.assert_allclose(R, rpy(1.5708, 0.0, 0.0), atol=1e-16)


def test_limits_that_are_not_there(written) -> None:
    mechanism = load(written(one_link('<limit effort="1" velocity="1"/>'))).build()
    assert mechanism.bodies[0].joint.limits is None
    assert "revolute joint 'j' has no limits in the file" in mechanism.notes
    mechanism = load(written(one_link('<limit upper="inf" effort="1" velocity="1"/>'))).build()
    assert mechanism.bodies[0].joint.limits == (0.0, np.inf)
