"""What is written arrives in the mechanism, in order and with its place."""

from __future__ import annotations

import sys
from dataclasses import FrozenInstanceError, fields, is_dataclass

import numpy as np
import pytest

from inloop.errors import ModelError
from inloop.model import (
    GROUND,
    Mechanism,
    ModelBuilder,
    axis_angle,
    ball,
    cylindrical,
    fixed,
    free,
    planar,
    prismatic,
    revolute,
    rpy,
    universal,
)
from inloop.symbolic import Expr


def line(after: int) -> str:
    """Return the place so many lines below the one that calls this."""
    frame = sys._getframe(1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno + after}"


def test_bodies_joints_and_points(arm: ModelBuilder) -> None:
    mechanism = arm.build()
    crank, rod, slider = mechanism.bodies
    assert [body.name for body in mechanism.bodies] == ["crank", "rod", "slider"]
    assert mechanism.parents == (GROUND, 0, GROUND)
    assert mechanism.coordinates == ("crank", "rod", "slider")
    assert mechanism.gravity == (0.3, -0.7, -9.6)
    assert rod.attachment.path == "crank.pin"
    assert rod.attachment.p_PJ == (0.13, 0.02, -0.03)
    assert rod.joint.axis == pytest.approx(np.array([0.3, -0.5, 0.7]) / np.sqrt(0.83), rel=1e-15)
    assert (rod.joint.limits, rod.joint.initial) == ((-2.1, 1.9), (0.4, -0.6))
    assert (slider.joint.kind.name, slider.joint.axis, slider.joint.armature) == (
        "prismatic",
        (-1.0, 0.0, 0.0),
        0.17,
    )
    assert rod.inertia == (
        (2.1e-3, 1.2e-4, -2.3e-4),
        (1.2e-4, 3.3e-3, 3.1e-4),
        (-2.3e-4, 3.1e-4, 2.9e-3),
    )
    assert mechanism.point("crank.pin").p_BQ == (0.13, 0.02, -0.03)
    assert mechanism.point("rod.com").p_BQ == rod.com
    assert mechanism.point("crank").body == crank.index
    assert mechanism.notes == ()


def test_every_element_knows_its_line() -> None:
    lines = [line(after) for after in (1, 2, 3, 4, 5, 6, 7)]
    m = ModelBuilder("place")
    k = m.parameter("k", 3.1)
    u = m.input("u")
    a = m.body("a", on=m.ground, joint=prismatic("x"), mass=2.3)
    p = a.point("p", (0.1, 0.2, 0.3))
    m.joint_force(a, lambda q: -k * q + u)
    m.force(p, lambda t: (t, 2.0, 3.0))
    mechanism = m.build()
    elements = [
        mechanism,
        mechanism.parameters[0],
        mechanism.inputs[0],
        mechanism.bodies[0],
        mechanism.point("a.p"),
        mechanism.joint_forces[0],
        mechanism.forces[0],
    ]
    assert [element.where for element in elements] == lines
    assert mechanism.bodies[0].joint.where == lines[3]


def test_place_in_a_file_that_is_read() -> None:
    m = ModelBuilder("urdf")
    with m.reading("arm.urdf:12"):
        a = m.body("a", on=m.ground, joint=prismatic("x"), mass=-2.0)
    line_of_b = line(after=1)
    m.body("b", on=a, joint=prismatic("x"), mass=-3.0)
    with pytest.raises(ModelError) as caught:
        m.build()
    assert [mistake.where for mistake in caught.value.mistakes] == ["arm.urdf:12", line_of_b]


def test_frozen_down_to_the_leaves(arm: ModelBuilder) -> None:
    mechanism = arm.build()
    with pytest.raises(FrozenInstanceError):
        mechanism.name = "other"  # type: ignore[misc]
    for element in (*mechanism.bodies, mechanism.ground, mechanism):
        assert is_dataclass(element)
        for field in fields(element):
            assert not isinstance(getattr(element, field.name), list | dict | set)


def test_parents_may_be_named_before_they_are_declared() -> None:
    m = ModelBuilder("forward")
    m.body("tip", on="middle.end", joint=revolute("x"), mass=1.1, inertia=(0.2, 0.3, 0.4))
    m.body("other", on="base", joint=prismatic("z"), mass=1.7)
    middle = m.body("middle", on="base", joint=revolute("y"), mass=1.2, com=(0.1, 0.2, 0.3))
    m.body("base", on="ground", joint=revolute("z"), mass=1.3, inertia=(0.3, 0.4, 0.5))
    middle.point("end", (0.7, 0.8, 0.9))
    mechanism = m.build()
    assert [body.name for body in mechanism.bodies] == ["base", "middle", "tip", "other"]
    assert mechanism.parents == (-1, 0, 1, 0)
    assert [body.index for body in mechanism.bodies] == [0, 1, 2, 3]
    assert [body.name for body in mechanism.children(0)] == ["middle", "other"]
    assert [body.name for body in mechanism.ancestors(2)] == ["middle", "base"]


def test_numbers_may_be_expressions_and_numpy_scalars() -> None:
    m = ModelBuilder("live", gravity=lambda m: (0, 0, -m.parameter("g", 9.81, unit="m/s^2")))
    length = m.parameter("length", 0.7, unit="m", range=(0.1, 2.0), doc="of the rod")
    a = m.body(
        "a",
        on=m.ground.frame("f", (length, np.float32(0.5), np.int64(2)), rpy(length, 0.2, 0.3)),
        joint=revolute("x", armature=length * 0.1),
        mass=2 * length,
        com=np.array([0.1, 0.2, 0.3]),
        inertia=np.diag([0.3, 0.4, 0.5]),
    )
    mechanism = m.build()
    body = mechanism.bodies[0]
    assert isinstance(body.mass, Expr) and isinstance(body.joint.armature, Expr)
    assert body.attachment.p_PJ == (length, 0.5, 2.0)
    assert all(type(x) is float for x in (*body.com, *body.inertia[0], body.attachment.p_PJ[2]))
    assert mechanism.parameter("length").range == (0.1, 2.0)
    assert [p.name for p in mechanism.parameters] == ["g", "length"]
    assert mechanism.gravity[:2] == (0.0, 0.0) and isinstance(mechanism.gravity[2], Expr)
    assert a.name == "a"


def test_constant_expressions_become_numbers() -> None:
    m = ModelBuilder("constant")
    k = m.parameter("k", 0.4)
    m.body("a", on=m.ground, joint=prismatic("x"), mass=k - k + 2.5)
    assert m.build().bodies[0].mass == 2.5


def test_free_chain() -> None:
    m = ModelBuilder("floating")
    base = m.chain("base", on=m.ground, joints=free(angles=True), mass=3.1, inertia=(0.3, 0.4, 0.5))
    mechanism = m.build()
    names = ("base_tx", "base_ty", "base_tz", "base_rx", "base_ry", "base_rz")
    assert mechanism.coordinates == names
    assert [body.name for body in mechanism.bodies] == [*names[:-1], "base"]
    assert [body.mass for body in mechanism.bodies] == [0.0] * 5 + [3.1]
    assert base.name == "base"
    assert mechanism.joint("base_rz").name == "base"


@pytest.mark.parametrize(
    ("joints", "suffixes"),
    [
        (planar("xz"), ["tx", "tz", "ry"]),
        (ball(), ["wx", "wy", "wz"]),
        (ball(angles=True), ["rx", "ry", "rz"]),
        (free(), ["tx", "ty", "tz", "wx", "wy", "wz"]),
        (universal("z", "-x"), ["rz", "rx"]),
        (cylindrical("y"), ["ty", "ry"]),
        ([revolute("z"), revolute("x"), revolute("z")], ["rz", "rx", "rz3"]),
        ([revolute((1.0, 2.0, 3.0)), prismatic("y")], ["r1", "ty"]),
    ],
)
def test_chains(joints: list, suffixes: list[str]) -> None:
    m = ModelBuilder("chain")
    m.chain("c", on=m.ground, joints=joints, mass=1.9, com=(0.1, 0.2, 0.3), inertia=(2.0, 2.1, 2.2))
    assert m.build().coordinates == tuple(f"c_{suffix}" for suffix in suffixes)


def test_joint_name_is_the_name_of_the_coordinate() -> None:
    m = ModelBuilder("named")
    m.body("shank", on=m.ground, joint=prismatic("x", name="knee"), mass=1.1)
    m.joint_force("knee", lambda q: -q)
    m.joint_input("shank")
    mechanism = m.build()
    assert mechanism.coordinates == ("knee",)
    assert mechanism.joint_inputs[0].name == "knee.tau"
    assert mechanism.joint("knee").name == "shank"


def test_frame_rotates_the_joint() -> None:
    m = ModelBuilder("tilted")
    frame = m.ground.frame("f", (0.1, 0.2, 0.3), axis_angle("z", np.pi / 2))
    m.body("a", on=frame, joint=prismatic("x"), mass=1.2)
    attachment = m.build().bodies[0].attachment
    assert attachment.R_PJ == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def test_external_force_names_and_places(arm: ModelBuilder) -> None:
    assert arm.external_force("rod") == "rod"
    assert arm.external_force("crank", at="pin") == "crank_pin"
    assert arm.external_force("slider", at="slider") == "slider_origin"
    rod, pin, slider = arm.build().external_forces
    assert rod.at.p_BQ == (0.15, -0.04, 0.02)
    assert (pin.at.path, pin.at.body) == ("crank.pin", 0)
    assert slider.at.p_BQ == (0.0, 0.0, 0.0)


def test_a_builder_can_be_subclassed() -> None:
    class Model(ModelBuilder):
        def compile(self) -> Mechanism:
            return self.build()

    m = Model("sub", gravity=lambda model: (0.1, 0.2, -model.parameter("g", 3.7)))
    m.body("a", on=m.ground, joint=prismatic("x"), mass=1.2)
    assert m.compile().parameters[0].name == "g"
    assert repr(m) == "<Model 'sub': 1 body, 1 parameter>"


def test_build_again_after_adding(arm: ModelBuilder) -> None:
    first = arm.build()
    arm.body("more", on="slider", joint=prismatic("z"), mass=0.9)
    assert (len(first.bodies), len(arm.build().bodies)) == (3, 4)


@pytest.mark.parametrize(
    ("look_up", "text"),
    [
        (lambda m: m.body("rodd"), "model 'arm' has no body 'rodd'. Did you mean 'rod'?"),
        (lambda m: m.joint("crnk"), "model 'arm' has no joint 'crnk'. Did you mean 'crank'?"),
        (lambda m: m.point("crank.pn"), "no point 'crank.pn'. Did you mean 'crank.pin'?"),
        (lambda m: m.frame("rod.x"), "model 'arm' has no frame 'rod.x'. Did you mean 'rod'?"),
        (
            lambda m: m.parameter("k"),
            "model 'arm' has no parameter 'k'. None has been declared yet.",
        ),
        (lambda m: m.body("base"), "body 'base' is part of the ground"),
    ],
)
def test_look_up_of_what_is_not_there(arm: ModelBuilder, look_up, text: str) -> None:  # type: ignore[no-untyped-def]
    arm.body("base", on=arm.ground, joint=fixed(), mass=2.0)
    with pytest.raises(ModelError, match=text.replace(".", r"\.").replace("?", r"\?")):
        look_up(arm.build())


def test_unknown_plane() -> None:
    with pytest.raises(ModelError, match="planar joint: unknown plane 'xx'"):
        planar("xx")
