"""Laws with internal states: traced with them, stored with their rates."""

from __future__ import annotations

import pytest

from inloop.model import ModelBuilder
from inloop.symbolic import Expr, evaluate
from inloop.symbolic import functions as sf


def value_at(expression: object, symbols: dict[Expr, float]) -> float:
    assert isinstance(expression, Expr)
    return float(evaluate([expression], symbols)[0])


def test_a_friction_law_with_bristles(arm: ModelBuilder) -> None:
    s0 = arm.parameter("s0", 410.0, unit="N*m/rad")

    def friction(qd, z):  # type: ignore[no-untyped-def]
        rate = qd - s0 * abs(qd) * z / 0.7
        return -s0 * z - 0.2 * rate, {"z": rate}

    arm.joint_force("rod", friction, states={"z": 0.013}, name="lugre")
    mechanism = arm.build()
    (law,) = mechanism.joint_forces
    (state,) = law.states
    assert (state.name, state.initial) == ("lugre.z", 0.013)
    at = {law.qd: -1.4, state.symbol: 0.021, s0: 410.0}
    rate = -1.4 - 410.0 * 1.4 * 0.021 / 0.7
    assert value_at(state.rate, at) == pytest.approx(rate, rel=1e-14)
    assert value_at(law.effort, at) == pytest.approx(-410.0 * 0.021 - 0.2 * rate, rel=1e-14)


def test_every_kind_of_law_may_have_states(arm: ModelBuilder) -> None:
    arm.frame_force(
        "crank", "slider", lambda p, y, x: (((x, p[0], 1), (y, 2, 3)), {"y": -y, "x": p[1] - x}),
        states={"x": 0.1, "y": 0.2}, name="mount",
    )  # fmt: skip
    arm.line_force("rod", "slider", lambda l, z: (z, {"z": l - z}), states={"z": 0.3})
    arm.torque("rod", lambda w, z: ([z, w[0], 1.5], {"z": w[1]}), states={"z": 0.4})
    arm.force(
        "rod", lambda v, z: ([z, v[0], 2.5], {"z": -3.0 * z}), states={"z": 0.5}, frame="body"
    )
    arm.joint_force("rod", lambda q, z: (z * q, {"z": 0.7}), states={"z": 0.6})
    arm.joint_force("crank", lambda q: -q)
    mechanism = arm.build()
    assert [(state.name, state.initial) for state in mechanism.states] == [
        ("rod_effort.z", 0.6),
        ("rod_force.z", 0.5),
        ("rod_torque.z", 0.4),
        ("rod_slider_line_force.z", 0.3),
        ("mount.x", 0.1),
        ("mount.y", 0.2),
    ]
    assert len({state.symbol for state in mechanism.states}) == 6
    effort, force, torque, link, mount = (
        mechanism.joint_forces[0], *mechanism.forces, *mechanism.torques, *mechanism.line_forces,
        *mechanism.frame_forces,
    )  # fmt: skip
    assert effort.states[0].rate == 0.7
    assert value_at(force.states[0].rate, {force.states[0].symbol: 0.2}) == pytest.approx(-0.6)
    assert torque.states[0].rate is torque.w[1]
    assert value_at(link.states[0].rate, {link.l: 0.9, link.states[0].symbol: 0.2}) == 0.7
    x, y = mount.states
    assert value_at(x.rate, {mount.p[1]: 0.8, x.symbol: 0.3}) == pytest.approx(0.5)
    assert value_at(y.rate, {y.symbol: 0.3}) == pytest.approx(-0.3)
    assert (mount.force[0], mount.torque[0]) == (x.symbol, y.symbol)
    assert mechanism.joint_forces[1].states == ()


def test_two_states(arm: ModelBuilder) -> None:
    # a filter of second order; the order is that of the declaration
    arm.joint_force(
        "slider",
        lambda q, x, xd: (-30.0 * x, {"xd": sf.sin(q) - 0.4 * xd - x, "x": xd}),
        states={"x": 0.0, "xd": 0.0},
    )
    x, xd = arm.build().states
    assert x.rate is xd.symbol
