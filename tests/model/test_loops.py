"""Loops: every kind, names, and their frames when bodies are merged."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from inloop.model import (
    GROUND,
    Defaults,
    ModelBuilder,
    fixed,
    prismatic,
    revolute,
    rpy,
    universal,
)
from inloop.symbolic import Expr

TURN, OTHER_TURN = (0.3, -0.5, 0.8), (-1.1, 0.4, 0.2)


def test_a_ball_loop_between_points(arm: ModelBuilder) -> None:
    assert arm.close("rod.com", arm.ground.point("foot", (0.7, 0.2, -0.4))) == "rod_com_ground_foot"
    (loop,) = arm.build().loops
    assert (loop.name, loop.kind) == ("rod_com_ground_foot", "ball")
    assert (loop.a.path, loop.a.body, loop.a.p_BF) == ("rod.com", 1, (0.15, -0.04, 0.02))
    assert (loop.b.path, loop.b.body, loop.b.p_BF) == ("ground.foot", GROUND, (0.7, 0.2, -0.4))
    assert np.array_equal(loop.a.R_BF, np.eye(3))
    assert loop.axis == (0.0, 0.0, 0.0) and loop.length == 0.0
    assert loop.where.startswith(__file__)


def test_a_solid_loop_keeps_both_rotations(
    arm: ModelBuilder, rotation: Callable[..., np.ndarray]
) -> None:
    base = arm.ground.frame("base", (0.2, 0.3, 0.5), rpy(*TURN))
    # a name may come before what it names
    arm.close("tool.tip", base, kind="solid", name="weld")
    arm.close("tool.tip", "slider", kind="solid")
    tool = arm.body("tool", on="rod", joint=revolute("x"), mass=0.2, com=(0.1, 0.2, 0.3))
    tool.frame("tip", (0.1, -0.2, 0.3), rpy(*OTHER_TURN))
    first, second = arm.build().loops
    assert first.name == "weld"
    assert np.array(first.a.R_BF) == pytest.approx(rotation(*OTHER_TURN), abs=1e-15)
    assert np.array(first.b.R_BF) == pytest.approx(rotation(*TURN), abs=1e-15)
    assert (second.name, second.b.name, second.b.path) == ("tool_tip_slider", "origin", "slider")


def test_a_hinge_has_a_unit_axis(arm: ModelBuilder) -> None:
    arm.close("rod", "slider", kind="hinge", axis=(3, 0, 4))
    arm.close("rod", "slider", kind="hinge", axis="-y")
    first, second = arm.build().loops
    assert first.axis == pytest.approx((0.6, 0.0, 0.8), abs=1e-16)
    assert second.axis == (0.0, -1.0, 0.0)
    assert [first.name, second.name] == ["rod_slider", "rod_slider_2"]


def test_the_length_of_a_rod_may_be_a_parameter(arm: ModelBuilder) -> None:
    length = arm.parameter("length", 0.35, unit="m", range=(0.2, 0.5))
    arm.close("crank.pin", "slider.com", kind="rod", length=length * 1.5)
    mechanism = arm.build()
    (loop,) = mechanism.loops
    assert isinstance(loop.length, Expr)
    assert Defaults(mechanism.parameters).of((loop.length,)) == pytest.approx((0.525,))


def test_frames_move_to_the_carrier(arm: ModelBuilder, rotation: Callable[..., np.ndarray]) -> None:
    flange = arm.body("flange", on="rod", joint=fixed()).frame("grip", (0.3, 0.4, -0.2), rpy(*TURN))
    tool = arm.body("tool", on=flange, joint=fixed(), mass=0.7, com=(0.11, 0.12, 0.13))
    corner = arm.ground.frame("corner", (1.1, 1.2, 1.3), rpy(*OTHER_TURN))
    plinth = arm.body("plinth", on=corner, joint=fixed())
    tip = tool.frame("tip", (0.21, 0.22, 0.23), rpy(*OTHER_TURN))
    arm.close(tip, plinth.point("pad", (0.5, 0.6, 0.7)), kind="solid")
    arm.close(tool.point("side", (0.4, 0.1, 0.2)), "slider")
    first, second = arm.build().loops
    R, S = rotation(*TURN), rotation(*OTHER_TURN)
    p = np.array([0.3, 0.4, -0.2])
    assert (first.a.body, first.b.body, second.a.body) == (1, GROUND, 1)
    assert first.a.p_BF == pytest.approx(p + R @ [0.21, 0.22, 0.23], abs=1e-15)
    assert np.array(first.a.R_BF) == pytest.approx(R @ S, abs=1e-15)
    assert first.b.p_BF == pytest.approx([1.1, 1.2, 1.3] + S @ [0.5, 0.6, 0.7], abs=1e-15)
    # a point has the axes of its body as written
    assert np.array(first.b.R_BF) == pytest.approx(S, abs=1e-15)
    assert np.array(second.a.R_BF) == pytest.approx(R, abs=1e-15)


def test_massless_bodies_inside_a_loop_are_normal() -> None:
    m = ModelBuilder("four_bar")
    crank = m.body("crank", on=m.ground, joint=revolute("y"), mass=0.4, com=(0.1, 0.02, 0.03))
    rod = m.chain("rod", on=crank.point("pin", (0.2, 0.0, 0.1)), joints=universal("y", "z"))
    m.body("slider", on=m.ground, joint=prismatic("x"), mass=0.3)
    m.close(rod.point("end", (0.5, 0.1, 0.2)), "slider")
    assert [body.name for body in m.build().bodies] == ["crank", "rod_ry", "rod", "slider"]
