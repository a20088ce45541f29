"""User constraints, driven joints and wishes for independent coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from inloop.model import ModelBuilder, revolute
from inloop.symbolic import Expr, evaluate
from inloop.symbolic import functions as sf


def value_at(expression: object, symbols: dict[Expr, float]) -> float:
    assert isinstance(expression, Expr)
    return float(evaluate([expression], symbols)[0])


def test_a_constraint_of_one_row(arm: ModelBuilder) -> None:
    ratio = arm.parameter("ratio", 2.5)
    law = lambda t, q: q["crank"] - ratio * q["slider"] + 0.3 * t  # noqa: E731
    assert arm.constraint("gear", law, unit="rad") == "gear"
    mechanism = arm.build()
    (constraint,) = mechanism.constraints
    assert (constraint.name, constraint.unit) == ("gear", "rad")
    assert [place for place, _ in constraint.positions] == [0, 2]
    assert not constraint.on_velocities
    assert constraint.t is mechanism.time
    crank, slider = (symbol for _, symbol in constraint.positions)
    at = {crank: 0.7, slider: -0.4, constraint.t: 1.3, ratio: 2.5}
    assert value_at(constraint.rows[0], at) == pytest.approx(0.7 + 1.0 + 0.39)


def test_joints_of_a_constraint_may_be_declared_later(arm: ModelBuilder) -> None:
    # a body stands for its joint, whatever that is called
    arm.constraint("pair", lambda q: (q["late"] - q["rod"], q["swing"] ** 2 - sf.cos(q["crank"])))
    arm.body("late", on="rod", joint=revolute("x", name="swing"), mass=0.2, com=(0.1, 0.2, 0.3))
    (constraint,) = arm.build().constraints
    assert [place for place, _ in constraint.positions] == [3, 1, 3, 0]
    at = dict(zip((s for _, s in constraint.positions), (0.9, 0.2, 0.9, 0.5), strict=True))
    assert [value_at(row, at) for row in constraint.rows] == pytest.approx(
        [0.7, 0.81 - np.cos(0.5)]
    )


def test_a_constraint_may_be_called_with_handles(arm: ModelBuilder) -> None:
    hand = arm.body("hand", on="rod", joint=revolute("x"), mass=0.2, com=(0.1, 0.2, 0.3))
    arm.constraint("level", lambda q: q[hand] + q["rod"])
    (constraint,) = arm.build().constraints
    assert [index for index, _ in constraint.positions] == [3, 1]


def test_a_motion_of_time(arm: ModelBuilder) -> None:
    speed = arm.parameter("speed", 3.2, unit="rad/s")
    assert arm.drive("crank", lambda t: 0.2 + speed * t) == "crank"
    mechanism = arm.build()
    (drive,) = mechanism.drives
    assert (drive.body, drive.kind) == (0, "time")
    assert drive.t is mechanism.time
    assert value_at(drive.position, {drive.t: 0.5, speed: 3.2}) == pytest.approx(1.8)


def test_a_motion_that_does_not_move(arm: ModelBuilder) -> None:
    arm.drive("crank", lambda: 0.3)
    (drive,) = arm.build().drives
    assert (drive.kind, drive.position) == ("time", 0.3)


def test_a_motion_through_samples(arm: ModelBuilder) -> None:
    times, positions = np.array([0.1, 0.4, 0.9, 1.7]), [0.2, -0.3, 0.5, 0.45]
    arm.drive("slider", samples=(times, positions))
    (drive,) = arm.build().drives
    assert (drive.body, drive.kind) == (2, "time")
    spline = CubicSpline(times, positions)
    for t in (0.1, 0.33, 1.2):
        assert value_at(drive.position, {drive.t: t}) == pytest.approx(float(spline(t)), abs=1e-14)


def test_a_live_motion(arm: ModelBuilder) -> None:
    rod = arm.body("tool", on="rod", joint=revolute("z", name="wrist"), mass=0.2, com=(1, 2, 3))
    assert arm.drive(rod) == "wrist"
    arm.drive("crank", derivatives="filtered", cutoff=35)
    given, filtered = arm.build().drives
    assert (given.body, given.kind, given.derivatives) == (3, "input", "given")
    assert [item.name for item in given.inputs] == ["wrist.q", "wrist.qd", "wrist.qdd"]
    motion = (given.position, given.velocity, given.acceleration)
    assert motion == tuple(item.symbol for item in given.inputs)
    assert given.states == ()
    assert (filtered.derivatives, filtered.cutoff) == ("filtered", 35.0)
    assert [item.name for item in filtered.inputs] == ["crank.q"]


def test_a_filter_rests_at_its_input_and_has_three_equal_poles(arm: ModelBuilder) -> None:
    arm.drive("crank", derivatives="filtered", cutoff=35)
    mechanism = arm.build()
    (drive,) = mechanism.drives
    assert mechanism.states == drive.states
    names = [f"crank.filtered.{kind}" for kind in ("q", "qd", "qdd")]
    assert [state.name for state in drive.states] == names
    initial = mechanism.joint("crank").joint.initial[0]
    assert [state.initial for state in drive.states] == [initial, 0.0, 0.0]
    assert drive.inputs[0].default == initial
    symbols = [state.symbol for state in drive.states]

    def rates(values: np.ndarray, u: float) -> np.ndarray:
        at = {**dict(zip(symbols, values, strict=True)), drive.inputs[0].symbol: u}
        return np.array([value_at(state.rate, at) for state in drive.states])

    np.testing.assert_allclose(rates(np.array([0.4, 0.0, 0.0]), 0.4), 0.0, atol=1e-9)
    A = np.array([rates(e, 0.0) for e in np.eye(3)]).T
    p = 2 * np.pi * 35 / np.sqrt(2 ** (1 / 3) - 1)
    np.testing.assert_allclose(np.poly(A), [1.0, 3 * p, 3 * p**2, p**3], rtol=1e-12)
    # down to 1/√2 at the cutoff
    s = 2j * np.pi * 35
    gain = np.linalg.solve(s * np.eye(3) - A, rates(np.zeros(3), 1.0))[0]
    assert abs(gain) == pytest.approx(np.sqrt(0.5), rel=1e-12)


def test_a_driven_joint_needs_no_inertia(arm: ModelBuilder) -> None:
    arm.body("flag", on="rod", joint=revolute("z"))
    arm.drive("flag", lambda t: 2.0 * t)
    assert len(arm.build().bodies) == 4


def test_wishes(arm: ModelBuilder) -> None:
    assert arm.build().independent == ()
    arm.independent("slider", "crank")
    arm.independent("crank")
    assert arm.build().independent == (2, 0)
