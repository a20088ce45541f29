"""SDF: the same mechanism written for Gazebo and for MuJoCo moves alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest

import inloop as il
from inloop.errors import FileFormatError

ARM = (Path(__file__).parent / "data" / "arm.sdf").read_text()


def rpy(r: float, p: float, y: float) -> np.ndarray:
    R = np.eye(3)
    for axis, angle in ((2, y), (1, p), (0, r)):
        c, s = np.cos(angle), np.sin(angle)
        turn = np.eye(3)
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        turn[i, i] = turn[j, j] = c
        turn[i, j], turn[j, i] = -s, s
        R = R @ turn
    return R


def pose(values: str) -> np.ndarray:
    x = list(map(float, values.split()))
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rpy(*x[3:]), x[:3]
    return X


def place(item, X: np.ndarray) -> None:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, X[:3, :3].flatten())
    item.pos, item.quat = X[:3, 3], quaternion


def weigh(body, mass: float, X: np.ndarray, I: np.ndarray) -> None:
    R = X[:3, :3]
    full = R @ I @ R.T
    body.explicitinertial = True
    body.mass, body.ipos = mass, X[:3, 3]
    body.fullinertia = [full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]]


def mujoco_arm() -> mujoco.MjModel:
    """The same arm, its poses multiplied out with MuJoCo's own quaternions."""
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.3, -0.2, -9.7]
    spec.compiler.degree = False

    X_WM = pose("0.1 0.2 0.3 0 0 0.4")
    X_MU = pose("0.2 -0.1 0.5 0.3 -0.2 0.1")
    upper = spec.worldbody.add_body(name="upper")
    place(upper, X_WM @ X_MU)
    I = np.array([[0.041, 0.002, -0.001], [0.002, 0.037, 0.003], [-0.001, 0.003, 0.012]])
    weigh(upper, 2.3, pose("0.05 0.02 0.21 0.2 0.1 -0.3"), I)
    X_UJ = pose("0.01 0.02 -0.05 0 0.3 0")
    shoulder = upper.add_joint(name="shoulder", pos=X_UJ[:3, 3], axis=X_UJ[:3, :3] @ [0.2, 1, 0.1])
    shoulder.damping[0], shoulder.stiffness[0], shoulder.springref = 0.4, 3.0, 0.2
    X_UE = pose("0.02 0.01 0.44 0.1 0.5 0")
    X_EF = pose("0.03 0.04 -0.02 0 0 0.6")
    fore = upper.add_body(name="fore")
    place(fore, X_UE @ X_EF)
    fore.gravcomp = 1.0
    weigh(fore, 1.1, pose("0.01 -0.03 0.15 0 0 0"), np.diag([0.021, 0.019, 0.004]))
    X_MF = X_MU @ X_UE @ X_EF
    fore.add_joint(name="bend", pos=np.linalg.inv(X_EF)[:3, 3], axis=X_MF[:3, :3].T @ [1, 0.2, 0])
    slider = fore.add_body(name="slider")
    place(slider, pose("0.1 0 0.3 0.2 0 0"))
    weigh(slider, 0.7, np.eye(4), np.diag([0.002, 0.003, 0.004]))
    slider.add_joint(name="slide", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0.1, 0.3, 1])
    return spec.compile()


def test_an_arm_moves_as_in_mujoco(written: Callable[[str], Path]) -> None:
    plant = il.load(written(ARM)).compile(backend="python")
    assert plant.coordinates == ("shoulder", "bend", "slide")
    model = mujoco_arm()
    data = mujoco.MjData(model)
    rng = np.random.default_rng(3)
    for _ in range(4):
        data.qpos[:], data.qvel[:] = q, qd = rng.uniform(-1.0, 1.0, (2, 3))
        mujoco.mj_forward(model, data)
        qdd = plant.direct_dynamics(q, qd, np.zeros(3))
        np.testing.assert_allclose(qdd, data.qacc, rtol=1e-9)


def test_what_is_not_read_is_told_by_line(written: Callable[[str], Path]) -> None:
    notes = "\n".join(il.load(written(ARM)).build().notes)
    for told in (
        "not read: <physics> in <world>",
        "not read: <plugin> in <model>",
        "not read: <effort> in <limit>",
        "<heightmap> is not drawn",
        "collision shapes are not read: contacts are not simulated",
    ):
        assert told in notes
    assert "file.xml:2)" in notes


def test_a_loop_becomes_a_cut_and_a_loose_link_floats(written: Callable[[str], Path]) -> None:
    inertial = "<inertial><mass>1</mass></inertial>"
    links = "".join(
        f'<link name="{name}"><pose>{x} 0 {z} 0 0 0</pose>{inertial}</link>'
        for name, x, z in (("a", 0, 0), ("b", 0, 1), ("c", 2, 0), ("loose", 5, 1))
    )
    joints = "".join(
        f'<joint name="{name}" type="revolute"><pose>{pose}</pose><parent>{parent}</parent>'
        f"<child>{child}</child><axis><xyz>0 1 0</xyz></axis></joint>"
        for name, parent, child, pose in (
            ("j1", "world", "a", "0 0 0 0 0 0"),
            ("j2", "a", "b", "0 0 0 0 0 0"),
            ("j3", "world", "c", "0 0 0 0 0 0"),
            ("j4", "b", "c", "0 0 1.5 0 0 0"),
        )
    )
    text = f'<sdf version="1.7"><model name="four_bar">{links}{joints}</model></sdf>'
    mechanism = il.load(written(text)).build()
    assert [loop.name for loop in mechanism.loops] == ["j4"]
    assert mechanism.coordinates[-6:] == tuple(
        f"loose_{axis}" for axis in ("tx", "ty", "tz", "wx", "wy", "wz")
    )


BALLS = """<sdf version="1.7"><model name="m"><pose>0.3 -0.2 0.5 0.4 0.2 -0.3</pose>
<link name="hull"><pose>0.1 0.2 -0.1 0.3 -0.6 0.2</pose><inertial><pose>0.1 0.05 -0.02 0 0 0</pose>
<mass>3.1</mass><inertia><ixx>0.21</ixx><iyy>0.31</iyy><izz>0.27</izz></inertia></inertial></link>
<link name="arm"><pose>0.4 0.1 0.3 -0.2 0.5 0.7</pose><inertial><pose>0 0.1 0.2 0 0 0</pose>
<mass>1.7</mass><inertia><ixx>0.05</ixx><iyy>0.06</iyy><izz>0.03</izz></inertia></inertial></link>
<joint name="hip" type="ball"><pose>0.02 -0.05 -0.1 0.1 0.2 0.3</pose><parent>hull</parent>
<child>arm</child><axis><xyz>0 0 1</xyz></axis></joint>
<link name="hand"><pose>0.5 -0.1 0.6 0.3 0.1 -0.4</pose><inertial><pose>0.03 0 0.1 0 0 0</pose>
<mass>0.9</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.01</izz></inertia></inertial></link>
<joint name="wrist" type="universal"><pose>0.01 0.02 -0.03 0.2 -0.1 0.5</pose><parent>arm</parent>
<child>hand</child><axis><xyz>1 0.2 0</xyz></axis><axis2><xyz>-0.1 1 0.3</xyz></axis2></joint>
</model></sdf>"""


def test_a_floating_hull_with_ball_and_universal_joints_moves_as_in_mujoco(
    written: Callable[[str], Path],
) -> None:
    model = il.load(written(BALLS))
    plant = model.compile(backend="python")
    assert plant.positions[11:15] == ("hull.qw", "hull.qx", "hull.qy", "hull.qz")
    assert any("<axis> of ball joint 'hip'" in note for note in model.build().notes)
    spec = mujoco.MjSpec()
    spec.option.gravity = [0, 0, -9.8]
    X_WH = pose("0.3 -0.2 0.5 0.4 0.2 -0.3") @ pose("0.1 0.2 -0.1 0.3 -0.6 0.2")
    X_HA = np.linalg.inv(pose("0.1 0.2 -0.1 0.3 -0.6 0.2")) @ pose("0.4 0.1 0.3 -0.2 0.5 0.7")
    hull = spec.worldbody.add_body(name="hull")
    place(hull, X_WH)
    weigh(hull, 3.1, pose("0.1 0.05 -0.02 0 0 0"), np.diag([0.21, 0.31, 0.27]))
    hull.add_freejoint()
    arm = hull.add_body(name="arm")
    place(arm, X_HA)
    weigh(arm, 1.7, pose("0 0.1 0.2 0 0 0"), np.diag([0.05, 0.06, 0.03]))
    arm.add_joint(type=mujoco.mjtJoint.mjJNT_BALL, pos=[0.02, -0.05, -0.1])
    X_AH = np.linalg.inv(pose("0.4 0.1 0.3 -0.2 0.5 0.7")) @ pose("0.5 -0.1 0.6 0.3 0.1 -0.4")
    hand = arm.add_body(name="hand")
    place(hand, X_AH)
    weigh(hand, 0.9, pose("0.03 0 0.1 0 0 0"), np.diag([0.02, 0.03, 0.01]))
    X_HJ = pose("0.01 0.02 -0.03 0.2 -0.1 0.5")
    for axis in ([1, 0.2, 0], [-0.1, 1, 0.3]):
        hand.add_joint(pos=X_HJ[:3, 3], axis=X_HJ[:3, :3] @ axis)
    theirs = spec.compile()
    data = mujoco.MjData(theirs)
    # MuJoCo's order of ours: positions, attitudes of hull and arm, angles of the hand
    order = [0, 1, 2, *range(11, 19), 9, 10]
    np.testing.assert_allclose(np.array(plant.mechanism.first_q)[order], data.qpos, atol=1e-15)
    rng = np.random.default_rng(5)
    for _ in range(4):
        q = plant.configuration.normalized(rng.normal(size=plant.nq))
        qd = rng.uniform(-1.0, 1.0, plant.n)
        data.qpos[:], data.qvel[:] = q[order], qd
        mujoco.mj_forward(theirs, data)
        qdd = plant.direct_dynamics(q, qd, np.zeros(plant.n))
        np.testing.assert_allclose(qdd, data.qacc, rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('attached_to="upper"', 'attached_to="elbow"'), "relative to itself"),
        (('relative_to="elbow">0.03', 'relative_to="nowhere">0.03'), "no frame 'nowhere'"),
        (("<mass>2.3", "<mass>2,3"), "not a number"),
        (("<xyz>0.2 1 0.1", "<xyz>0 0 0"), "length zero"),
        (("<child>slider", "<child>fore"), "joins a link to itself"),
    ],
)
def test_broken_files_name_the_line(
    written: Callable[[str], Path], change: tuple[str, str], told: str
) -> None:
    assert change[0] in ARM
    with pytest.raises(FileFormatError, match=told) as error:
        il.load(written(ARM.replace(*change)))
    assert "file.xml:" in error.value.mistakes[0].where
