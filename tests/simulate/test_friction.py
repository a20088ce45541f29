"""Friction in runs: SciPy on equations written by hand, sticking, sliding, dissipation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import CubicSpline

import inloop as il
from inloop import gallery

# how stiff friction is integrated
REAL_TIME: dict[str, Any] = {"method": "implicit", "step": 1e-3}
STIFF: dict[str, Any] = {"method": "rodas", "tolerance": 1e-9, "step": 1e-3}
G = 9.81


def lugre_by_hand(v: float, z: float, s0: float, fs: float, elastic: float) -> float:
    """Rate of the bristles, case by case."""
    largest, limit = fs / s0, elastic * fs / s0
    if elastic == 0.0:
        alpha = 1.0
    elif np.sign(v) != np.sign(z) or abs(z) <= limit:
        alpha = 0.0
    elif abs(z) >= largest:
        alpha = 1.0
    else:
        middle = (largest + limit) / 2.0
        alpha = 0.5 * math.sin(math.pi * (abs(z) - middle) / (largest - limit)) + 0.5
    return v * (1.0 - alpha * s0 * z * np.sign(v) / fs)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("elastic", [0.0, 0.7])
def test_stick_slip_against_scipy(elastic: float) -> None:
    s0, s1, s2 = 1e5, math.sqrt(1e5), 0.4

    def rates(t: float, x: np.ndarray) -> list[float]:
        q, v, z = x
        zd = lugre_by_hand(v, z, s0, 1.0 + 0.5 * math.exp(-((v / 1e-3) ** 2)), elastic)
        return [v, 2.0 * (0.1 * t - q) - (s0 * z + s1 * zd + s2 * v), zd]

    known = solve_ivp(rates, (0.0, 12.0), [0.0] * 3, "Radau", rtol=1e-9, atol=[1e-12, 1e-12, 1e-16])
    plant = gallery.get("stick_slip").build(elastic=elastic).compile()
    states = []
    for tolerance in (2e-8, 1e-8):
        run = plant.simulate(t_end=12.0, step=0.01, method="rodas", tolerance=tolerance)
        states.append([run[name][-1] for name in ("block.q", "block.qd", "friction.z")])
    assert np.abs(np.subtract(*states)).max() < 1e-6
    np.testing.assert_allclose(states[1], known.y[:, -1], rtol=0, atol=1e-7)
    # it sticks and slips: long rests, and jumps that are much faster than the pull
    v = run["block.qd"]
    assert np.mean(np.abs(v) < 1e-4) > 0.4 and v.max() > 0.3
    # the outputs are the forces that act
    np.testing.assert_allclose(run["pull.force"], 2.0 * (0.1 * run.t - run["block.q"]), atol=1e-12)
    assert run["friction.effort"].min() == pytest.approx(-1.5, abs=0.05)


def presliding(slope: float, mu: float, stiffness: float, elastic: float = 0.7) -> float:
    """Displacement until the bristles hold the block: x = ∫ dz/(1 - alpha z/zh)."""
    largest = mu / stiffness

    def slowness(z: float) -> float:
        return 1.0 / lugre_by_hand(1.0, z, stiffness, mu, elastic)

    value, _ = quad(
        slowness, 0.0, slope / stiffness, points=[elastic * largest], epsabs=0.0, epsrel=1e-12
    )
    return float(value)


@pytest.mark.parametrize("angle", [0.2, 0.6])
@pytest.mark.parametrize("stepping", [STIFF, REAL_TIME], ids=["rodas", "implicit"])
def test_a_block_on_an_incline_stays_or_slides(angle: float, stepping: dict[str, Any]) -> None:
    plant = gallery.get("incline").build().compile()
    plant.parameters["angle"] = angle
    slope = math.tan(angle)
    plant.parameters["mu"] = 1.01 * slope
    held = plant.simulate(t_end=60.0, **stepping, sample=0.01)
    x = held["block.q"]
    assert np.abs(x).max() < 1e-6
    assert x[-1] == pytest.approx(presliding(slope, 1.01 * slope, 5e6), rel=1e-2)
    # no creep: less than 10 pm in 59 s
    assert np.ptp(x[held.t > 1.0]) < 1e-11
    plant.parameters["mu"] = 0.99 * slope
    slid = plant.simulate(t_end=60.0, **stepping, sample=0.01)
    v, late = slid["block.qd"], slid.t > 1.0
    expected = G * (math.sin(angle) - 0.99 * slope * math.cos(angle))
    accelerations = np.diff(v[late]) / np.diff(slid.t[late])
    assert np.abs(accelerations / expected - 1.0).max() < 1e-3
    assert slid["block.q"][-1] == pytest.approx(expected * 1800.0, rel=1e-3)


def test_only_the_elastic_range_stops_creep() -> None:
    """A load that swings below the limit moves plain LuGre on, cycle after cycle."""
    creep = {}
    for elastic in (0.0, 0.7):
        m = il.Model("held", gravity=(0.0, 0.0, 0.0))
        m.body("block", on=m.ground, joint=il.prismatic("x"), mass=1.0)
        m.joint_force("block", lambda t: 0.4 + 0.2 * il.sin(4.0 * math.tau * t))
        m.lugre("block", stiffness=1e5, damping=600.0, coulomb=1.0, elastic=elastic, name="f")
        run = m.compile().simulate(t_end=10.0, **STIFF)
        # at the same phase, after the start has died away
        creep[elastic] = run["block.q"][9500] - run["block.q"][2500]
    assert creep[0.0] > 1e-6
    assert abs(creep[0.7]) < 1e-9


@pytest.mark.thinned(4)
@pytest.mark.parametrize("amplitude", [4e-6, 1.1e-5, 3e-5, 1e-2])
@pytest.mark.parametrize("elastic", [0.0, 0.7])
def test_friction_takes_energy_over_every_cycle(amplitude: float, elastic: float) -> None:
    """From elastic presliding to gross sliding; stiffness 1e5 N/m, deflection up to 10 µm."""
    m = il.Model("shaken", gravity=(0.0, 0.0, 0.0))
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.drive("block", lambda t: amplitude * il.sin(math.tau * t))
    m.lugre("block", stiffness=1e5, damping=30.0, coulomb=1.0, static=1.3, stribeck=5e-3,
            elastic=elastic, name="f")  # fmt: skip
    run = m.compile().simulate(t_end=3.0, **{**STIFF, "step": 1e-4})
    power = -run["f.effort"] * run["block.qd"]
    for cycle in range(1, 3):
        inside = (run.t >= cycle - 1e-9) & (run.t <= cycle + 1 + 1e-9)
        work = np.trapezoid(power[inside], run.t[inside])
        assert work > 0.0
        if amplitude == 1e-2:
            # 4 amplitudes at no less than coulomb and no more than static friction
            assert 4 * amplitude * 1.0 * 0.99 < work < 4 * amplitude * 1.3


def test_outputs_balance_the_energy() -> None:
    """What the laws say they do is what the block gains, and friction only takes."""
    plant = gallery.get("stick_slip").build().compile()
    run = plant.simulate(t_end=25.0, step=1e-3, method="rodas", tolerance=1e-10)
    v = run["block.qd"]
    works = {
        name: CubicSpline(run.t, run[name] * v).antiderivative()(run.t)
        for name in ("friction.effort", "pull.force")
    }
    gained = run["energy.kinetic"] - run["energy.kinetic"][0]
    assert gained.max() > 0.02
    np.testing.assert_allclose(sum(works.values()), gained, rtol=0, atol=1e-4 * gained.max())
    assert works["friction.effort"][-1] < -1.0


def test_friction_of_a_bearing_follows_its_reaction() -> None:
    """A pendulum in a bearing with friction mu N at radius r, N through a filter."""
    mass, length, r, mu, v0, lag = 1.3, 0.7, 0.05, 0.3, 0.01, 0.02
    m = il.Model("bearing")
    m.body("bob", on=m.ground, joint=il.revolute("y", initial=(1.2, 0.0)), mass=mass,
           com=(0.0, 0.0, -length))  # fmt: skip
    m.coulomb("bob", coulomb=mu, velocity=v0, normal="reaction", radius=r, reaction_time=lag,
              reaction_start=2.0, name="f")  # fmt: skip
    run = m.compile().simulate(t_end=3.0, step=1e-3, method="dopri", tolerance=1e-10)

    def rates(t: float, x: np.ndarray) -> list[float]:
        q, qd, N = x
        torque = -r * N * mu * math.tanh(r * qd / v0)
        qdd = (-mass * G * length * math.sin(q) + torque) / (mass * length**2)
        along = mass * length * qd**2 + mass * G * math.cos(q)
        across = mass * length * qdd + mass * G * math.sin(q)
        return [qd, qdd, (math.hypot(along, across) - N) / lag]

    known = solve_ivp(
        rates, (0.0, 3.0), [1.2, 0.0, 2.0], "DOP853", t_eval=run.t, rtol=1e-11, atol=1e-12
    )
    for signal, expected in zip(("bob.q", "bob.qd", "f.N"), known.y, strict=True):
        np.testing.assert_allclose(run[signal], expected, rtol=0, atol=1e-7)
    assert np.ptp(run["f.normal"]) > 5.0  # the load matters
    np.testing.assert_array_equal(run["f.normal"], run["f.N"])


def test_reaction_of_a_sliding_joint_on_a_turning_arm() -> None:
    """A bead on a turning rod: pressed by Coriolis force and weight."""
    m = il.Model("whirl")
    m.body("arm", on=m.ground, joint=il.revolute("z", initial=(0.0, 8.0)), mass=1.0,
           inertia=(0.1, 0.1, 0.2))  # fmt: skip
    m.body("bead", on="arm", joint=il.prismatic("x", initial=(0.1, 0.0)), mass=0.4)
    m.coulomb("bead", coulomb=0.3, velocity=0.01, normal="reaction", reaction_time=5e-3,
              reaction_start=4.0, name="f")  # fmt: skip
    run = m.compile().simulate(t_end=1.5, step=1e-3, method="dopri", tolerance=1e-10)

    def rates(t: float, x: np.ndarray) -> list[float]:
        om, s, sd, N = x
        friction = -0.3 * N * math.tanh(sd / 0.01)
        sdd = s * om**2 + friction / 0.4
        omd = -2.0 * 0.4 * s * sd * om / (0.2 + 0.4 * s**2)
        across = 0.4 * (s * omd + 2.0 * sd * om)
        return [omd, sd, sdd, (math.hypot(across, 0.4 * G) - N) / 5e-3]

    known = solve_ivp(
        rates, (0.0, 1.5), [8.0, 0.1, 0.0, 4.0], "DOP853", t_eval=run.t, rtol=1e-11, atol=1e-12
    )
    signals = ("arm.qd", "bead.q", "bead.qd", "f.N")
    for signal, expected in zip(signals, known.y, strict=True):
        np.testing.assert_allclose(run[signal], expected, rtol=0, atol=1e-7)
    assert run["bead.q"][-1] > 0.3


def test_reactions_in_a_loop_press_the_slider() -> None:
    """The filter follows the reaction that is computed apart, cut forces included."""
    m = il.Model("press")
    m.body(
        "crank",
        on=m.ground,
        joint=il.revolute("y", initial=(-0.7, 3.0)),
        mass=0.8,
        com=(0.05, 0.0, 0.0),
        inertia=(1e-3, 2e-3, 2e-3),
    ).point("pin", (0.1, 0.0, 0.0))
    rod = m.body("rod", on="crank.pin", joint=il.revolute("y", guess=0.9), mass=0.6,
                 com=(0.15, 0.0, 0.0), inertia=(1e-3, 5e-3, 5e-3))  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.37), mass=1.1)
    m.close(rod.point("end", (0.3, 0.0, 0.0)), slider.origin, name="pin")
    lag = 0.01
    m.coulomb("slider", coulomb=0.2, velocity=0.05, normal="reaction", reaction_time=lag,
              reaction_start=10.0, name="f")  # fmt: skip
    run = m.compile().simulate(t_end=0.5, step=1e-4, method="rk4", reactions=["slider"])
    radial = np.hypot(run["slider.force.y"], run["slider.force.z"])
    assert np.ptp(radial) > 1.0
    N = run["f.N"]
    rate = np.gradient(N, run.t, edge_order=2)
    inner = slice(2, -2)
    np.testing.assert_allclose(
        (lag * rate + N)[inner], radial[inner], rtol=0, atol=1e-4 * np.abs(radial).max()
    )
    assert "slider.force.x" in run.names and "crank.force.x" not in run.names


def test_unknown_joints_are_refused() -> None:
    plant = gallery.get("incline").build().compile()
    with pytest.raises(il.InputError, match="reactions: model 'incline' has no joint 'blok'"):
        plant.simulate(t_end=0.1, reactions=["blok"])
