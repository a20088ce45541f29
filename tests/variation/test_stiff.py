"""Sensitivities of stiff plants: LuGre friction that sticks and slips, a damper far too strong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import inloop as il
from inloop.gallery.stick_slip import stick_slip

STEP = 1e-30  # along the imaginary axis: the derivative is its imaginary part, without cancellation
EXACT = 1e-8  # relative to the largest value over the run
STICK_SLIP = ("mass", "spring", "speed", "coulomb", "breakaway")


def lugre_rates(t, x, p):  # type: ignore[no-untyped-def]
    """A block at a spring whose end moves, with the friction of 1995."""
    s0, s1, s2, stribeck = 1e5, np.sqrt(1e5), 0.4, 1e-3
    q, v, z = x
    g = p["coulomb"] + (p["breakaway"] - p["coulomb"]) * np.exp(-((v / stribeck) ** 2))
    zd = v - s0 * np.sign(v.real) * v / g * z
    pull = p["spring"] * (p["speed"] * t - q)
    return np.array([v, (pull - s0 * z - s1 * zd - s2 * v) / p["mass"], zd])


def lugre_variations(parameters, times, tolerance):  # type: ignore[no-untyped-def]
    """x and its derivatives, integrated together by Radau: shape (1 + names, 3, times)."""

    def rates(t, y):  # type: ignore[no-untyped-def]
        x, found = y[:3], [lugre_rates(t, y[:3] + 0j, parameters).real]
        for k, name in enumerate(STICK_SLIP):
            p = {**parameters, name: parameters[name] + 1j * STEP}
            found.append(lugre_rates(t, x + 1j * STEP * y[3 * k + 3 : 3 * k + 6], p).imag / STEP)
        return np.concatenate(found)

    start = np.zeros(3 + 3 * len(STICK_SLIP))
    run = solve_ivp(rates, (0.0, times[-1]), start, "Radau", t_eval=times, rtol=tolerance,
                    atol=1e-13)  # fmt: skip
    return run.y.reshape(-1, 3, len(times))


@pytest.fixture(scope="module")
def block() -> il.Plant:
    plant = stick_slip(elastic=0.0).compile()
    plant.parameters["speed"] = 1.0
    return plant


@pytest.fixture(scope="module")
def wanted(block: il.Plant) -> np.ndarray:
    parameters = {name: block.parameters[name] for name in STICK_SLIP}
    return lugre_variations(parameters, 0.1 * np.arange(12), 1e-10)


# explicit steps have to be far shorter
GIVEN = [
    {"method": "rodas", "step": 5e-4},
    {"method": "rk4", "step": 1e-5},
    {"method": "implicit", "step": 5e-4},
    {"method": "rodas", "step": 5e-4, "tolerance": 1e-7},
]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("given", GIVEN, ids=lambda g: "-".join(map(str, g.values())))
def test_stick_slip(given: dict[str, Any], block: il.Plant, wanted: np.ndarray) -> None:
    """LuGre friction that sticks, then slips."""
    given = {"t_end": 1.1, "sample": 0.1, **given}
    run = block.simulate(**given, sensitivities=STICK_SLIP)
    assert run.sensitivities is not None
    signals = ("block.q", "block.qd", "friction.z")
    for name, columns in zip(STICK_SLIP, wanted[1:], strict=True):
        for k, signal in enumerate(signals):
            found, size = run.sensitivities[signal, name], np.abs(columns[k]).max()
            np.testing.assert_allclose(found, columns[k], rtol=0.0, atol=EXACT * size)
    assert abs(run["block.qd"][5]) < 1e-3 < 0.1 < run["block.qd"].max()
    if "tolerance" in given:
        return
    # backwards; what is nearly unstable before it slips costs some digits
    recorded = {name: np.cos(run.t) for name in signals[:2]}
    back = block.gradient(recorded, STICK_SLIP, **given)
    total = sum(2.0 * (run[x] - recorded[x]) @ run.sensitivities[x] for x in recorded)
    np.testing.assert_allclose(back.values, total, rtol=1e-7)


def test_steps_of_another_method_are_noted(block: il.Plant) -> None:
    run = block.simulate(t_end=1.1, step=5e-4, method="implicit", sensitivities=STICK_SLIP)
    (note,) = run.notes
    assert "those of the motion, by equal steps of Radau's method of order 5" in note
    assert "which differ from the run by 'implicit' by" in note and "'block.q'" in note


def overdamped(t: np.ndarray, k: complex, c: complex, q0: complex, v0: complex) -> np.ndarray:
    """q of q̈ = -k q - c q̇."""
    root = np.sqrt(c * c - 4.0 * k)
    fast, slow = -(c + root) / 2.0, -2.0 * k / (c + root)
    share = (v0 - slow * q0) / (fast - slow)
    return (q0 - share) * np.exp(slow * t) + share * np.exp(fast * t)


def test_a_damper_far_too_strong_for_explicit_steps() -> None:
    """A time constant of 20 µs in steps of 2 ms, against the closed form."""
    m = il.Model("slow")
    k, c = m.parameter("k", 1.7e5, unit="N/m"), m.parameter("c", 5e4, unit="N*s/m")
    m.body("mass", on=m.ground, joint=il.prismatic("x", initial=(0.3, -1.02)), mass=1.0)
    m.joint_force("mass", lambda q, qd: -k * q - c * qd, "strut")
    values = {"k": 1.7e5, "c": 5e4, "mass.q": 0.3, "mass.qd": -1.02}
    plant = m.compile()
    run = plant.simulate(t_end=0.5, step=2e-3, method="implicit", sensitivities=list(values))
    assert run.sensitivities is not None
    for name, value in values.items():
        at = [v + 1j * STEP * v * (name == which) for which, v in values.items()]
        exact = overdamped(run.t, *at).imag / STEP / value
        found, size = run.sensitivities["mass.q", name], np.abs(exact).max()
        # what decays within the first step is not resolved, and gone after ten
        np.testing.assert_allclose(found[10:], exact[10:], rtol=0.0, atol=EXACT * size)
    # what begins apart from that motion is not resolved by such steps
    with pytest.raises(il.SimulationError, match=r"would belong to a different run: 'mass\.qd'"):
        plant.simulate(t_end=0.01, step=2e-3, method="implicit", qd={"mass": 0.0},
                       sensitivities=list(values))  # fmt: skip
