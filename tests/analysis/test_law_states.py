"""Analyses of mechanisms whose force laws have states, against hand-derived linear systems."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from mechanisms import four_bar
from scipy.integrate import simpson, solve_ivp

import inloop as il

MASS, K0, K1, C1 = 1.9, 83.0, 47.0, 6.1  # a mass on a standard linear solid
LAG, GAIN, SPRING = 0.23, 31.0, 12.5  # an actuator that follows its command late


def solid(k0: float = K0, gravity: float = 0.0) -> il.Model:
    """A mass on a spring k0 and, beside it, a Maxwell element: spring k1 and damper c1 in line.

    z is where the damper's piston is: k1 (q - z) = c1 zd.
    """
    m = il.Model("solid", gravity=(-gravity, 0.0, 0.0))
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x"), mass=MASS)
    m.joint_force(slider, lambda q: -k0 * q, name="spring")
    m.joint_force(
        slider,
        lambda q, z: (-K1 * (q - z), {"z": K1 / C1 * (q - z)}),
        states={"z": 0.0},
        name="maxwell",
    )
    return m


def by_hand(k0: float = K0) -> np.ndarray:
    """A of x = (q, qd, z)."""
    return np.array(
        [[0.0, 1.0, 0.0], [-(k0 + K1) / MASS, 0.0, K1 / MASS], [K1 / C1, 0.0, -K1 / C1]]
    )


def test_a_maxwell_element_is_linearized_with_its_state() -> None:
    linear = (
        solid().compile().linearize(inputs=["slider.effort"], outputs=["slider.q", "maxwell.z"])
    )
    assert linear.states == ("slider.q", "slider.qd", "maxwell.z")
    assert pytest.approx(by_hand(), abs=1e-9) == linear.A
    assert linear.B[:, 0] == pytest.approx([0.0, 1.0 / MASS, 0.0], abs=1e-12)
    assert pytest.approx(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), abs=1e-12) == linear.C
    # the complex stiffness of the solid: k0 + k1 iωc / (k1 + iωc)
    f = 1.7
    s = 2j * np.pi * f
    stiffness = K0 + K1 * s * C1 / (K1 + s * C1)
    assert linear.response([f])[0, 0, 0] == pytest.approx(1.0 / (MASS * s**2 + stiffness))


def test_rates_about_a_state_out_of_rest() -> None:
    linear = (
        solid().compile().linearize({"slider": 0.21}, {"slider": -0.6}, states={"maxwell.z": 0.07})
    )
    x = np.array([0.21, -0.6, 0.07])
    assert linear.z == pytest.approx([0.07])
    assert linear.rates == pytest.approx(by_hand() @ x, abs=1e-12)


def test_modes_of_a_maxwell_element() -> None:
    modes = solid().compile().eigenmodes()
    expected = np.linalg.eigvals(by_hand())
    found = np.sort_complex(np.concatenate([modes.eigenvalues, modes.eigenvalues.conj()]))
    assert len(modes) == 2
    for value in expected:
        assert np.abs(found - value).min() < 1e-8 * abs(value)
    # δz = δq k1 / (k1 + λ c1)
    shape = modes.shapes[0] * K1 / (K1 + modes.eigenvalues * C1)
    assert modes.state_shapes[0] == pytest.approx(shape, rel=1e-7)


def test_equilibrium_takes_states_to_rest() -> None:
    plant = solid(gravity=9.81).compile()
    rest = plant.equilibrium({"slider": 0.3})
    # at rest the damper carries nothing
    assert rest["slider"] == pytest.approx(-MASS * 9.81 / K0, rel=1e-12)
    assert rest["maxwell.z"] == pytest.approx(rest["slider"], rel=1e-12)
    assert rest.stability == "asymptotically stable"
    assert "maxwell.z" in str(rest)
    assert np.abs(plant.linearize(rest.q, states=rest.z).rates).max() < 1e-12


def test_a_maxwell_element_alone_carries_nothing_for_long() -> None:
    with pytest.raises(il.SimulationError, match="no equilibrium"):
        solid(k0=0.0, gravity=9.81).compile().equilibrium()
    floating = solid(k0=0.0).compile().equilibrium()
    assert floating.stability == "neutral"
    # a motion that creeps back, and the eigenvalue 0 of a shift of all
    found = floating.eigenvalues
    assert np.count_nonzero(found == 0.0) == 1
    assert np.poly(found) == pytest.approx(np.poly(by_hand(0.0)), abs=1e-7)


def test_a_state_that_never_rests_is_named() -> None:
    m = il.Model("clock", gravity=(0.0, 0.0, 0.0))
    body = m.body("body", on=m.ground, joint=il.prismatic("x"), mass=1.3)
    m.joint_force(body, lambda q, z: (-4.0 * q, {"z": 2.5}), states={"z": 0.0}, name="count")
    with pytest.raises(il.SimulationError, match=r"state 'count\.z' changes at a rate of 2\.5"):
        m.compile().equilibrium()
    with pytest.raises(il.SimulationError, match=r"state 'count\.z' does not come to rest"):
        m.compile().eigenmodes({"body": 0.0})


def lagging() -> il.Model:
    """A pendulum whose motor follows its command with a lag of first order."""
    m = il.Model("lagging")
    command = m.input("command")
    arm = m.body(
        "arm", on=m.ground, joint=il.revolute("y"), mass=1.4, com=(0.0, 0.0, -0.6),
        inertia=(0.07, 0.09, 0.05),
    )  # fmt: skip
    m.joint_force(
        arm, lambda z: (GAIN * z, {"z": (command - z) / LAG}), states={"z": 0.0}, name="motor"
    )
    return m


def test_an_actuator_with_a_lag() -> None:
    plant = lagging().compile()
    inertia, weight = 0.09 + 1.4 * 0.6**2, 1.4 * 9.81 * 0.6
    rest = plant.equilibrium(inputs={"command": 0.12})
    angle = np.arcsin(GAIN * 0.12 / weight)
    assert rest["motor.z"] == pytest.approx(0.12, rel=1e-12)
    assert rest["arm"] == pytest.approx(angle, rel=1e-10)
    linear = plant.linearize(
        rest.q, states=rest.z, inputs=["command"], outputs=["arm.q"],
        input_values={"command": 0.12},
    )  # fmt: skip
    A = [
        [0.0, 1.0, 0.0],
        [-weight * np.cos(angle) / inertia, 0.0, GAIN / inertia],
        [0.0, 0.0, -1.0 / LAG],
    ]
    assert pytest.approx(np.array(A), abs=1e-8) == linear.A
    assert linear.B[:, 0] == pytest.approx([0.0, 0.0, 1.0 / LAG], abs=1e-9)


def test_an_equilibrium_with_a_command_as_unknown() -> None:
    plant = lagging().compile()
    rest = plant.equilibrium({"arm": 0.4}, unknowns=["command"])
    needed = 1.4 * 9.81 * 0.6 * np.sin(0.4) / GAIN
    assert rest["command"] == pytest.approx(needed, rel=1e-10)
    assert rest["motor.z"] == pytest.approx(needed, rel=1e-10)


def test_a_sweep_of_the_command() -> None:
    swept = lagging().compile().sweep("command", [0.0, 0.08, 0.16], ["arm.q", "motor.z"])
    angles = np.arcsin(GAIN * np.array([0.0, 0.08, 0.16]) / (1.4 * 9.81 * 0.6))
    assert swept["arm.q"] == pytest.approx(angles, abs=1e-10)
    assert swept["motor.z"] == pytest.approx([0.0, 0.08, 0.16], abs=1e-12)


def test_energy_of_a_run_with_states() -> None:
    plant = solid().compile()
    run = plant.simulate(t_end=3.0, step=1e-3, q={"slider": 0.2})
    audit = plant.energy_audit(run)
    assert audit.relative_error < 1e-9
    # what the laws took: what springs store less, and what the damper has burned
    q, z = run["slider.q"], run["maxwell.z"]
    stored = 0.5 * K0 * q**2 + 0.5 * K1 * (q - z) ** 2
    burned = simpson(K1**2 / C1 * (q - z) ** 2, x=run.t)
    assert audit.work["laws"][-1] == pytest.approx(
        stored[0] - stored[-1] - burned, abs=1e-9 * stored[0]
    )
    assert burned > 0.1 * stored[0]


def test_inverse_dynamics_follows_the_states() -> None:
    t = np.linspace(0.0, 2.0, 401)
    w, a = 4.3, 0.17
    q = a * np.sin(w * t)
    found = solid().compile().inverse_dynamics_run(t, {"slider": q}, states={"maxwell.z": 0.05})
    exact = solve_ivp(
        lambda s, z: K1 / C1 * (a * np.sin(w * s) - z), (0.0, 2.0), [0.05], "DOP853",
        t_eval=t, rtol=1e-12, atol=1e-14,
    ).y[0]  # fmt: skip
    assert found["maxwell.z"] == pytest.approx(exact, abs=1e-8)
    need = -MASS * a * w**2 * np.sin(w * t) + K0 * q + K1 * (q - exact)
    assert found["slider.effort"] == pytest.approx(need, abs=1e-5)


def test_a_closed_mechanism_with_a_damper_that_has_a_state() -> None:
    # a damper on the crank that acts late: with z = qd at once it is the damper itself
    def late(lag: float) -> il.Model:
        m = four_bar()
        m.joint_force(
            "crank", lambda qd, z: (-0.9 * z, {"z": (qd - z) / lag}), states={"z": 0.0}, name="late"
        )
        return m

    direct = four_bar()
    direct.joint_force("crank", lambda qd: -0.9 * qd)
    plain = direct.compile()
    known = plain.equilibrium()
    lag = 0.05
    plant = late(lag).compile()
    rest = plant.equilibrium()
    assert rest.q == pytest.approx(known.q, abs=1e-10)
    # M λ² + K + 0.9 λ / (1 + lag λ) = 0, with M and K of the four-bar itself
    M, K = known.motion.M[0, 0], known.motion.K[0, 0]
    expected = np.roots([M * lag, M, K * lag + 0.9, K])
    found = np.sort_complex(plant.eigenmodes().eigenvalues)
    for value in found:
        assert np.abs(expected - value).min() < 1e-6 * abs(value)
    linear = plant.linearize(rest.q, states=rest.z)
    assert linear.states == ("crank.q", "crank.qd", "late.z")
    assert np.poly(linear.eigenvalues) == pytest.approx(np.poly(expected), rel=1e-6)


def test_states_given_wrongly_are_told() -> None:
    plant = solid().compile()
    with pytest.raises(il.InputError, match=r"no state 'maxwell\.w'"):
        plant.linearize(states={"maxwell.w": 1.0})
    with pytest.raises(il.InputError, match="shape"):
        plant.equilibrium(states=np.zeros(2))


@pytest.mark.parametrize("speed", [0.0, 0.7])
def test_dry_friction_at_rest_is_no_linear_law_and_told(speed: float) -> None:
    m = il.Model("block")
    m.body("block", on=m.ground, joint=il.prismatic("x", name="slide"), mass=2.0)
    m.joint_force("slide", lambda q, qd: -3.0 * il.sign(qd) - 8.0 * q)
    plant = m.compile()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        A = plant.linearize(qd={"slide": speed}).A
    np.testing.assert_allclose(A, [[0.0, 1.0], [-4.0, 0.0]], atol=1e-9)
    assert ["not smooth in slide.qd" in str(w.message) for w in told] == [True] * (speed == 0.0)
