"""Pendulums against literature, closed forms and Lagrange's equations."""

from __future__ import annotations

import numpy as np
import pytest
from exhibit_plants import plant_of
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import inloop as il
from inloop import gallery


def test_a01_of_the_iftomm_library() -> None:
    plant = plant_of("pendulum")
    end = plant.simulate(t_end=10.0, step=1e-3)
    x, y, z = plant.position("bar.bob", end.q[-1])
    assert x == pytest.approx(-0.27508746257612, abs=1e-9)
    assert y == pytest.approx(-0.96141920509913, abs=1e-9)
    assert z == 0.0
    assert abs(end.qd[-1, 0]) == pytest.approx(4.34316069286468, abs=1e-9)
    # one sample earlier
    k = np.argmin(np.abs(end.t - 9.99))
    early = plant.position("bar.bob", end.q[k])
    assert early[:2] == pytest.approx([-0.316436469914, -0.948613704575], abs=1e-9)


def test_a01_starts_at_minus_one_zero() -> None:
    plant = plant_of("pendulum")
    start = plant.simulate(t_end=1e-3, step=1e-3).q[0]
    assert plant.position("bar.bob", start) == pytest.approx([-1.0, 0.0, 0.0], abs=1e-15)


def test_a_far_swing_takes_eighteen_percent_longer() -> None:
    ratio = ellipk(np.sin(np.pi / 4) ** 2) / ellipk(0.0)
    assert "18 %" in gallery.get("pendulum").look_at
    assert ratio == pytest.approx(1.18, abs=5e-3)


def test_the_pendulum_follows_its_parameters() -> None:
    plant = plant_of("pendulum")
    plant.parameters.update(length=0.7, mass=2.3, g=3.7)
    found = plant.direct_dynamics([0.4], [1.1], [0.9])
    expected = 0.9 / (2.3 * 0.7**2) - 3.7 / 0.7 * np.sin(0.4)
    assert found == pytest.approx([expected], rel=1e-13)


@pytest.mark.parametrize(
    ("t", "angles"),
    [(1.0, (-0.6250877, -1.03458509)), (2.0, (-0.48297153, -1.32404871))],
)
def test_double_pendulum(t: float, angles: tuple[float, float]) -> None:
    plant = plant_of("double_pendulum")
    end = plant.simulate(t_end=t, step=5e-4).q[-1]
    assert np.cumsum(end) == pytest.approx(angles, abs=2e-8)


def test_double_pendulum_with_unequal_bars() -> None:
    # the textbook equations in absolute angles
    g, m1, m2, l1, l2 = 9.3, 1.7, 0.6, 0.9, 1.3

    def textbook(t: float, x: np.ndarray) -> np.ndarray:
        a, b, ad, bd = x
        M = np.array(
            [[(m1 + m2) * l1**2, m2 * l1 * l2 * np.cos(a - b)], [0.0, m2 * l2**2]],
        )
        M[1, 0] = M[0, 1]
        f = [
            -m2 * l1 * l2 * np.sin(a - b) * bd**2 - (m1 + m2) * g * l1 * np.sin(a),
            m2 * l1 * l2 * np.sin(a - b) * ad**2 - m2 * g * l2 * np.sin(b),
        ]
        return np.concatenate([x[2:], np.linalg.solve(M, f)])

    start = np.array([1.1, 0.4, -0.3, 0.8])
    expected = solve_ivp(textbook, (0.0, 1.5), start, rtol=1e-11, atol=1e-12, method="DOP853")
    plant = plant_of("double_pendulum")
    plant.parameters.update(g=g, upper_mass=m1, lower_mass=m2, upper_length=l1, lower_length=l2)
    relative = {"upper": 1.1, "lower": 0.4 - 1.1}
    rates = {"upper": -0.3, "lower": 0.8 + 0.3}
    found = plant.simulate(t_end=1.5, step=2.5e-4, q=relative, qd=rates)
    assert np.cumsum(found.q[-1]) == pytest.approx(expected.y[:2, -1], abs=1e-8)


def lagrange(n: int, m: float, l: float, g: float, q: np.ndarray, qd: np.ndarray) -> tuple:
    """M and c of n slender rods by formula, in the angles between neighbors."""
    S = np.tril(np.ones((n, n)))  # from relative to absolute angles
    a, ad = S @ q, S @ qd
    i, j = np.indices((n, n))
    # rod k turns by l/2, all rods beyond it by l
    A = (n - 1 - np.maximum(i, j) + 0.5) * m * l**2
    A[np.diag_indices(n)] = (n - 1 - np.arange(n) + 1.0 / 3.0) * m * l**2
    M = A * np.cos(a[i] - a[j])
    c = (A * np.sin(a[i] - a[j])) @ ad**2 + (n - 0.5 - np.arange(n)) * m * g * l * np.sin(a)
    return S.T @ M @ S, S.T @ c


@pytest.mark.parametrize("n", [1, 2, 10, 23])
def test_n_pendulum_against_lagrange(n: int) -> None:
    plant = gallery.get("n_pendulum").build(n=n).compile()
    m, l, g = 0.37, 0.29, 8.6
    plant.parameters.update(mass=m, length=l, g=g)
    random = np.random.default_rng(n)
    q, qd = random.normal(size=(2, n))
    M, c = lagrange(n, m, l, g, q, qd)
    assert plant.mass_matrix(q) == pytest.approx(M, rel=1e-11, abs=1e-13)
    assert plant.bias(q, qd) == pytest.approx(c, rel=1e-10, abs=1e-12)


def test_n_pendulum_approaches_the_rope() -> None:
    exhibit = gallery.get("n_pendulum")
    frequencies = []
    for n in (5, 20):
        plant = exhibit.build(n=n).compile()
        plant.parameters["length"] = 2.0 / n
        plant.parameters["mass"] = 1.0 / n
        frequencies.append(exhibit.references[0].compare(plant).error)
    assert frequencies[1] < frequencies[0] / 10.0


def test_n_pendulum_keeps_the_default_of_ten() -> None:
    assert plant_of("n_pendulum").n == 10


def test_models_can_be_extended_before_they_are_compiled() -> None:
    model = gallery.get("pendulum").build()
    model.joint_force("angle", lambda qd: -0.3 * qd)
    damped = model.compile()
    assert isinstance(damped, il.Plant)
    free = plant_of("pendulum")
    lost = damped.direct_dynamics([0.0], [2.0], [0.0]) - free.direct_dynamics([0.0], [2.0], [0.0])
    assert lost == pytest.approx([-0.6], rel=1e-13)
