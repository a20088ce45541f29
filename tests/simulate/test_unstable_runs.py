"""Runs whose steps are too long say so, and the default method does without them."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from unstable_models import BALL, FALL, ball, oscillator, top

import inloop as il
from inloop.realtime.options import Options
from inloop.simulate.choice import method_at_start

IMPACT = math.sqrt(2.0 * FALL / 9.81)
ELASTIC = [il.power_law(1e6), il.power_law(1e7), il.hunt_crossley(1e8, 1.0), il.power_law(1e9)]


def time_of(note: str) -> float:
    found = re.match(r"t = (\S+) s", note)
    assert found
    return float(found[1])


@pytest.mark.thinned(4)
@pytest.mark.parametrize("law", ELASTIC, ids=repr)
@pytest.mark.parametrize("mass", [1.0, 0.05])
def test_a_stiff_contact_is_told(law: object, mass: float) -> None:
    """An elastic ball comes back to where it fell from, and no higher."""
    plant = ball(law, mass)
    explicit = plant.simulate(t_end=2.0, method="rk4")
    rise = explicit["ball.q"][explicit.t > IMPACT].max() - BALL
    assert abs(rise - FALL) > 0.01, "a case that goes wrong"
    assert explicit.doubts and "'floor'" in " ".join(explicit.notes)
    assert time_of(explicit.doubts[0]) == pytest.approx(IMPACT, abs=3e-3)
    if rise > 1.5 * FALL:
        assert explicit.status == "UNSTABLE"

    chosen = plant.simulate(t_end=2.0)
    assert (chosen.status, chosen.method, chosen.doubts) == ("OK", "rodas", ())
    assert chosen["ball.q"].max() - BALL == pytest.approx(FALL, abs=2e-5)
    after = chosen["ball.q"][chosen.t > IMPACT].max() - BALL
    assert after == pytest.approx(FALL, rel=1e-3)
    assert "rk4" in chosen.notes[0] and "'floor'" in chosen.notes[0]


def test_the_stability_limit_is_that_of_the_oscillator() -> None:
    """|λ h| = h √(k/m); a step just below the limit is stable, one beyond it is not."""
    plant = oscillator(2e7)
    omega = math.sqrt(2e7 / 2.0)
    long = plant.simulate(t_end=60.0 / omega, step=3.0 / omega, method="rk4")
    assert "|λ h| = 3 " in long.doubts[0] and "'coil'" in long.doubts[0]
    assert long.status == "UNSTABLE"
    fitting = re.search(r"step <= (\S+),", long.doubts[0])
    assert fitting
    assert float(fitting[1]) == pytest.approx(2.6 / omega, rel=0.02)
    short = plant.simulate(t_end=0.05, step=0.2 / omega, method="rk4")
    assert (short.doubts, short.status) == ((), "OK")


def test_a_law_without_a_slope_does_not_hide_the_stiff_one() -> None:
    """An orifice at rest: the slope of its square root is infinite there."""
    m = il.Model("orifice", gravity=(0, 0, 0))
    piston = m.body("piston", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.joint_force(piston, lambda q, qd: -100.0 * il.sqrt(il.absolute(qd)), name="orifice")
    m.joint_force(piston, lambda q: -1e8 * q, name="stop")
    found = m.compile().simulate(t_end=0.1, method="rk4")
    assert "stiffest there is 'stop'" in found.doubts[0]


def test_stiff_damping_is_told() -> None:
    """λ = -d/m on the real axis."""
    plant = oscillator(100.0, 8e3)
    plant.bounds["mass"] = (1e30, 1e30)
    run = plant.simulate(t_end=0.02, method="rk4")
    assert "|λ h| = 4 " in run.doubts[0] and "'coil'" in run.doubts[0]
    chosen = plant.simulate(t_end=0.02)
    assert chosen.method == "implicit" and not chosen.doubts


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e6])
def test_no_size_is_taken_for_granted(scale: float) -> None:
    m = il.Model("scaled", gravity=(0, 0, 0))
    body = m.body(
        "mass", on=m.ground, joint=il.prismatic("x", initial=(0.3 * scale, 0.0)), mass=2.0
    )
    m.torsion_spring(body, 2e7, name="coil")
    plant = m.compile()
    plant.bounds["mass"] = (1e30, 1e30)  # the last one is faster than light
    run = plant.simulate(t_end=0.01, method="rk4")
    assert "|λ h| = 3.16 " in run.doubts[0] and "'coil'" in run.doubts[0]
    assert not plant.simulate(t_end=0.01, step=1e-4, method="rk4").doubts


def test_symplectic_euler_has_its_own_limit() -> None:
    plant, omega = oscillator(50.0), 5.0
    long = plant.simulate(t_end=44.0 / omega, step=2.2 / omega, method="euler")
    assert "|λ h| = 2.2 " in long.doubts[0]
    assert not plant.simulate(t_end=20.0, step=0.02 / omega, method="euler").doubts


def test_a_top_near_its_singular_angle_is_told() -> None:
    """Two joints nearly in line: energy says that the step is too long, and from when on."""
    plant = top()
    start = {"q": {"nutation": 0.03}, "qd": {"spin": 30.0, "nutation": -2.0}}
    rough = plant.simulate(t_end=2.0, method="rk4", **start)
    assert rough.energy_drift() > 5e-3
    assert "'precession' and 'spin' are nearly in line" in rough.doubts[0]
    # they are in line when the nutation passes 0, or as near to it as it comes
    closest = rough.t[np.argmin(np.abs(rough["nutation.q"][:100]))]
    assert time_of(rough.doubts[0]) == pytest.approx(closest, abs=3e-3)
    chosen = plant.simulate(t_end=2.0, **start)
    fine = plant.simulate(t_end=2.0, step=2e-5, sample=1e-3, method="rk4", **start)
    assert chosen.method == "rodas" and not chosen.doubts
    assert np.abs(chosen["nutation.q"] - fine["nutation.q"]).max() < 1e-3
    assert np.abs(rough["nutation.q"] - fine["nutation.q"]).max() > 1e-3


def test_ordinary_runs_stay_as_they_were() -> None:
    plant = oscillator(50.0, 3.0)
    run, named = plant.simulate(t_end=1.0), plant.simulate(t_end=1.0, method="rk4")
    assert (run.method, run.notes, run.status) == ("rk4", (), "OK")
    np.testing.assert_array_equal(run.q, named.q)


def test_a_continued_run_keeps_its_method() -> None:
    plant = ball(il.power_law(1e7))
    first = plant.simulate(t_end=0.5)
    rest = plant.simulate(t_end=1.2, start=first)
    assert (first.method, rest.method, rest.tolerance) == ("rodas", "rodas", first.tolerance)
    after = rest["ball.q"].max() - BALL
    assert after == pytest.approx(FALL, rel=1e-3)


def test_against_the_clock_contacts_and_stiff_laws_get_implicit_steps() -> None:
    assert Options().method is None
    cases = [
        (ball(il.power_law(1e3)), "implicit"),
        (oscillator(2e7), "implicit"),
        (oscillator(50.0), "rk4"),
        (top(), "rk4"),
    ]
    for plant, method in cases:
        assert method_at_start(plant, None, None, {}, 1e-3) == method


@pytest.mark.thinned(4)
@pytest.mark.parametrize("stiffness", [1e6, 1e8, 1e10])
@pytest.mark.parametrize("mass", [1.0, 0.05, 0.001])
def test_a_dropped_ball_with_everything_by_default(stiffness: float, mass: float) -> None:
    """The contact of the readme, against another integrator with an impact in small steps."""
    found = ball(il.hunt_crossley(stiffness, 1.5, 0.3), mass).simulate(t_end=0.8)
    assert (found.status, found.doubts) == ("OK", ())

    def rates(_: float, x: np.ndarray) -> list[float]:
        press = max(0.0, stiffness * max(0.0, -x[0]) ** 1.5 * (1.0 - 0.3 * x[1]))
        return [x[1], press / mass - 9.81]

    # up to the floor by hand, the impact by LSODA, then up again by hand
    deepest = (1.25 * mass * 2.0 * 9.81 * FALL / stiffness) ** 0.4
    longest = 20.0 * deepest / math.sqrt(2.0 * 9.81 * FALL)
    start = [0.0, -math.sqrt(2.0 * 9.81 * FALL)]
    leaves = lambda _, x: x[0] if x[1] > 0.0 else -1.0  # noqa: E731
    leaves.terminal = True  # type: ignore[attr-defined]
    hit = solve_ivp(rates, (0.0, longest), start, "LSODA", rtol=1e-10, atol=1e-14, events=leaves,
                    max_step=longest / 500.0)  # fmt: skip
    speed = float(hit.y_events[0][0][1])
    t = found.t - IMPACT - float(hit.t_events[0][0])
    flight = (t > 0.0) & (t < speed / 9.81)
    height = speed * t - 0.5 * 9.81 * t**2
    np.testing.assert_allclose(found["ball.q"][flight] - BALL, height[flight], atol=2e-3)
    rise = found["ball.q"][found.t > IMPACT].max() - BALL
    assert rise == pytest.approx(speed**2 / (2.0 * 9.81), rel=5e-3)


def test_slopes_are_not_taken_over_velocities_that_are_rounding() -> None:
    """Beside the weight, what a damper does at 1e-17 m/s is lost: so would be its stiffness."""
    m = il.Model("resting", gravity=(0, 0, -9.81))
    m.body("load", on=m.ground, joint=il.prismatic("z"), mass=3.7)
    m.joint_force("load", lambda q, qd: 3.7 * 9.81 - 91.0 * (q - 0.31) - 296.0 * qd, name="pot")
    plant = m.compile()
    start: dict[str, Any] = {"method": "rk4", "q": {"load": 0.31}, "qd": {"load": 1e-17}}
    # λ² + 80 λ + 24.6 = 0: -79.69 and -0.31
    long = plant.simulate(t_end=0.15, step=0.05, **start)
    assert long.doubts and "|λ h| = 3.98 " in long.doubts[0]
    short = plant.simulate(t_end=0.15, step=0.03, **start)
    assert (short.doubts, short.status) == ((), "OK")


def test_what_swings_is_not_taken_for_settled() -> None:
    """A forced pendulum in steps of half its period: implicit steps lost it, by 30 rad."""
    m = il.Model("swing")
    m.body("rod", on=m.ground, joint=il.revolute("y", initial=(0.5, 0.0)), mass=1.2,
           com=(0, 0, -0.7), inertia=(0.012, 0.012, 0.001))  # fmt: skip
    m.joint_force("rod", lambda qd, t: -2.0 * il.sin(3.0 * t) - 0.1 * qd)
    result = m.compile().simulate(t_end=10.0, step=1.0)
    inertia, weight = 1.2 * 0.7**2 + 0.012, 1.2 * 9.81 * 0.7

    def rates(t: float, x: np.ndarray) -> list[float]:
        pull = -weight * np.sin(x[0]) - 2.0 * np.sin(3.0 * t) - 0.1 * x[1]
        return [x[1], pull / inertia]

    exact = solve_ivp(rates, (0, 10), (0.5, 0), t_eval=result.t, rtol=1e-10, atol=1e-10).y[0]
    assert np.ptp(exact) > 1.0
    np.testing.assert_allclose(result["rod.q"], exact, atol=1e-4)
    assert "integrated by rodas" in result.notes[0]
