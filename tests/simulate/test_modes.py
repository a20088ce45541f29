"""Mechanisms that change while they run, against closed forms and balances written out."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.native import FixedSteps, Method, run_machine
from inloop.native.mirror import row_type
from inloop.native.running.machine_run import Record
from inloop.simulate.machine_start import conditions, first_snapshot
from inloop.simulate.systems import make_systems, table_of_all

METHODS = ("rk4", "dopri", "rodas")


@pytest.fixture(scope="module")
def ball() -> il.Plant:
    return gallery.get("bouncing_ball").build().compile()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_the_ball_comes_to_rest_in_time(ball: il.Plant, method: str, step: float) -> None:
    result = ball.simulate(t_end=9.0, step=step, method=method)
    first = math.sqrt(2.0 / 9.81)
    flights = [2.0 * first * 0.9**k for k in range(1, 20)]
    times = first + np.concatenate([[0.0], np.cumsum(flights)])
    np.testing.assert_allclose([event.t for event in result.events[:20]], times, atol=1e-9)
    last = result.events[-1]
    assert (last.name, last.next_mode, last.settled) == ("impact", "rest", True)
    assert last.t == pytest.approx(8.578949178728887, abs=1e-6)
    assert result.modes[-1] == "rest"
    assert abs(result["ball.q"][-1]) < 1e-9 and result["ball.qd"][-1] == 0.0


def test_every_joule_of_the_ball_is_accounted_for(ball: il.Plant) -> None:
    result = ball.simulate(t_end=9.0, step=1e-3)
    lost = math.fsum(event.energy_lost for event in result.events)
    total = result["energy.total"]
    assert total[0] - lost - total[-1] == pytest.approx(0.0, abs=1e-12)
    # the k-th impact leaves e² of the energy
    for k, event in enumerate(result.events[:20]):
        assert event.energy_after == pytest.approx(9.81 * 0.81 ** (k + 1), rel=1e-9)
        impulse = 1.9 * math.sqrt(2 * 9.81) * 0.9**k
        assert event.impulses["floor.hold"] == pytest.approx(impulse, rel=1e-9)


def test_records_of_the_runtime_are_what_its_header_says(ball: il.Plant) -> None:
    """Of real impacts: the energies of m v²/2 with m = 1 kg, and the ball's restitution."""
    at = {name: conditions(ball.by_mode, plant, {}, {}, {}) for name, plant in ball.by_mode.items()}
    modes = table_of_all(make_systems(ball.by_mode, at))
    start = first_snapshot(ball.by_mode, None, at, None, None).snapshot
    done = run_machine(modes, start, FixedSteps(Method.RK4, 1e-3, 3000))
    assert len(done.events) > 3
    assert row_type("il_event")["record"].names == tuple(Record.__dataclass_fields__)
    for k, event in enumerate(done.events):
        expected = (9.81 * 0.81**k, 9.81 * 0.81 ** (k + 1), 0.9)
        assert dataclasses.astuple(event.record) == pytest.approx(expected, rel=1e-9)


def test_a_ball_at_rest_stays_and_leaves_when_gravity_turns(ball: il.Plant) -> None:
    result = ball.simulate(t_end=1.0, mode="rest", q={"ball": 0.0})
    assert not result.events and np.all(result["ball.q"] == 0.0)
    assert result["lam.floor.hold"] == pytest.approx(np.full(len(result.t), 9.81))


def stick_slip(m: il.Model) -> dict[str, float]:
    """A block on a table, pulled by a spring whose end moves at constant speed."""
    numbers = {"mass": 2.0, "k": 50.0, "speed": 0.1, "static": 6.0, "coulomb": 4.0}
    block = m.body("block", on=m.ground, joint=il.prismatic("x"), mass=numbers["mass"])
    k, speed = numbers["k"], numbers["speed"]
    m.joint_force(block, lambda q, t: k * (speed * t - q), name="spring")
    stick, slip = m.mode("stick"), m.mode("slip")
    with m.during(stick):
        m.lock(block, name="grip")
    with m.during(slip):
        m.joint_force(block, lambda: -numbers["coulomb"], name="friction")
    m.event("break_away", lambda force: numbers["static"] - il.absolute(force["grip"]),
            mode=stick, to=slip)  # fmt: skip
    m.event("seize", lambda qd: qd["block"], mode=slip, to=stick, tolerance=1e-12)
    return numbers


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", METHODS)
def test_stick_and_slip_follow_the_closed_form(method: str) -> None:
    m = il.Model("stick_slip")
    p = stick_slip(m)
    plant = m.compile()
    result = plant.simulate(t_end=8.0, step=1e-3, method=method)
    # slip: δ = F - Fc swings from A = Fs - Fc to -A with δ' = k V at both ends
    w = math.sqrt(p["k"] / p["mass"])
    A, B = p["static"] - p["coulomb"], p["k"] * p["speed"] / w
    slipping = 2.0 * (math.pi - math.atan(A / B)) / w
    sticking = 2.0 * A / (p["k"] * p["speed"])
    first = p["static"] / (p["k"] * p["speed"])
    expected = []
    t = first
    while t < 8.0:
        expected += [t, t + slipping]
        t += slipping + sticking
    expected = [t for t in expected if t < 8.0]
    assert [e.name for e in result.events] == ["break_away", "seize"] * (len(expected) // 2) + (
        ["break_away"] if len(expected) % 2 else []
    )
    np.testing.assert_allclose([e.t for e in result.events], expected, atol=1e-8)
    stuck = result.modes == "stick"
    assert np.all(result["block.qd"][stuck] == 0.0), "what sticks does not creep"


def string_pendulum(length: float, speed: float) -> il.Model:
    """A ball on a string in a vertical plane, thrown from the lowest point."""
    m = il.Model("string")
    x = m.body("carriage", on=m.ground, joint=il.prismatic("x", initial=(0.0, speed)))
    m.body("ball", on=x, joint=il.prismatic("z", initial=(-length, 0.0)), mass=0.3)
    taut, slack = m.mode("taut"), m.mode("slack")
    with m.during(taut):
        m.constraint("string", lambda q: length - il.sqrt(q["carriage"] ** 2 + q["ball"] ** 2))
    m.event("goes_slack", lambda force: force["string"], mode=taut, to=slack)
    m.event(
        "pulls",
        lambda q: length - il.sqrt(q["carriage"] ** 2 + q["ball"] ** 2),
        mode=slack, to=taut, tolerance=1e-10,
    )  # fmt: skip
    return m


def test_a_string_goes_slack_and_pulls_again() -> None:
    """Tension vanishes where v² = g L cos φ, φ from the top; then a parabola back to the circle."""
    L, g = 0.5, 9.81
    v0 = math.sqrt(3.5 * g * L)
    result = string_pendulum(L, v0).compile().simulate(t_end=1.2, step=1e-3, method="dopri")
    slack = result.events[0]
    assert slack.name == "goes_slack"
    # v² = v0² - 2 g L (1 + cos φ) = g L cos φ
    cosine = (v0**2 - 2 * g * L) / (3 * g * L)
    assert cosine == pytest.approx(0.5)
    k = int(np.searchsorted(result.t, slack.t))
    # from the first sample behind it, back along the parabola
    back = result.t[k] - slack.t
    height = result["ball.q"][k] - result["ball.qd"][k] * back - 0.5 * g * back**2
    assert height == pytest.approx(L * cosine, abs=1e-9)
    # the parabola meets the circle again where a chord of known time does
    v = math.sqrt(g * L * cosine)
    sine = math.sqrt(1 - cosine**2)
    start = np.array([L * sine, L * cosine])
    velocity = v * np.array([-cosine, sine])
    # |p(t)|² = L²: t³ g²/4 ... the double root at 0 leaves t = 4 v sin φ / g
    flight = 4.0 * v * sine / g
    meets = start + velocity * flight - np.array([0.0, 0.5 * g * flight**2])
    assert np.hypot(*meets) == pytest.approx(L)
    pull = result.events[1]
    assert pull.name == "pulls"
    assert pull.t - slack.t == pytest.approx(flight, abs=1e-7)
    # the string takes the radial part of the velocity
    w = velocity - np.array([0.0, g * flight])
    radial = float(w @ meets) / L
    assert pull.energy_lost == pytest.approx(0.5 * 0.3 * radial**2, rel=1e-6)


def test_sub_models_of_different_sizes_hand_over() -> None:
    """A block slides off a table: one coordinate on it, two beyond its edge."""
    table, air = il.Model("table"), il.Model("air")
    table.body("x", on=table.ground, joint=il.prismatic("x", initial=(0.0, 2.0)), mass=1.0)
    table.event("edge", lambda q: 1.0 - q["x"], to="air", then=lambda: {"z.q": 0.8})
    x = air.body("x", on=air.ground, joint=il.prismatic("x"))
    air.body("z", on=x, joint=il.prismatic("z"), mass=1.0)
    air.event("ground", lambda q: q["z"], to="landed")
    landed = il.Model("landed")
    x = landed.body("x", on=landed.ground, joint=il.prismatic("x"), mass=1.0)
    landed.lock(x)
    plant = il.piecewise({"table": table, "air": air, "landed": landed})
    result = plant.simulate(t_end=2.0, step=1e-3)
    fall = math.sqrt(2 * 0.8 / 9.81)
    np.testing.assert_allclose([e.t for e in result.events], [0.5, 0.5 + fall], atol=1e-12)
    assert result["x.q"][-1] == pytest.approx(1.0 + 2.0 * fall, abs=1e-12)
    assert np.isnan(result["z.q"][0]) and np.isnan(result["z.q"][-1])


def arm() -> il.Model:
    m = il.Model("arm")
    upper = m.body("upper", on=m.ground, joint=il.revolute("y", initial=(0.3, 1.0)), mass=1.0,
                   com=(0.0, 0.0, -0.3), inertia=(0.01, 0.01, 0.01))  # fmt: skip
    m.body("lower", on=upper.point("elbow", (0.0, 0.0, -0.6)),
           joint=il.revolute("y", initial=(0.5, -3.0)), mass=0.5, com=(0.0, 0.0, -0.2),
           inertia=(0.005, 0.005, 0.005))  # fmt: skip
    return m


def test_a_joint_that_locks_balances_impulses() -> None:
    """The elbow of a double pendulum locks: angular momentum about the shoulder stays."""
    m = arm()
    free, locked = m.mode("free"), m.mode("locked")
    with m.during(locked):
        m.lock("lower", name="elbow")
    m.event("lock", lambda q: q["lower"], mode=free, to=locked)
    result = m.compile().simulate(t_end=1.0, step=1e-4)
    (event,) = result.events
    assert event.name == "lock"
    # before, by a run without modes up to the instant; after, by hand: M (qd - qd⁻) has no part
    # along the shoulder, and the elbow rests
    alone = arm().compile()
    last = alone.simulate(t_end=event.t, step=event.t / 2000)
    q, before = last.q[-1], last.qd[-1]
    assert abs(q[1]) < 1e-9
    M = alone.mass_matrix(q)
    after = np.array([M[0] @ before / M[0, 0], 0.0])
    loss = 0.5 * before @ M @ before - 0.5 * after @ M @ after
    assert event.energy_lost == pytest.approx(loss, rel=1e-7)
    assert event.impulses["elbow.hold"] == pytest.approx(M[1] @ (after - before), rel=1e-7)
    k = int(np.searchsorted(result.t, event.t))
    assert result["upper.qd"][k] == pytest.approx(after[0], abs=5e-3)
    assert np.all(result["lower.qd"][result.modes == "locked"] == 0.0)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("start", [0.3, 1.0, 5.0, 8.5789, 8.8])
def test_a_run_in_two_parts_is_the_run_in_one(ball: il.Plant, start: float) -> None:
    whole = ball.simulate(t_end=9.0, step=1e-3)
    part = ball.simulate(t_end=round(start, 3), step=1e-3)
    rest = ball.simulate(t_end=9.0, step=1e-3, start=part)
    assert np.array_equal(rest.q[-1], whole.q[-1])
    assert [e.t for e in (*part.events, *rest.events)] == [e.t for e in whole.events]


@pytest.mark.parametrize("tolerance", [None, 1e-9])
def test_a_reference_by_scipy_does_not_follow_events(
    ball: il.Plant, tolerance: float | None
) -> None:
    with pytest.raises(il.InputError, match="'scipy' does not follow modes and events"):
        ball.simulate(t_end=0.1, method="scipy", tolerance=tolerance)


def test_events_that_chatter_end_the_run() -> None:
    m = il.Model("relay", gravity=(0.0, 0.0, 0.0))
    m.body("mass", on=m.ground, joint=il.prismatic("x", initial=(1.0, 0.0)), mass=1.0)
    for mode, sign in (("pull", -1.0), ("push", 1.0)):
        m.mode(mode)
        with m.during(mode):
            m.joint_force("mass", lambda qd, s=sign: s - 0.1 * qd, name=f"force_{mode}")
    # a sliding mode: on the line q + qd = 0 both forces lead back to it
    m.event("below", lambda q, qd: q["mass"] + qd["mass"], mode="pull", to="push")
    m.event("above", lambda q, qd: q["mass"] + qd["mass"], mode="push", to="pull",
            direction="rises")  # fmt: skip
    with pytest.raises(il.SimulationError) as caught:
        m.compile().simulate(t_end=10.0, step=1e-3)
    assert "chatter" in str(caught.value).lower()
    result: Any = caught.value.result  # type: ignore[attr-defined]
    assert result.t[-1] > 0.5 and np.all(np.isfinite(result.q))


def test_mistakes_are_told_together() -> None:
    m = il.Model("wrong")
    m.body("ball", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    m.mode("flight")
    m.mode("flight")
    m.lock("bell")
    m.event("impact", lambda q: q["bell"], mode="fligt", impact="rest")
    m.event("other", lambda q: q[3])
    m.event("third", lambda p: p["ball.tip"][2], direction="down")  # type: ignore[arg-type]
    with pytest.raises(il.ModelError) as caught:
        m.build()
    text = str(caught.value)
    for part in ("mode 'flight' is declared twice", "joint 'bell' does not exist", "'fligt'",
                 "'rest'", "use the name of the quantity", "no point 'ball.tip'",
                 "unknown direction 'down'"):  # fmt: skip
        assert part in text, part
    assert "test_modes.py" in text


def test_forces_that_a_mode_does_not_have_are_named() -> None:
    m = il.Model("wrong")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    m.mode("a")
    m.mode("b")
    with m.during("b"):
        m.lock(ball, name="floor")
    m.event("lift", lambda force: force["floor"], mode="a", to="b")
    with pytest.raises(il.InputError, match="mode 'a' has no force 'floor'"):
        m.compile()


def test_events_that_chatter_are_named() -> None:
    """Each is over when the other one leads back: both happen at once, for ever."""
    m = il.Model("clutch", gravity=(0, 0, 0))
    wheel = m.body("wheel", on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, 1))
    free, held = m.mode("free"), m.mode("held")
    with m.during(held):
        m.lock(wheel, name="brake")
    m.event("grip", lambda t: 0.1 - t, mode=free, to=held)
    m.event("release", lambda t: 0.2 - t, mode=held, to=free)
    plant = m.compile()
    told = r"after 'release', 'grip'. Give the event a mode to settle in.*when its mode begins"
    with pytest.raises(il.SimulationError, match=rf"'clutch' chatters after t = 0.2 s.*{told}"):
        plant.simulate(t_end=1.0, step=0.05)
    stepper = plant.stepper(step=0.05)
    with pytest.raises(il.SimulationError, match=rf"'clutch' in mode 'held': CHATTERING.*{told}"):
        for _ in range(20):
            stepper.step()
