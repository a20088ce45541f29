"""MJCF, feature by feature: MuJoCo itself says what is right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mujoco_oracle import order_of

import inloop as il
from inloop.errors import FileFormatError, InputError

AGREEMENT = 1e-9
BALL = '<geom size=".11" pos=".03 .02 -.04"/><geom type="box" size=".05 .07 .31" pos=".1 .2 .1"/>'


@pytest.fixture(autouse=True)
def log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings into a file where it runs."""
    monkeypatch.chdir(tmp_path)


def model(bodies: str, before: str = "", after: str = "") -> str:
    return f'<mujoco model="m">{before}<worldbody>{bodies}</worldbody>{after}</mujoco>'


ORIENTATIONS = ["quat='.3 -.2 .5 .7'", "axisangle='.3 .2 -.9 40'", "xyaxes='1 .2 .3 -.1 1 .4'",
                "zaxis='.3 -.4 .2'", "zaxis='0 0 -1'", "euler='20 -30 70'"]  # fmt: skip


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("sequence", ["xyz", "zyx", "XZY", "xyX"])
def test_orientations(written: Callable, disagreement: Callable, orientation: str, sequence: str):
    body = f"<body pos='.1 .2 .3' {orientation}><joint axis='.2 .3 .5'/>{BALL}</body>"
    text = model(body, f'<compiler eulerseq="{sequence}"/>')
    assert disagreement(written(text)) < AGREEMENT


GEOMS = [
    '<geom type="sphere" size=".13"/>',
    '<geom type="capsule" size=".07 .21" euler="20 30 40" density="700"/>',
    '<geom type="cylinder" size=".07" fromto=".1 .2 .3 -.3 .1 .5" mass="1.7"/>',
    '<geom type="box" size=".07" fromto=".1 .2 .3 -.3 .1 .5"/>',
    '<geom type="ellipsoid" size=".07 .11 .2" pos=".1 0 0" quat=".9 .1 .2 .3"/>',
    '<geom type="ellipsoid" size=".07" fromto="0 0 0 .2 .3 .4"/>',
    '<geom size=".1"/><geom size=".2" pos=".5 0 0" group="4"/><geom size=".3" mass="0"/>',
    '<inertial pos=".1 .2 .3" mass="1.3" diaginertia=".2 .3 .4" euler="10 20 30"/>'
    '<geom size=".1"/>',
    '<inertial pos=".1 .2 .3" mass="1.3" fullinertia=".2 .3 .4 .01 .02 -.03"/>',
]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("geoms", GEOMS)
@pytest.mark.parametrize(
    "compiler",
    [
        "",
        '<compiler inertiafromgeom="true"/>',
        '<compiler inertiagrouprange="0 3" boundmass="40" boundinertia=".25"/>',
        '<compiler settotalmass="3.7"/>',
    ],
)
def test_inertias(written: Callable, disagreement: Callable, geoms: str, compiler: str) -> None:
    inner = f'<body pos=".3 0 .1"><joint axis="0 1 0"/>{BALL}</body>'
    body = f'<body pos=".1 .2 .3"><joint axis=".2 .3 .5" pos=".3 .1 .2"/>{geoms}{inner}</body>'
    assert disagreement(written(model(body, compiler))) < AGREEMENT


VERTICES = "0 0 0 1 0 0 0 1 0 0 0 1 .02 .03 .04"
# not convex: the last vertex dents the slanted face
FACES = "0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4"


@pytest.mark.parametrize("inertia", ["legacy", "exact", "convex"])
@pytest.mark.parametrize("moved", ["", "refpos='.1 .2 .3' refquat='.3 .2 .1 .5'"])
def test_meshes(written: Callable, disagreement: Callable, inertia: str, moved: str) -> None:
    asset = (
        f"<asset><mesh name='m' vertex='{VERTICES}' face='{FACES}' scale='.3 .4 .5' "
        f"inertia='{inertia}' {moved}/></asset>"
    )
    body = "<body><joint axis='.2 .3 .5'/><geom type='mesh' mesh='m' euler='10 20 30'/></body>"
    # MuJoCo keeps vertices in single precision
    assert disagreement(written(model(body, asset))) < 1e-6


def test_balanced_inertias(written: Callable, disagreement: Callable) -> None:
    inertial = '<inertial pos="0 .1 0" mass="1" diaginertia=".1 .2 .9"/>'
    text = model(
        f"<body><joint axis='1 0 .2'/>{inertial}</body>", '<compiler balanceinertia="true"/>'
    )
    assert disagreement(written(text)) < AGREEMENT


JOINTS = [
    '<joint axis="1 .2 .3" pos=".1 .2 .3" ref="30" springref="10" stiffness="3" damping=".4"/>',
    '<joint type="slide" axis="1 .2 .3" ref=".3" springref=".1" stiffness="30" armature=".7"/>',
    '<joint axis="1 0 0" pos=".1 0 .2"/><joint type="slide" axis="0 1 .3"/>'
    '<joint axis="0 .3 1" pos="0 .2 .1" ref="20" armature=".05"/>',
    '<joint axis="1 0 0" damping="1 2 3" stiffness="2 3 4" springref="-20"/>',
    '<joint type="ball" pos=".1 .2 .3" damping=".4" armature=".3" stiffness="7"/>',
    '<joint type="ball" pos=".1 .2 .3" damping=".4 .2 .1" stiffness="7 3 2" range="0 30"/>',
    '<joint type="slide" axis="1 2 3"/><joint type="ball" pos=".1 .2 .3" stiffness="7"/>',
    '<joint type="ball" pos=".1 .2 .3" stiffness="9"/><joint type="slide" axis="1 .2 .3"/>',
    "<freejoint/>",
    '<joint type="free" damping=".3" armature=".2" stiffness="40"/>',
    '<joint type="free" damping=".3 .2 .1" armature=".2" stiffness="40 30 20"/>',
    '<frame pos=".1 .2 .3" euler="10 20 30"><joint axis="1 0 0" pos=".1 0 .2"/>'
    '<frame euler="0 40 0"><geom size=".2" pos="0 0 .4"/></frame></frame>',
]


@pytest.mark.parametrize("joints", JOINTS)
def test_joints(written: Callable, disagreement: Callable, joints: str) -> None:
    inner = f'<body pos=".3 0 .1" euler="0 0 30"><joint axis="0 1 0" pos="0 0 .2"/>{BALL}</body>'
    body = f'<body pos=".1 .2 .3" euler="30 40 50">{joints}{BALL}{inner}</body>'
    assert disagreement(written(model(body))) < AGREEMENT


ACTUATORS = [
    '<motor joint="a" gear="3" ctrlrange="-1 1"/>',
    '<motor joint="a" forcerange="-.3 .2" forcelimited="true" gear="-2"/>',
    '<position joint="a" kp="7" kv=".3" gear="2"/>',
    '<position joint="a" class="strong"/>',
    '<velocity joint="b" kv="7" gear="2"/>',
    '<velocity joint="b" class="strong"/>',
    '<damper joint="a" kv="3" ctrlrange="0 1"/>',
    '<general joint="b" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="4 5 6"/>',
    '<general joint="b" gaintype="fixed" gainprm="1 2 3" biastype="none" biasprm="4 5 6"/>',
    '<motor tendon="t" gear="3"/>',
    '<position tendon="t" kp="5"/>',
    '<motor class="strong" joint="b"/>',
    '<motor joint="a" name="x"/><position joint="a" name="y" kp="3"/>',
]
DEFAULTS = """<default><motor ctrlrange="-.7 .6"/><default class="strong">
<general gainprm="17" biasprm="0 -17 -2" forcerange="-5 6"/></default></default>"""
TENDON = """<tendon><fixed name="t"><joint joint="a" coef="2"/><joint joint="b" coef="-3"/></fixed>
</tendon>"""


@pytest.mark.parametrize("actuator", ACTUATORS)
def test_actuators(written: Callable, disagreement: Callable, actuator: str) -> None:
    inner = f'<body pos=".3 0 .1"><joint name="b" type="slide" axis="0 1 0"/>{BALL}</body>'
    body = f'<body><joint name="a" axis=".2 1 0"/>{BALL}{inner}</body>'
    text = model(body, DEFAULTS, f"{TENDON}<actuator>{actuator}</actuator>")
    assert disagreement(written(text)) < AGREEMENT


@pytest.mark.parametrize(
    "attributes",
    [
        'stiffness="7"',
        'stiffness="7" damping=".4" springlength=".1"',
        'stiffness="70" springlength="-.1 .2"',
        'class="stiff"',
    ],
)
@pytest.mark.parametrize("joints", ["ab", "b"])
def test_fixed_tendons(
    written: Callable, disagreement: Callable, attributes: str, joints: str
) -> None:
    inner = f'<body pos=".3 0 .1"><joint name="b" type="slide" ref=".2"/>{BALL}</body>'
    body = f'<body><joint name="a" axis=".2 1 0" ref="30"/>{BALL}{inner}</body>'
    default = '<default><default class="stiff"><tendon stiffness="9"/></default></default>'
    parts = "".join(f'<joint joint="{joint}" coef=".7"/>' for joint in joints)
    tendon = f"<tendon><fixed {attributes}>{parts}</fixed></tendon>"
    assert disagreement(written(model(body, default, tendon))) < AGREEMENT


@pytest.mark.parametrize(
    "actuator",
    [
        '<general joint="a" dyntype="filter" dynprm=".3" gainprm="2"/>',
        '<position joint="a" kp="4" timeconst=".2"/>',
        '<cylinder joint="a" timeconst=".4" diameter=".9" bias="1 2 3"/>',
        '<general joint="a" dyntype="integrator" gainprm="2"/>',
    ],
)
def test_activations_of_actuators(written: Callable, actuator: str) -> None:
    text = model(f'<body><joint name="a" axis="0 1 0"/>{BALL}</body>',
                 '<option integrator="RK4" timestep="1e-3"/>',
                 f"<actuator>{actuator}</actuator>")  # fmt: skip
    path = written(text)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(theirs)
    data.ctrl[0] = 0.4
    for _ in range(300):
        mujoco.mj_step(theirs, data)
    plant = il.load(path).compile()
    result = plant.simulate(t_end=0.3, step=1e-3, inputs={plant.inputs[0]: 0.4})
    # filterexact of MuJoCo is exact, filter of first order in the step
    assert abs(data.qpos[0]) > 1e-2
    np.testing.assert_allclose(result.q[-1], data.qpos, atol=3e-3 * abs(data.qpos[0]))


def test_defaults_include_and_childclass(
    written: Callable, disagreement: Callable, tmp_path: Path
) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(
        f'<mujocoinclude><body pos="0 0 .3" childclass="heavy"><joint/>{BALL}'
        f'<body pos=".2 0 0"><joint class="stiff"/>{BALL}<frame childclass="main">'
        f'<body pos=".1 0 0"><joint/><geom size=".1" pos=".1 0 0"/></body></frame></body></body>'
        "</mujocoinclude>"
    )
    defaults = """<default><joint axis="0 1 0" damping=".2"/><default class="heavy">
    <default class="stiff"><joint stiffness="4" axis="1 0 .1"/></default>
    <geom density="3000"/><joint damping=".7"/></default></default>"""
    text = model('<include file="parts/arm.xml"/>', defaults)
    assert disagreement(written(text)) < AGREEMENT


def test_gravity_compensation_and_flags(written: Callable, disagreement: Callable) -> None:
    body = f'<body gravcomp=".7"><joint axis="1 .3 .2" stiffness="3" damping="4"/>{BALL}</body>'
    text = model(
        body, '<option gravity="1 2 3"><flag spring="disable" contact="disable"/></option>'
    )
    assert disagreement(written(text)) < AGREEMENT


FOUR_BAR = """<mujoco model="four_bar"><compiler angle="radian"/>
<option timestep="2e-4" integrator="RK4"><flag contact="disable"/></option>
<default><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 .4"/></default>
<worldbody>
  <body name="crank"><joint name="crank"/><geom fromto="0 0 0 0 0 .2"/>
    <body name="rod" pos="0 0 .2" euler="0 1.2 0"><joint name="rod"/><geom fromto="0 0 0 0 0 .5"/>
      <site name="end" pos="0 0 .5"/></body></body>
  <body name="rocker" pos=".5 0 0"><joint name="rocker"/><geom/></body>
  <body name="follower" pos="0 .5 0"><joint name="follower" type="slide"/><geom/></body>
</worldbody>
<equality>
  <connect body1="rod" body2="rocker" anchor="0 0 .5" solref="4e-4 1" solimp=".9999 .9999 .001"/>
  <joint joint1="follower" joint2="crank" polycoef="0 .3 .2" solref="4e-4 1"
    solimp=".9999 .9999 .001"/>
</equality></mujoco>"""


def test_equality_constraints_hold_as_loops(written: Callable) -> None:
    path = written(FOUR_BAR)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    for _ in range(4000):
        mujoco.mj_step(theirs, data)
    plant = il.load(path).compile()
    assert plant.coordinates == ("crank", "rod", "rocker", "follower")
    result = plant.simulate(t_end=0.8, step=1e-3)
    assert np.abs(data.qpos).min() > 0.05
    # MuJoCo's constraints give way a little
    np.testing.assert_allclose(result.q[-1], data.qpos, atol=2e-3)


def test_a_weld_joins_two_bodies(written: Callable) -> None:
    bodies = f"""<body name="a"><joint axis="0 1 .1"/>{BALL}</body>
    <body name="b" pos=".3 .1 0" euler="0 20 0"><freejoint/>{BALL}</body>"""
    weld = '<equality><weld body1="a" body2="b"/></equality>'
    plant = il.load(written(model(bodies, after=weld))).compile()
    # one body made of both
    both = f"""<body name="a"><joint axis="0 1 .1"/>{BALL}
    <body name="b" pos=".3 .1 0" euler="0 20 0">{BALL}</body></body>"""
    theirs = mujoco.MjModel.from_xml_string(model(both))
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    result = plant.simulate(t_end=1e-3, step=1e-3)
    assert result.q[-1, 0] == pytest.approx(0.5 * data.qacc[0] * 1e-6, rel=1e-3)


def test_a_keyframe_to_start_from(written: Callable) -> None:
    body = (
        f'<body pos="1 2 3" euler="10 20 30"><freejoint/>{BALL}<body><joint/>{BALL}</body></body>'
    )
    key = '<keyframe><key name="home" qpos=".1 .2 .3 .5 .6 -.2 .3 .7" qvel="1 2 3 4 5 6 7"/>'
    path = written(model(body, after=f"{key}</keyframe>"))
    theirs = mujoco.MjModel.from_xml_path(str(path))
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(theirs)
    mujoco.mj_resetDataKeyframe(theirs, data, 0)
    mujoco.mj_forward(theirs, data)
    plant = il.load(path, keyframe="home").compile(backend="python")
    q, qd = (np.array(x) for x in (plant.mechanism.first_q, plant.mechanism.first_qd))
    of_q, of_qd = order_of(plant)
    np.testing.assert_allclose(q[of_q], data.qpos, rtol=1e-15)
    np.testing.assert_array_equal(qd[of_qd], data.qvel)
    position, _ = plant.pose("body2", q)
    np.testing.assert_allclose(position, data.xpos[2], atol=1e-12)
    kinetic = 0.5 * qd @ plant.mass_matrix(q) @ qd
    mujoco.mj_energyVel(theirs, data)
    assert kinetic == pytest.approx(data.energy[1], rel=1e-12)
    with pytest.raises(InputError, match="no keyframe 'hone'"):
        il.load(path, keyframe="hone")


def test_sensors_of_joints_and_sites(written: Callable) -> None:
    body = f'<body name="b"><joint name="a"/>{BALL}<site name="tip" pos=".1 .2 .3"/></body>'
    sensors = '<sensor><jointpos name="angle" joint="a"/><jointvel joint="a"/></sensor>'
    mechanism = il.load(written(model(body, after=sensors))).build()
    assert {out.name for law in mechanism.joint_forces for out in law.outputs} == {
        "angle", "a_jointvel"}  # fmt: skip
    assert mechanism.frame("b.tip").p_BF == (0.1, 0.2, 0.3)


def test_everything_that_is_not_read_is_told_with_its_line(written: Callable) -> None:
    text = f"""<mujoco model="m"><strange/>
    <option density="3" wind="1 0 0" oddity="2"/>
    <asset><hfield name="h"/><texture name="t"/></asset>
    <worldbody><camera name="c"/>
      <body name="b" oddity="1"><joint name="j" frictionloss=".1" springdamper="1 1"/>{BALL}
        <composite type="cable"/>
        <geom size=".1" condim="3" shellinertia="true"/>
        <plugin/></body></worldbody>
    <contact><exclude body1="b" body2="world"/></contact>
    <tendon><spatial name="s"/></tendon>
    <actuator><muscle name="u" joint="j"/><motor name="v" site="x"/></actuator>
    <equality><distance/><flex/><connect body1="b" anchor="0 0 0" active="false"/></equality>
    <sensor><gyro/></sensor><deformable><flex/></deformable>
    <extension><plugin/></extension><custom><numeric/></custom></mujoco>"""
    notes = "\n".join(il.load(written(text)).build().notes)
    for told, line in (
        ("<strange>", 1), ("'density' of <option>", 2), ("'wind'", 2), ("'oddity' of <option>", 2),
        ("<hfield>", 3), ("<texture>", 3), ("<camera>", 4), ("'oddity' of <body>", 5),
        ("frictionloss", 5), ("springdamper", 5), ("<composite>", 6), ("'condim'", 7),
        ("shellinertia", 7), ("<plugin> in <body>", 8), ("<exclude>", 9), ("<spatial> 's'", 10),
        ("<muscle> 'u'", 11), ("<motor> 'v'", 11), ("<distance>", 12), ("<flex>", 12),
        ("not active", 12), ("<gyro>", 13), ("<flex> in <deformable>", 13),
        ("<plugin> in <extension>", 14), ("<numeric>", 14),
    ):  # fmt: skip
        assert any(told in note and f"file.xml:{line}" in note for note in notes.split("\n")), told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (model("", '<compiler coordinate="global"/>'), "global"),
        (model(""), "no body"),
        (model('<include file="../x.xml"/>'), "outside"),
        (model('<include file="file.xml"/>'), "included twice"),
        (model('<body><joint type="hinges"/></body>'), "unknown type 'hinges'"),
        (model('<body><joint class="x"/></body>'), "no default class 'x'"),
        (model('<body><geom type="box" size="1 2"/></body>'), "needs 3"),
        (model('<body><geom type="mesh" mesh="x"/></body>'), "no mesh 'x'"),
        (model(f"<body><joint axis='0 0 0'/>{BALL}</body>"), "length zero"),
        (model(f"<body><body><freejoint/>{BALL}</body></body>"), "free joint"),
        (model(f"<body><joint/>{BALL}</body>", after='<actuator><motor joint="x"/></actuator>'),
         "no joint 'x'"),
        (model(f"<body><joint name='a'/><joint name='a'/>{BALL}</body>"), "already used"),
    ],
)  # fmt: skip
def test_broken_files_name_the_line(written: Callable, text: str, told: str) -> None:
    with pytest.raises(FileFormatError, match=told) as error:
        il.load(written(text))
    assert "file.xml:" in error.value.mistakes[0].where


def test_files_that_include_each_other_deeply_are_refused(
    written: Callable, tmp_path: Path
) -> None:
    nest = 60
    for k in range(4):
        inner = f'<include file="{k + 1}.xml"/>'
        (tmp_path / f"{k}.xml").write_text(f"<m>{'<body>' * nest}{inner}{'</body>' * nest}</m>")
    (tmp_path / "4.xml").write_text("<m/>")
    with pytest.raises(FileFormatError, match="nested deeper"):
        il.load(written(model('<include file="0.xml"/>')))


def test_a_start_outside_of_the_range_is_told(written: Callable) -> None:
    text = model(f'<body><joint name="j" range="10 20" ref="30"/>{BALL}</body>')
    mechanism = il.load(written(text)).build()
    assert mechanism.joint("j").joint.limits is None
    assert any("range is left out" in note and "file.xml:1" in note for note in mechanism.notes)


def test_gravity_of_the_caller_is_compensated_too(written: Callable) -> None:
    text = model(f'<body gravcomp="1"><joint axis="1 .3 .2"/>{BALL}</body>')
    plant = il.load(written(text), gravity=(1.0, 2.0, 3.0)).compile(backend="python")
    assert plant.direct_dynamics([0.3], [0.0], [0.0]) == pytest.approx([0.0], abs=1e-14)
