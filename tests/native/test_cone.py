"""One contact with dry friction solved alone, against closed forms and an independent judgment."""

from __future__ import annotations

import numpy as np
import pytest
from contact_problems import deviation
from scipy.optimize import minimize

from inloop.native import COUNT, POINTER, REAL, load_runtime

OPEN, STICKS, SLIPS = 0, 1, 2


def local_solution(W: np.ndarray, b: np.ndarray, mu: float) -> np.ndarray:
    W, b, r = np.ascontiguousarray(W, float), np.array(b, float), np.full(len(b), np.nan)
    solve = load_runtime().function(
        "il_cone_solve", COUNT, REAL, POINTER, COUNT, POINTER, POINTER, returns=None
    )
    solve(len(b), mu, W.ctypes.data, len(b), b.ctypes.data, r.ctypes.data)
    return r


def projection(x: np.ndarray, mu: float) -> tuple[int, np.ndarray]:
    y = np.array(x, float)
    function = load_runtime().function("il_cone_project", COUNT, REAL, POINTER)
    return function(len(y), mu, y.ctypes.data), y


def test_a_point_mass_that_sticks_slips_or_opens() -> None:
    # 2 kg: W = 1/2; falls with 3 m/s and moves aside
    W = 0.5 * np.eye(3)
    assert local_solution(W, [-3.0, 0.4, -0.3], 0.5) == pytest.approx([6.0, -0.8, 0.6])
    # 5 m/s aside are more than friction can take: mu r_n = 0.6, against the motion
    assert local_solution(W, [-3.0, 4.0, -3.0], 0.1) == pytest.approx([6.0, -0.48, 0.36])
    assert (local_solution(W, [1e-9, 4.0, -3.0], 0.1) == 0.0).all()
    # without friction the coupling of normal and tangents does nothing
    coupled = W + np.array([[0.0, 0.1, -0.2], [0.1, 0.0, 0.0], [-0.2, 0.0, 0.0]])
    assert local_solution(coupled, [-3.0, 4.0, -3.0], 0.0) == pytest.approx([6.0, 0.0, 0.0])


def test_a_row_and_a_plane() -> None:
    assert local_solution(np.array([[4.0]]), [-2.0], 0.0) == pytest.approx([0.5])
    assert local_solution(np.array([[4.0]]), [2.0], 0.0) == [0.0]
    W = np.array([[2.0, 0.7], [0.7, 1.5]])
    r = local_solution(W, [-1.0, 0.1], 0.9)
    assert W @ r == pytest.approx([1.0, -0.1])  # sticks
    r = local_solution(W, [-1.0, 5.0], 0.3)
    # slips: r_t = -mu r_n, (W_nn - mu W_nt) r_n = 1
    assert r == pytest.approx(np.array([1.0, -0.3]) / (2.0 - 0.3 * 0.7))


@pytest.mark.parametrize("rows", [2, 3])
def test_random_contacts_with_any_coupling_and_friction(rows: int) -> None:
    random, met = np.random.default_rng(rows), set()
    for _ in range(500):
        L = random.normal(size=(rows, rows)) * np.exp(random.uniform(-3, 3, rows))
        W = L @ L.T * 10.0 ** random.uniform(-4, 4)
        # not symmetric by a little, as implicit terms make it
        W += 0.01 * random.normal() * (np.triu(W, 1) - np.tril(W, -1))
        b = random.normal(size=rows) * np.diag(W) - 0.5 * np.eye(rows)[0] * W[0, 0]
        mu = np.exp(random.uniform(-4, 2))
        r = local_solution(W, b, mu)
        # of velocities that are small differences of large ones no more can be asked
        large = (np.abs(W) @ np.abs(r)).max() / np.abs(b).max()
        assert deviation(W, b, np.array([mu]), r, rows) < 1e-12 * (1.0 + large)
        mode = OPEN if not r.any() else STICKS if np.allclose(W @ r, -b, rtol=1e-9) else SLIPS
        met.add(mode)
    assert met == {OPEN, STICKS, SLIPS}


def test_a_tangent_along_which_nothing_moves() -> None:
    # a slider on a rail: the second tangent has no mass behind it, and nothing moves along it
    W = np.diag([0.5, 0.25, 0.0])
    r = local_solution(W, [-1.0, 0.3, 0.0], 0.9)
    assert r == pytest.approx([2.0, -1.2, 0.0], abs=1e-9)
    r = local_solution(W, [-1.0, 3.0, 0.0], 0.2)
    assert r == pytest.approx([2.0, -0.4, 0.0], abs=1e-9)


def test_nothing_moves_at_all() -> None:
    assert (local_solution(np.zeros((3, 3)), [-1.0, 0.3, 0.0], 0.9) == 0.0).all()


def test_projections_are_the_nearest_points() -> None:
    random = np.random.default_rng(3)
    met = set()
    for _ in range(40):
        x, mu = random.normal(size=3), random.uniform(0.1, 2.0)
        mode, y = projection(x, mu)
        met.add(mode)
        inside = {"type": "ineq", "fun": lambda z, mu=mu: mu * z[0] - np.hypot(z[1], z[2])}
        start = np.array([abs(x[0]) + 1.0, 0.01, 0.02])
        nearest = minimize(
            lambda z, x=x: np.sum((z - x) ** 2), start, constraints=inside, method="SLSQP"
        )
        assert np.linalg.norm(x - y) <= np.linalg.norm(x - nearest.x) + 1e-6
        assert np.hypot(y[1], y[2]) <= mu * y[0] * (1 + 1e-14)
    assert met == {OPEN, STICKS, SLIPS}
