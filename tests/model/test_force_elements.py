"""Force elements: each against its formula, and laws between frames."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from inloop.model import GROUND, ModelBuilder, fixed, revolute, rpy
from inloop.symbolic import Expr, evaluate

INF = float("inf")
P, V = (0.011, -0.023, 0.017), (0.4, -0.7, 0.9)
R, W = (0.031, 0.047, -0.053), (1.1, -1.3, 0.6)


def value_at(expression: object, symbols: dict[Expr, float]) -> float:
    if not isinstance(expression, Expr):
        return float(expression)  # type: ignore[arg-type]
    return float(evaluate([expression], symbols)[0])


def test_spring(arm: ModelBuilder) -> None:
    k = arm.parameter("k", 350.0, unit="N/m")
    assert arm.spring("crank.pin", "slider", k, 4.2, free_length=0.3) == "crank_pin_slider_spring"
    (link,) = arm.build().line_forces
    assert (link.a.path, link.b.path) == ("crank.pin", "slider")
    at = {link.l: 0.42, link.ld: -0.9, k: 350.0}
    assert value_at(link.force, at) == pytest.approx(350.0 * 0.12 - 4.2 * 0.9)
    assert link.where.startswith(__file__)


def test_torsion_spring(arm: ModelBuilder) -> None:
    assert arm.torsion_spring("rod", 7.5, 0.3, rest=0.2) == "rod_spring"
    arm.torsion_spring("rod", 1.5, name="second")
    first, second = arm.build().joint_forces
    at = {first.q: 0.6, first.qd: -1.1}
    assert value_at(first.effort, at) == pytest.approx(-7.5 * 0.4 + 0.3 * 1.1)
    assert value_at(second.effort, {second.q: 0.6}) == pytest.approx(-0.9)


def stop(q: float, qd: float, k: float, d: float, low: float, high: float) -> float:
    if q < low:
        return max(k * (low - q) - d * qd, 0.0)
    if q > high:
        return -max(k * (q - high) + d * qd, 0.0)
    return 0.0


@pytest.mark.parametrize("qd", [-3.7, 0.0, 3.7])
@pytest.mark.parametrize("q", [-2.6, -2.1, 0.3, 1.9, 2.2])
def test_joint_stop(arm: ModelBuilder, q: float, qd: float) -> None:
    assert arm.joint_stop("rod", 80.0, 12.5) == "rod_stop"
    arm.joint_stop("slider", 80.0, 12.5, limits=(-INF, 1.4))
    both, one = arm.build().joint_forces
    found = value_at(both.effort, {both.q: q, both.qd: qd})
    assert found == pytest.approx(stop(q, qd, 80.0, 12.5, -2.1, 1.9), abs=1e-12)
    found = value_at(one.effort, {one.q: q, one.qd: qd})
    assert found == pytest.approx(stop(q, qd, 80.0, 12.5, -INF, 1.4), abs=1e-12)


def test_the_limits_of_a_stop_may_be_parameters(arm: ModelBuilder) -> None:
    high = arm.parameter("high", 0.4, unit="m")
    arm.joint_stop("slider", 80.0, limits=(-high, high))
    (law,) = arm.build().joint_forces
    assert value_at(law.effort, {law.q: 0.5, law.qd: 0.0, high: 0.4}) == pytest.approx(-8.0)
    assert value_at(law.effort, {law.q: -0.7, law.qd: 0.0, high: 0.4}) == pytest.approx(24.0)


def test_bushing(arm: ModelBuilder) -> None:
    k, d = (1e3, 2e3, 3e3, 40.0, 50.0, 60.0), (7.0, 8.0, 9.0, 0.1, 0.2, 0.3)
    base = arm.ground.frame("base", (0.2, 0.3, 0.5), rpy(0.3, -0.5, 0.8))
    assert arm.bushing(base, "rod", k, d) == "ground_base_rod_bushing"
    arm.bushing(base, "crank.pin", k)
    damped, undamped = arm.build().frame_forces
    at = dict(zip((*damped.p, *damped.v), (*P, *V), strict=True))
    at |= dict(zip((*damped.r, *damped.w), (*R, *W), strict=True))
    found = [value_at(x, at) for x in (*damped.force, *damped.torque)]
    expected = -np.array(k) * [*P, *R] - np.array(d) * [*V, *W]
    assert found == pytest.approx(expected)
    at = dict(zip((*undamped.p, *undamped.r), (*P, *R), strict=True))
    found = [value_at(x, at) for x in (*undamped.force, *undamped.torque)]
    assert found == pytest.approx(-np.array(k) * [*P, *R])


def test_frame_force(arm: ModelBuilder, rotation: Callable[..., np.ndarray]) -> None:
    def law(p, v, r, w, t):  # type: ignore[no-untyped-def]
        return (p[1] * v[2], r[0], t), np.array([w[1], p[0] * w[2], 3.0])

    mount = arm.body("mount", on="rod", joint=fixed()).frame(
        "f", (0.1, 0.2, 0.4), rpy(0.3, 0.5, 0.8)
    )
    end = arm.body("end", on=mount, joint=fixed(), mass=0.2).point("q", (0.3, 0.1, 0.2))
    arm.frame_force(arm.ground, end, law)
    mechanism = arm.build()
    (found,) = mechanism.frame_forces
    assert found.name == "ground_end_q_frame_force"
    assert (found.a.body, found.b.body) == (GROUND, 1)
    turn = rotation(0.3, 0.5, 0.8)
    assert found.b.p_BF == pytest.approx([0.1, 0.2, 0.4] + turn @ [0.3, 0.1, 0.2], abs=1e-15)
    assert np.array(found.b.R_BF) == pytest.approx(turn, abs=1e-15)
    assert found.t is mechanism.time
    at = dict(zip((*found.p, *found.v), (*P, *V), strict=True)) | {found.t: 1.7}
    at |= dict(zip((*found.r, *found.w), (*R, *W), strict=True))
    assert [value_at(x, at) for x in found.force] == pytest.approx(law(P, V, R, W, 1.7)[0])
    assert [value_at(x, at) for x in found.torque] == pytest.approx(law(P, V, R, W, 1.7)[1])


def test_a_stop_on_a_handle(arm: ModelBuilder) -> None:
    hand = arm.body(
        "hand", on="rod", joint=revolute("x", limits=(-0.3, 0.4)), mass=0.2, com=(0.1, 0.2, 0.3)
    )
    arm.joint_stop(hand, 10.0)
    (law,) = arm.build().joint_forces
    assert value_at(law.effort, {law.q: 0.9, law.qd: 0.0}) == pytest.approx(-5.0)
