"""Tracing: a law called with symbols gives the expression that the same law gives by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from inloop.model import ModelBuilder, fixed, rpy
from inloop.symbolic import Expr, evaluate
from inloop.symbolic import functions as sf

POINT = (0.31, -0.22, 0.57)
SPEED = (-1.3, 0.8, 0.45)


def values_at(expressions: tuple, symbols: dict[Expr, float]) -> list[float]:
    exprs = [x for x in expressions if isinstance(x, Expr)]
    known = dict(zip(exprs, evaluate(exprs, symbols), strict=True))
    return [float(known[x]) if isinstance(x, Expr) else x for x in expressions]


def test_joint_force(arm: ModelBuilder) -> None:
    k = arm.parameter("k", 812.0, unit="N/m")
    u = arm.input("u", unit="N")

    def law(qd, t, q):  # type: ignore[no-untyped-def]
        return -k * q - 3.2 * qd * abs(qd) + u * sf.sin(2.0 * t)

    assert arm.joint_force("slider", law) == "slider_effort"
    mechanism = arm.build()
    (force,) = mechanism.joint_forces
    assert mechanism.bodies[force.body].name == "slider"
    at = {force.q: 0.13, force.qd: -0.7, force.t: 1.9, k: 812.0, u: 4.1}
    expected = -812.0 * 0.13 + 3.2 * 0.7 * 0.7 + 4.1 * np.sin(3.8)
    assert values_at((force.effort,), at) == pytest.approx([expected], rel=1e-14)
    assert force.t is mechanism.time


@pytest.mark.parametrize("axes", ["world", "body"])
def test_force(arm: ModelBuilder, axes: str) -> None:
    def law(v, p):  # type: ignore[no-untyped-def]
        return p[1] * v[2], p[0] - v[1], sf.max0(-p[2]) + v[0]

    arm.force("crank.pin", law, frame=axes, name="push")  # type: ignore[arg-type]
    (force,) = arm.build().forces
    assert (force.name, force.at.path, force.axes) == ("push", "crank.pin", axes)
    at = dict(zip((*force.p, *force.v), (*POINT, *SPEED), strict=True))
    assert values_at(force.components, at) == pytest.approx(law(SPEED, POINT), rel=1e-14)


def test_torque(arm: ModelBuilder) -> None:
    def law(w, R, t):  # type: ignore[no-untyped-def]
        return [R[0][1] * w[2], R[2][0] - w[0], t * w[1]]

    arm.torque("rod", law, frame="body")
    (torque,) = arm.build().torques
    assert (torque.name, torque.body, torque.axes) == ("rod_torque", 1, "body")
    R = tuple(tuple(3.1 * i + 0.7 * j + 0.2 for j in range(3)) for i in range(3))
    at = dict(zip(torque.w, SPEED, strict=True)) | {torque.t: 2.3}
    at |= {torque.R[i][j]: R[i][j] for i in range(3) for j in range(3)}
    assert values_at(torque.components, at) == pytest.approx(law(SPEED, R, 2.3), rel=1e-14)


def test_line_force(arm: ModelBuilder) -> None:
    arm.line_force("crank.pin", "slider.com", lambda l, ld: 120.0 * (l - 0.3) + 4.0 * ld)
    (link,) = arm.build().line_forces
    assert link.name == "crank_pin_slider_com_line_force"
    assert (link.a.body, link.b.body) == (0, 2)
    assert values_at((link.force,), {link.l: 0.41, link.ld: -0.2}) == pytest.approx([12.4])


def test_a_law_may_leave_out_arguments_and_keep_its_own(arm: ModelBuilder) -> None:
    class Spring:
        def __call__(self, q: Expr) -> Expr:
            return -7.0 * q

    arm.joint_force("rod", lambda: 3.5)
    arm.joint_force("rod", lambda q, k=2.5: -k * q)
    arm.joint_force("rod", partial(lambda k, q: -k * q, 4.5))
    arm.joint_force("rod", Spring())
    arm.joint_force("rod", lambda q, /, qd: q * qd)
    forces = arm.build().joint_forces
    assert [force.name for force in forces] == [
        "rod_effort",
        *(f"rod_effort_{k}" for k in (2, 3, 4, 5)),
    ]
    found = [values_at((f.effort,), {f.q: 0.2, f.qd: 0.6})[0] for f in forces]
    assert found == pytest.approx([3.5, -0.5, -0.9, -1.4, 0.12])


def test_a_law_may_return_an_array(arm: ModelBuilder) -> None:
    arm.force("rod", lambda v: -2.0 * np.array(v))
    (force,) = arm.build().forces
    at = dict(zip(force.v, SPEED, strict=True))
    assert values_at(force.components, at) == pytest.approx([-2.0 * x for x in SPEED])


def test_a_law_may_use_numpy_numbers(arm: ModelBuilder) -> None:
    arm.joint_force("rod", lambda q: np.float64(2.5) * q)
    (force,) = arm.build().joint_forces
    assert values_at((force.effort,), {force.q: 0.4}) == pytest.approx([1.0])


def test_each_law_is_called_once(arm: ModelBuilder) -> None:
    calls: list[object] = []
    arm.joint_force("rod", lambda q: calls.append(q) or -q)
    arm.build()
    arm.build()
    assert len(calls) == 1


def test_forces_on_the_ground_are_noted_and_left_out(arm: ModelBuilder) -> None:
    arm.body("plinth", on=arm.ground, joint=fixed(), mass=3.0)
    arm.force(arm.ground, lambda: (1, 2, 3))
    arm.torque("plinth", lambda: (1, 2, 3))
    arm.external_force("plinth")
    mechanism = arm.build()
    assert not (mechanism.forces or mechanism.torques or mechanism.external_forces)
    assert mechanism.notes == (
        "fixed joint 'plinth': body 'plinth' merged into 'ground'",
        "force 'ground_force' acts on the ground and has no effect",
        "torque 'plinth_torque' acts on the ground and has no effect",
        "external force 'plinth' acts on the ground and has no effect",
    )


def test_laws_follow_their_body_when_it_is_merged(
    arm: ModelBuilder, rotation: Callable[..., np.ndarray]
) -> None:
    flange = arm.body("rod_end", on="rod", joint=fixed(), mass=0.2).frame(
        "flange", (0.3, 0.4, -0.2), rpy(0.3, -0.5, 0.8)
    )
    tool = arm.body("tool", on=flange, joint=fixed(), mass=0.7, com=(0.11, 0.12, 0.13))
    arm.force(tool.point("tip", (0.21, 0.22, 0.23)), lambda: (1, 2, 3), frame="body")
    arm.torque(tool, lambda: (1, 2, 3), frame="body")
    arm.external_force(tool)
    mechanism = arm.build()
    R = rotation(0.3, -0.5, 0.8)
    p = np.array([0.3, 0.4, -0.2])
    (force,), (torque,), (external,) = (
        mechanism.forces,
        mechanism.torques,
        mechanism.external_forces,
    )
    assert force.at.body == torque.body == external.at.body == 1
    for R_BF in (force.R_BF, torque.R_BF, external.R_BF):
        assert np.array(R_BF) == pytest.approx(R, abs=1e-15)
    assert force.at.p_BQ == pytest.approx(p + R @ [0.21, 0.22, 0.23], abs=1e-15)
    assert external.at.p_BQ == pytest.approx(p + R @ [0.11, 0.12, 0.13], abs=1e-15)
