"""ROBOTRAN files: what the file says is what the model has."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inloop.errors import FileFormatError, ModelError
from inloop.io.load import load
from inloop.io.robotran.reader import RobotranData
from inloop.model import Mechanism


@pytest.fixture(scope="module")
def crane(data: Path) -> Mechanism:
    return load(data / "crane.mbs").build()


@pytest.fixture(scope="module")
def kept(crane: Mechanism) -> RobotranData:
    found = crane.metadata["robotran"]
    assert isinstance(found, RobotranData)
    return found


def test_a_body_with_several_joints_becomes_a_chain(crane: Mechanism) -> None:
    assert crane.name == "harbor_crane"
    assert crane.gravity == (0.2, -0.1, -9.7)
    # the boom stands first in the file, but hangs on the cart
    assert [(body.name, body.joint.name) for body in crane.bodies] == [
        ("cart_travel", "travel"),
        ("cart", "cart_turn"),
        ("boom", "luff"),
        ("load_swing", "swing"),
        ("load_turn", "load_turn"),
        ("load", "hoist"),
    ]
    assert [body.mass for body in crane.bodies] == [0.0, 1713.0, 311.5, 0.0, 0.0, 97.0]


def test_joint_types_and_initial_values(crane: Mechanism) -> None:
    joints = {body.joint.name: body.joint for body in crane.bodies}
    assert (joints["travel"].kind.name, joints["travel"].axis) == ("prismatic", (1.0, 0.0, 0.0))
    assert (joints["luff"].kind.name, joints["luff"].axis) == ("revolute", (0.0, 1.0, 0.0))
    assert (joints["hoist"].kind.name, joints["hoist"].axis) == ("prismatic", (0.0, 0.0, 1.0))
    assert joints["travel"].initial == (1.3, 0.0)
    # a dependent joint has an estimate; its velocity follows from the loops
    assert joints["luff"].initial == (-0.43, 0.0)
    assert joints["luff"].declared == (False, False)


def test_placement_of_a_point(crane: Mechanism, placements: Callable) -> None:
    q = np.array([0.31, -0.52, 0.73, 0.94, -0.25, 1.16])
    p_WB, R_WB = placements(crane, q)[crane.point("load.hook").body]
    p = p_WB + R_WB @ np.array(crane.point("load.hook").p_BQ)

    def turn(axis: str, angle: float) -> np.ndarray:
        return Rotation.from_euler(axis, angle).as_matrix()

    R_cart, R_boom = turn("z", q[1]), turn("y", q[2])
    R_load = turn("x", q[3]) @ turn("y", q[4])
    hook = R_load @ np.array([0.05, 0.06, 0.3 + q[5]])
    expected = np.array([0.7 + q[0], -0.4, 0.3]) + R_cart @ (
        np.array([0.3, 0.1, 3.7]) + R_boom @ (np.array([4.9, 0.02, 0.11]) + hook)
    )
    np.testing.assert_allclose(p, expected, atol=1e-14)


def test_inertia_products_are_entries_of_the_matrix(crane: Mechanism) -> None:
    boom = crane.body("boom")
    assert boom.inertia == ((21.3, 1.7, -2.9), (1.7, 873.1, 0.8), (-2.9, 0.8, 881.7))
    assert boom.com == (2.3, 0.04, -0.06)


def test_external_forces_become_inputs(crane: Mechanism, kept: RobotranData, data: Path) -> None:
    (wind,) = crane.external_forces
    assert (wind.name, wind.at.path) == ("boom_tip", "boom.tip")
    assert kept.external_forces == {"wind": "boom_tip"}
    assert "external force 'quake' acts on the base and has no effect" in crane.notes
    assert not load(data / "crane.mbs", external_forces=False).build().external_forces


def test_loops_links_sensors_and_user_data_are_kept(crane: Mechanism, kept: RobotranData) -> None:
    (cut,), (link,) = kept.system.cuts, kept.system.links
    assert (cut.kind, cut.name, cut.length) == ("rod", "tie", 6.1)
    ends = [kept.paths[end.body, end.point] for end in (*cut.ends, *link.ends)]
    assert ends == ["cart.mast_top", "load.hook", "ground.rail", "boom.tip"]
    for path in ends:
        assert crane.point(path).path == path
    boom, cart = kept.system.bodies[:2]
    (sensor,) = boom.points[0].sensors
    assert (sensor.name, sensor.signals) == ("tip_sensor", ("Pos", "Vit", "Jac"))
    assert [joint.nature for joint in (*boom.joints, *cart.joints)] == [
        "dependent",
        "driven",
        "independent",
    ]
    assert boom.joints[0].symbols == ("q", "qd")
    (model,) = kept.system.user_models
    assert [(p.name, p.type, p.values) for p in model.parameters] == [
        ("K", "scalar", (33300.5,)),
        ("table", "lut", ("a.dat", 2.5)),
    ]
    assert kept.system.user_variables[0].size == 4
    assert kept.coordinates["cart", "turn"] == "cart_turn"


def test_what_was_changed_or_left_out_is_told(crane: Mechanism) -> None:
    notes = "\n".join(crane.notes)
    for told in (
        "point of body 'cart' 'mast-top' is called 'mast_top'",
        "point of body 'cart' 'com' is called 'com_2'",
        "1 joints are 'driven' in the file; their motion is a live input",
        "1 links are kept in the metadata but exert no force ('cylinder')",
        "1 sensors are kept",
        "not read: 1 'body/flexible'",
        "body 'cabin' merged into 'cart'",
    ):
        assert told in notes
    assert "x2D" not in notes and "x3D" not in notes


def test_walkman(walkman: Path) -> None:
    mechanism = load(walkman).build()
    root = ElementTree.parse(walkman).getroot()
    joints = [element.text for element in root.iter("jointname")]
    assert len(mechanism.coordinates) == 55
    assert list(mechanism.coordinates) == joints
    mass = math.fsum(float(element.text or "nan") for element in root.iter("mass"))
    assert sum(body.mass for body in mechanism.bodies) == pytest.approx(mass, rel=1e-14)
    assert mechanism.joint("T3").joint.initial == (1.011324, 0.0)
    assert len(mechanism.external_forces) == len(list(root.iter("extforce")))
    kept = mechanism.metadata["robotran"]
    assert isinstance(kept, RobotranData)
    assert len(kept.system.user_models[0].parameters[0].values) == 93


def small(body: str = "", more: str = "", name: str = "a", parent: str = "base") -> str:
    return f"""<mbsDescR7><mbsname>m</mbsname><base><gravity/></base><bodytree>
<body><bodyname>{name}</bodyname>
<parent><bodyname>{parent}</bodyname><pointname>origin</pointname></parent>
<joint><jointname>j</jointname><type>R2</type></joint><mass>2.5</mass>
<inertia><Ixx>1</Ixx><Iyy>2</Iyy><Izz>2.5</Izz></inertia>{body}</body>
</bodytree>{more}</mbsDescR7>"""


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (small(parent="b"), 3, "body 'a': there is no body 'b'"),
        (small().replace(">origin<", ">top<"), 3, "body 'base' has no point 'top'"),
        (small(name="base"), 2, "the name is already used by the base"),
        (small("\n<mass>1</mass>"), 6, "has a second <mass>"),
        (small().replace("2.5</mass>", "nan</mass>"), 4, "'nan', which is not a number"),
        (small().replace("2.5</mass>", "1e400</mass>"), 4, "outside any realistic range"),
        (small().replace("2.5</mass>", "</mass>"), 4, "'', which is not a number"),
        (small().replace(">R2<", ">R4<"), 4, "joint 'j': unknown type 'R4'"),
        (small().replace("<jointname>j</jointname>", ""), 4, "<joint> has no <jointname>"),
        (small().replace("<bodyname>a<", "<bodyname><"), 2, "<bodyname> is empty"),
        (small().replace("<base><gravity/></base>", ""), 1, "has no <base>"),
        (
            small(more="\n<cuts><ball><name>c</name><endpoint1><bodyname>a</bodyname></endpoint1>"
                  "\n<endpoint2><bodyname>z</bodyname></endpoint2></ball></cuts>"),
            8,
            "ball cut 'c': there is no body 'z'",
        ),
        (
            "<mbsDescR7><mbsname>m</mbsname><base><gravity/></base><bodytree/></mbsDescR7>",
            1,
            "the system has 0 bodies",
        ),
    ],
)  # fmt: skip
def test_broken_files(written, text: str, line: int, said: str) -> None:
    path = written(text)
    with pytest.raises(FileFormatError) as caught:
        load(path)
    (mistake,) = caught.value.mistakes
    assert said in mistake.what
    assert mistake.where == f"{path}:{line}"
    assert mistake.fix


def test_mistakes_of_the_model_have_lines_of_the_file(written) -> None:
    path = written(small(parent="a").replace("2.5</mass>", "-2.5</mass>"))
    with pytest.raises(ModelError) as caught:
        load(path)
    text = str(caught.value)
    assert "is attached to itself" in text and "mass must be >= 0 kg, got -2.5" in text
    assert text.count(f"{path}:2") == 2
