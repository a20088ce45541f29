"""Positions of rest against energy minima, closed forms and hand-made balances."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import inloop as il
from inloop.analysis import equilibrium, sweep


@pytest.fixture(scope="module")
def four_bar() -> il.Plant:
    return mech.four_bar().compile()


def energy_minimum(branch: float, near: float, k: float = mech.STIFFNESS) -> float:
    found = minimize_scalar(
        lambda x: mech.potential(x, branch, k), bounds=(near - 0.4, near + 0.4), method="bounded",
        options={"xatol": 1e-12},
    )  # fmt: skip
    assert abs(found.x - near) < 0.39
    return float(found.x)


def test_four_bar_with_spring_minimizes_its_energy(four_bar: il.Plant) -> None:
    found = equilibrium(four_bar)
    branch = mech.branch_of(four_bar, found.q)
    best = energy_minimum(branch, found["crank"])
    # a minimum tells its place to the square root of rounding; its slope tells more
    assert found["crank"] == pytest.approx(best, abs=1e-7)
    h = 1e-4
    V = [mech.potential(found["crank"] + s * h, branch) for s in (-2, -1, 1, 2)]
    slope = (8 * (V[2] - V[1]) - (V[3] - V[0])) / (12 * h)
    assert abs(slope) < 1e-9
    assert four_bar.evaluate("constraints", q=found.q, qd=np.zeros(3))["h"] == pytest.approx(
        0.0, abs=1e-13
    )
    assert found.stability == "stable" and found.residual < 1e-10
    assert "equilibrium, stable" in str(found) and "crank" in str(found)
    # it is a rest of the simulated motion too
    run = four_bar.simulate(t_end=0.5, q={"crank": found["crank"]})
    assert np.ptp(run["crank.q"]) < 1e-8


def test_frequency_at_equilibrium_from_energy(four_bar: il.Plant) -> None:
    found = equilibrium(four_bar)
    branch, h = mech.branch_of(four_bar, found.q), 2e-3
    V = [mech.potential(found["crank"] + s * h, branch) for s in (-2, -1, 0, 1, 2)]
    stiffness = (-V[0] + 16 * V[1] - 30 * V[2] + 16 * V[3] - V[4]) / (12 * h * h)
    omega = np.sqrt(stiffness / mech.inertia(found["crank"], branch))
    assert np.abs(found.eigenvalues.imag).max() == pytest.approx(omega, rel=1e-7)


def test_unknown_parameter_and_effort(four_bar: il.Plant) -> None:
    rest = equilibrium(four_bar, q={"crank": 0.7}, unknowns=["k"])
    assert rest["crank"] == pytest.approx(0.7, abs=1e-12)
    assert four_bar.parameters["k"] == mech.STIFFNESS
    branch, h = mech.branch_of(four_bar, rest.q), 1e-4
    dV = [mech.potential(0.7 + s * h, branch, rest["k"]) for s in (-2, -1, 1, 2)]
    assert abs(8 * (dV[2] - dV[1]) - (dV[3] - dV[0])) / (12 * h) < 1e-8
    by_effort = equilibrium(four_bar, q={"crank": 0.7}, unknowns=["crank.effort"])
    dV = [mech.potential(0.7 + s * h, branch) for s in (-2, -1, 1, 2)]
    slope = (8 * (dV[2] - dV[1]) - (dV[3] - dV[0])) / (12 * h)
    assert by_effort["crank.effort"] == pytest.approx(slope, rel=1e-9)
    # held instead: the same effort holds it
    held = equilibrium(four_bar, q={"crank": 0.7}, fixed=["crank"])
    assert held["crank.effort"] == pytest.approx(slope, rel=1e-9)
    driven = equilibrium(mech.four_bar(drive=True).compile(), q={"crank": 0.7})
    assert driven["crank.effort"] == pytest.approx(slope, rel=1e-9)


def test_a_stiffness_that_would_be_negative_is_no_equilibrium(four_bar: il.Plant) -> None:
    branch, h = mech.branch_of(four_bar, four_bar.formulation.home()), 1e-4
    slopes = [
        (mech.potential(-0.6 + h, branch, k) - mech.potential(-0.6 - h, branch, k)) / (2 * h)
        for k in (0.0, 1.0)
    ]
    assert -slopes[0] / (slopes[1] - slopes[0]) < 0.0
    with pytest.raises(il.SimulationError, match=r"no equilibrium .* 'k' stays in 0 \.\. inf"):
        equilibrium(four_bar, q={"crank": -0.6}, unknowns=["k"])


def test_pendulum_with_effort() -> None:
    plant = mech.pendulum().compile()
    found = equilibrium(plant, tau={"rod": -2.0})
    # weight and effort balance: m g l sin q = -tau up to the sign of y
    assert abs(np.sin(found["rod"])) == pytest.approx(2.0 / (1.7 * mech.G * 0.43), rel=1e-12)
    assert found.stable
    top = equilibrium(plant, q={"rod": 3.0})
    assert top["rod"] == pytest.approx(np.pi, abs=1e-12)
    assert top.stability == "unstable" and not top.stable
    # a start where the effort is largest has no slope to follow
    assert equilibrium(plant, q={"rod": np.pi / 2}).residual < 1e-10
    assert equilibrium(mech.pendulum(0.3).compile()).stability == "asymptotically stable"


def test_no_equilibrium_is_told() -> None:
    plant = mech.pendulum().compile()
    with pytest.raises(
        il.SimulationError,
        match=r"'pendulum' has no equilibrium near the start: 2\.8\d+ N·m is left on 'rod'",
    ):
        equilibrium(plant, tau={"rod": 10.0})
    m = il.Model("stone")
    m.body("stone", on=m.ground, joint=il.prismatic("z"), mass=0.7)
    with pytest.raises(il.SimulationError, match=r"6\.867 N is left on 'stone'.*fixed="):
        equilibrium(m.compile())


def test_neutral() -> None:
    m = il.Model("puck")
    m.body("puck", on=m.ground, joint=il.prismatic("x"), mass=0.7)
    assert equilibrium(m.compile()).stability == "neutral"


def test_wrong_names(four_bar: il.Plant) -> None:
    with pytest.raises(il.InputError, match="'coupler' is dependent, not independent"):
        equilibrium(four_bar, fixed=["coupler"])
    with pytest.raises(il.InputError, match="no coordinate, effort, input or parameter 'krank'"):
        equilibrium(four_bar, unknowns=["krank"])
    with pytest.raises(il.InputError, match="both unknown and fixed"):
        equilibrium(four_bar, unknowns=["crank"], fixed=["crank"])


def test_inputs_of_a_drive_do_not_move_what_rests() -> None:
    plant = mech.four_bar(drive=True).compile()
    for ask in (
        lambda: equilibrium(plant, inputs={"crank.q": 0.3}),
        lambda: equilibrium(plant, inputs={"crank.qd": 1.0}),
        lambda: equilibrium(plant, unknowns=["crank.q"]),
        lambda: sweep(plant, "crank.q", [0.1, 0.3]),
    ):
        with pytest.raises(il.InputError, match=r"'crank\.qd?'.* leads the driven joint 'crank'"):
            ask()
    found = equilibrium(plant, q={"crank": 0.3}, inputs={"crank.q": 0.3})
    assert found["crank"] == 0.3
    assert sweep(plant, "crank", [0.1, 0.3])["crank.effort"][1] == found["crank.effort"]


def test_a_sweep_stays_on_its_branch_however_few_its_values(four_bar: il.Plant) -> None:
    branch = mech.branch_of(four_bar, four_bar.formulation.home())
    for last in (5.0, -7.0):
        found = sweep(four_bar, "crank", [-0.9, 0.5 * (last - 0.9), last])
        for each in found.equilibria:
            assert mech.branch_of(four_bar, each.q) == branch
            assert abs(each["rocker"]) < np.pi  # it never turns over


def test_a_sweep_names_what_it_cannot_tell(four_bar: il.Plant) -> None:
    with pytest.raises(il.InputError, match=r"^model 'four_bar' has no signal 'zz'"):
        sweep(four_bar, "crank", [-0.9, -0.8], ["zz"])


def test_sweep_over_a_coordinate(four_bar: il.Plant) -> None:
    angles = np.linspace(-1.2, 0.4, 9)
    found = sweep(four_bar, "crank", angles, ["crank.effort", "coupler.end.x"])
    branch, h = mech.branch_of(four_bar, found.equilibria[0].q), 1e-4
    for angle, effort, x in zip(angles, found["crank.effort"], found["coupler.end.x"], strict=True):
        V = [mech.potential(angle + s * h, branch) for s in (-2, -1, 1, 2)]
        assert effort == pytest.approx((8 * (V[2] - V[1]) - (V[3] - V[0])) / (12 * h), abs=1e-8)
        assert x == pytest.approx(mech.pins(angle, branch)[1][0], abs=1e-11)
    assert "crank.effort" in str(found)


def test_sweep_over_a_parameter(four_bar: il.Plant) -> None:
    ks, h = [61.0, 70.0, 90.0], 1e-4
    found = sweep(four_bar, "k", ks, ["crank.q", lambda e: e.q[0] * 2])
    for k, angle, equilibrium_ in zip(ks, found["crank.q"], found.equilibria, strict=True):
        branch = mech.branch_of(four_bar, equilibrium_.q)
        assert angle == pytest.approx(energy_minimum(branch, angle, k), abs=1e-7)
        V = [mech.potential(angle + s * h, branch, k) for s in (-2, -1, 1, 2)]
        assert abs(8 * (V[2] - V[1]) - (V[3] - V[0])) / (12 * h) < 1e-8
    assert np.ptp(found["crank.q"]) > 0.01
    assert four_bar.parameters["k"] == mech.STIFFNESS


@pytest.mark.long
def test_sweep_that_loses_its_equilibrium() -> None:
    plant = mech.pendulum().compile()
    with pytest.raises(il.SimulationError, match=r"over 'rod.effort' lost .* at 9") as error:
        sweep(plant, "rod.effort", [0.0, 3.0, 6.0, 9.0])
    assert len(error.value.result.equilibria) == 3
    sines = np.abs(np.sin(error.value.result["rod.q"]))
    np.testing.assert_allclose(sines * 1.7 * mech.G * 0.43, [0.0, 3.0, 6.0], atol=1e-11)
