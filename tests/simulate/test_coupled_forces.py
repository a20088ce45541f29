"""Laws of several coordinates: against closed forms, and against bodies that do the same."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il
from inloop.gallery.car.hard_points import BAR_STIFFNESS
from inloop.gallery.car.model import car

MASSES, STIFFNESS = (1.3, 0.7), 54.0


def two_sliders() -> il.Model:
    """Two sliders side by side that only a law joins."""
    m = il.Model("sliders", gravity=(0.0, 0.0, 0.0))
    for name, mass, start in (("a", MASSES[0], 0.2), ("b", MASSES[1], -0.1)):
        m.body(name, on=m.ground, joint=il.prismatic("x", initial=(start, 0.0)), mass=mass)
    return m


def spring_between(m: il.Model, k: object = STIFFNESS) -> str:
    return m.coupled_force(
        ["a", "b"], lambda q: (-k * (q[0] - q[1]), k * (q[0] - q[1])), name="spring"
    )


def stretch_of(t: np.ndarray) -> np.ndarray:
    """a - b of two masses on a spring that was stretched by 0.3 m."""
    reduced = MASSES[0] * MASSES[1] / sum(MASSES)
    return 0.3 * np.cos(np.sqrt(STIFFNESS / reduced) * t)


@pytest.mark.parametrize("method", ["rk4", "implicit"])
def test_two_masses_on_a_spring(method: str) -> None:
    m = two_sliders()
    spring_between(m, m.parameter("k", STIFFNESS, unit="N/m"))
    run = m.compile().simulate(t_end=1.0, step=1e-3 if method == "rk4" else 1e-4, method=method)
    tolerance = 1e-9 if method == "rk4" else 2e-6
    assert run["a.q"] - run["b.q"] == pytest.approx(stretch_of(run.t), abs=tolerance)
    center = (MASSES[0] * run["a.q"] + MASSES[1] * run["b.q"]) / sum(MASSES)
    assert center == pytest.approx(center[0], abs=1e-12)


def test_a_potential_gives_its_gradient() -> None:
    """V = k/2 (a - b)² + c a² b: by hand, and the energy is kept."""
    m = two_sliders()
    m.potential(["a", "b"], lambda q: 0.5 * STIFFNESS * (q[0] - q[1]) ** 2 + 7.0 * q[0] ** 2 * q[1])
    plant = m.compile()
    a, b = 0.31, -0.17
    by_hand = [-STIFFNESS * (a - b) - 14.0 * a * b, STIFFNESS * (a - b) - 7.0 * a**2]
    assert -plant.bias([a, b], [0.0, 0.0]) == pytest.approx(by_hand, rel=1e-14)
    run = plant.simulate(t_end=1.0, step=1e-3)
    total = run.energy[:, 0] + run["a_b_efforts.energy"]
    assert np.ptp(total) < 1e-9 < 0.1 < np.ptp(run.energy[:, 0])


def test_a_law_with_a_state_and_an_output() -> None:
    """A spring and a damper in series between the sliders: x'' of the stretch by matrices."""
    d = 3.1
    m = two_sliders()

    def maxwell(q, qd, z):
        force = STIFFNESS * (q[0] - q[1] - z)
        return (-force, force), {"z": force / d}, {"force": force}

    m.coupled_force(["a", "b"], maxwell, "series", states={"z": 0.0}, outputs={"force": "N"})
    run = m.compile().simulate(t_end=1.0, step=1e-3)
    per_mass = sum(1.0 / mass for mass in MASSES)
    A = np.array([[0.0, 1.0, 0.0], [-STIFFNESS * per_mass, 0.0, STIFFNESS * per_mass],
                  [STIFFNESS / d, 0.0, -STIFFNESS / d]])  # fmt: skip
    values, vectors = np.linalg.eig(A)
    parts = np.linalg.solve(vectors, np.array([0.3, 0.0, 0.0]))
    x = (vectors @ (parts[:, None] * np.exp(np.outer(values, run.t)))).real
    assert run["a.q"] - run["b.q"] == pytest.approx(x[0], abs=1e-9)
    assert run["series.z"] == pytest.approx(x[2], abs=1e-9)
    assert run["series.force"] == pytest.approx(STIFFNESS * (x[0] - x[2]), abs=1e-7)


def test_in_one_mode_only() -> None:
    """The spring breaks at its strength; the sliders go on with what they had then."""
    m = two_sliders()
    whole, broken = m.mode("whole"), m.mode("broken")
    with m.during(whole):
        spring_between(m)
    m.event("tear", lambda t: 0.1 - t, mode=whole, to=broken)
    run = m.compile().simulate(t_end=0.3, step=1e-3)
    held = run.t < 0.1
    assert (run["a.q"] - run["b.q"])[held] == pytest.approx(stretch_of(run.t[held]), abs=1e-9)
    speed = (run["a.qd"] - run["b.qd"])[run.t > 0.1001]
    w = np.sqrt(STIFFNESS * sum(1.0 / mass for mass in MASSES))
    assert speed == pytest.approx(-0.3 * w * np.sin(w * 0.1), abs=1e-9)


def test_frequency_by_linearization() -> None:
    m = two_sliders()
    spring_between(m)
    frequency = np.sqrt(STIFFNESS * sum(1.0 / mass for mass in MASSES)) / (2.0 * np.pi)
    found = m.compile().eigenmodes(q={"a": 0.0, "b": 0.0}).frequencies
    assert found.max() == pytest.approx(frequency, rel=1e-9)


@pytest.mark.long
def test_anti_roll_bars_as_bodies_and_as_laws() -> None:
    """Bars of bodies without mass, and their energy as a law of the arms' angles."""
    by_bodies, by_laws = car().compile(), car(bars_as_laws=True).compile()
    assert (by_bodies.n, by_laws.n) == (44, 32)
    start = dict.fromkeys(by_laws.formulation.independent, 0.0)
    start |= {"chassis_tz": 0.2, "chassis_rx": 0.03, "lower_front_left": 0.05}
    options = {"t_end": 0.06, "step": 1e-2, "q": start, "tolerance": 1e-10}
    a, b = (p.simulate(**options) for p in (by_bodies, by_laws))
    for name in by_laws.coordinates:
        assert a[f"{name}.q"] == pytest.approx(b[f"{name}.q"], abs=1e-8)
    twist = a["torsion_front.q"]
    assert b["anti_roll_front.energy"] == pytest.approx(
        0.5 * BAR_STIFFNESS["front"] * twist**2, abs=1e-9
    )
    assert np.ptp(twist) > 0.005


def test_mistakes() -> None:
    m = two_sliders()
    m.coupled_force(["a"], lambda q: (q[0],))
    m.coupled_force(["a", "a"], lambda q: q)
    m.coupled_force(["a", "c"], lambda q: q, name="far")
    m.coupled_force(["a", "b"], lambda q: q[0], name="one")
    m.coupled_force(["a", "b"], lambda q: q[2], name="beyond")
    with pytest.raises(il.ModelError) as error:
        m.build()
    text = str(error.value)
    assert text.count("needs two or more different joints") == 2
    assert "coupled_force 'far': there is no joint 'c'" in text
    assert "coupled_force 'one': the law returns 1 number, needs 2 efforts, one per joint" in text
    assert "coupled_force 'beyond': the law failed with IndexError" in text
    assert text.count("test_coupled_forces.py") >= 5
