"""One rod: its frequencies and sag in closed form, its energy, its rigid limit."""

from __future__ import annotations

import numpy as np
import pytest
from rods import EA, ROD, clamped
from scipy.optimize import brentq

import inloop as il


def theory(count: int) -> np.ndarray:
    """Frequencies of a clamped beam [Hz]: cos(k L) cosh(k L) = -1."""
    L, rho, EI = ROD["length"], ROD["mass_per_length"], ROD["EI"]
    roots = [
        brentq(lambda x: np.cos(x) + 1.0 / np.cosh(x), (n - 1) * np.pi + 1e-9, n * np.pi)
        for n in range(1, count + 1)
    ]
    return (np.array(roots) / L) ** 2 * np.sqrt(EI / rho) / (2.0 * np.pi)


def test_frequencies_of_the_clamped_rod() -> None:
    # bending modes come first: the first axial one is at 900 Hz
    four = clamped(4).eigenmodes(q=np.zeros(12)).frequencies[:4]
    assert four == pytest.approx([3.879, 24.336, 68.590, 135.31], rel=1e-3)
    ten = clamped(10).eigenmodes(q=np.zeros(30)).frequencies[:4]
    assert ten[:3] == pytest.approx(theory(3), rel=1e-3)
    # consistent masses: from above, and with the fourth power of the element's length
    gain = (four[1:3] / theory(3)[1:] - 1.0) / (ten[1:3] / theory(3)[1:] - 1.0)
    assert np.log(gain) / np.log(10 / 4) == pytest.approx([4.0, 4.0], abs=0.3)


def test_axial_frequencies_of_the_clamped_rod() -> None:
    plant = clamped(10)
    L, rho = ROD["length"], ROD["mass_per_length"]
    first = np.sqrt(EA / rho) / (4.0 * L)
    found = plant.eigenmodes(q=np.zeros(plant.n))
    axial = [k for k in range(len(found)) if abs(found.shapes[0, k]) > 0.5]
    assert found.frequencies[axial[0]] == pytest.approx(first, rel=2e-3)


def test_sag_and_clamping_force() -> None:
    plant = clamped(4, gravity=9.81)
    rest = plant.equilibrium()
    L, rho, EI = ROD["length"], ROD["mass_per_length"], ROD["EI"]
    sag = rho * 9.81 * L**4 / (8.0 * EI)
    assert sag == pytest.approx(25.5e-3, abs=0.05e-3)
    tip = plant.position("rod_4", rest.q)
    assert tip[2] == pytest.approx(-sag, rel=1e-3)
    # ½ ∫ w'² dx of w = sag (6 s² - 4 s³ + s⁴)/3
    assert L - tip[0] == pytest.approx(4.0 / 7.0 * sag**2 / L, rel=1e-2)


@pytest.mark.long
def test_swinging_keeps_energy(pendulum: il.Plant) -> None:
    run = pendulum.simulate(t_end=10.0, step=2.5e-5, sample=0.02)
    energy = run["energy.total"]
    assert np.ptp(energy) < 1e-6 * run["energy.kinetic"].max()
    assert run["energy.kinetic"].max() > 8.0
    assert np.abs(run["rod_2_r.q"]).max() > 2e-3  # it bends


def test_stiff_limit_is_a_rigid_pendulum(pendulum: il.Plant) -> None:
    m = il.Model("rigid", gravity=(0.0, 0.0, -9.81))
    mass, L = ROD["mass_per_length"] * ROD["length"], ROD["length"]
    about = mass * L**2 / 12.0
    m.body("hub", on=m.ground, joint=il.revolute("-y", armature=0.0021), mass=mass,
           com=(L / 2, 0.0, 0.0), inertia=(0.0, about, about))  # fmt: skip
    rigid = m.compile().simulate(t_end=2.0, step=1e-3, sample=0.01)
    pendulum.parameters["stiffer"] = 1e4
    try:
        stiff = pendulum.simulate(t_end=2.0, step=1e-3, sample=0.01, method="rodas")
    finally:
        pendulum.parameters["stiffer"] = 1.0
    assert np.ptp(rigid["hub.q"]) > 3.0
    assert stiff["hub.q"] == pytest.approx(rigid["hub.q"], abs=1e-4)
    soft = pendulum.simulate(t_end=0.5, step=1e-3, sample=0.01, method="rodas")
    assert np.abs(soft["hub.q"] - rigid["hub.q"][:51]).max() > 1e-4


def test_implicit_steps_see_the_stiffness(pendulum: il.Plant) -> None:
    """Ten times the step that an explicit method survives, and the order is two."""
    exact = pendulum.simulate(t_end=0.2, step=1e-5, sample=0.01)
    errors = []
    for step in (2e-4, 1e-4):
        run = pendulum.simulate(t_end=0.2, step=step, sample=0.01, method="implicit")
        errors.append(np.abs(run["rod_4_w.q"] - exact["rod_4_w.q"]).max())
    assert errors[0] < 0.05 * np.abs(exact["rod_4_w.q"]).max()
    assert np.log2(errors[0] / errors[1]) > 1.5
    with pytest.raises(il.SimulationError):
        pendulum.simulate(t_end=0.2, step=2e-4, method="rk4")
    chosen = pendulum.simulate(t_end=0.2, step=2e-4)
    assert chosen.method == "implicit" and "'rod'" in chosen.notes[0]


def test_tension_stiffens_a_hanging_rod() -> None:
    """Rayleigh's quotient: ω² rises by ∫ N w'² dx / ∫ rho w² dx, N the weight below."""
    frequencies = []
    for stiffening in (True, False):
        m = il.Model("hanging", gravity=(0.0, 0.0, -9.81))
        m.flexible_link("rod", on=m.ground, elements=6, along="-z", EA=EA, stiffening=stiffening,
                        **ROD)  # fmt: skip
        plant = m.compile(backend="python")
        rest = plant.equilibrium()
        frequencies.append(plant.eigenmodes(q=rest.q).frequencies[0])
    assert frequencies[1] == pytest.approx(theory(1)[0], rel=1e-3)
    # the first shape of a clamped beam
    k, L = 1.8751040687, ROD["length"]
    s = np.linspace(0.0, 1.0, 2001)
    ratio = (np.sinh(k) - np.sin(k)) / (np.cosh(k) + np.cos(k))
    w = np.cosh(k * s) - np.cos(k * s) - ratio * (np.sinh(k * s) - np.sin(k * s))
    wp = np.gradient(w, s) / L
    rho = ROD["mass_per_length"]
    added = np.trapezoid(rho * 9.81 * L * (1 - s) * wp**2, s) / np.trapezoid(rho * w**2, s)
    expected = np.sqrt(theory(1)[0] ** 2 + added / (2 * np.pi) ** 2)
    assert frequencies[0] == pytest.approx(expected, rel=2e-4)
    assert frequencies[0] > 1.005 * frequencies[1]
