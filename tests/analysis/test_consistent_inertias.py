"""Inertias that real bodies have: pseudo-inertia matrices are positive definite."""

from __future__ import annotations

import numpy as np
import pytest

from inloop.analysis.identify.consistency import (
    Problem,
    is_consistent,
    nearest_consistent,
    parameters_of,
    pseudo_inertia,
)


def of_masses(masses: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The ten parameters of point masses, by their sums."""
    first = masses @ places
    J = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, places, strict=True))
    return np.array([masses.sum(), *first, *J[np.triu_indices(3)]])


@pytest.mark.parametrize("seed", range(3))
def test_clouds_of_mass(seed: int) -> None:
    random = np.random.default_rng(seed)
    masses, places = random.uniform(0.1, 1.0, 6), random.uniform(-1.0, 1.0, (6, 3))
    found = of_masses(masses, places)
    # P = Σ m r rᵀ with r = (x, y, z, 1)
    r = np.column_stack([places, np.ones(6)])
    np.testing.assert_allclose(pseudo_inertia(found), r.T @ (masses[:, None] * r), rtol=1e-12)
    np.testing.assert_allclose(parameters_of(pseudo_inertia(found)), found, rtol=1e-12)
    assert is_consistent(found)


def test_what_no_body_has() -> None:
    # triangle inequality: a moment larger than the sum of the others
    assert not is_consistent(np.array([1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.21]))
    assert is_consistent(np.array([1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.19]))
    # a center of mass further out than the inertia about the origin allows
    assert not is_consistent(np.array([1.0, 0.5, 0, 0, 0.2, 0, 0, 0.2, 0, 0.2]))


def problem_of(truth: np.ndarray, grouping: np.ndarray, deviation: float) -> Problem:
    """Two bodies and an armature whose base parameters are known; the guess is another robot's."""
    random = np.random.default_rng(9)
    guess = np.concatenate(
        [of_masses(random.uniform(0.2, 2.0, 5), random.uniform(-0.4, 0.4, (5, 3))) for _ in "ab"]
        + [np.array([0.3])]
    )
    b = grouping @ truth
    return Problem(guess, 2, (20,), 0.5, grouping, b, deviation**2 * np.eye(len(b)))


def test_base_parameters_are_kept() -> None:
    random = np.random.default_rng(4)
    truth = np.concatenate(
        [of_masses(random.uniform(0.1, 1.0, 5), random.uniform(-0.5, 0.5, (5, 3))) for _ in "ab"]
        + [np.array([0.07])]
    )
    grouping = random.normal(size=(9, 21))
    problem = problem_of(truth, grouping, 1e-3)
    found, moved = nearest_consistent(problem)
    np.testing.assert_allclose(grouping @ found, problem.b, rtol=0, atol=1e-9)
    assert np.abs(moved).max() < 1e-6
    assert is_consistent(found[:10]) and is_consistent(found[10:20]) and found[20] > 0.0
    # optimal: the divergence rises along every way that keeps the base parameters
    ways = np.linalg.svd(grouping)[2][9:]
    here = divergence(found, problem.guess)
    for way in (*ways, *random.normal(size=(5, 12)) @ ways):
        assert divergence(found + 1e-3 * way, problem.guess) > here
        assert divergence(found - 1e-3 * way, problem.guess) > here


def divergence(x: np.ndarray, guess: np.ndarray) -> float:
    total = x[20] / guess[20] - np.log(x[20] / guess[20])
    for part in (slice(0, 10), slice(10, 20)):
        S = np.linalg.solve(pseudo_inertia(guess[part]), pseudo_inertia(x[part]))
        total += np.trace(S) - np.log(np.linalg.det(S))
    return float(total)


def test_nearest_where_no_body_has_them() -> None:
    """A moment of inertia identified as -0.1 ± 0.05 becomes as good as zero, two deviations off."""
    grouping = np.zeros((2, 21))
    grouping[0, 9] = grouping[1, 20] = 1.0  # J.zz of the first body; the armature
    truth = np.zeros(21)
    truth[[9, 20]] = -0.1, 0.4
    problem = problem_of(truth, grouping, 0.05)
    found, moved = nearest_consistent(problem)
    assert 0.0 < found[9] < 1e-3
    np.testing.assert_allclose(moved, [2.0, 0.0], atol=0.02)
    assert is_consistent(found[:10]) and is_consistent(found[10:20])


def test_nearest_is_nearest() -> None:
    """No way to other real bodies leads nearer to what was identified: the problem is convex."""
    random = np.random.default_rng(11)

    def real_bodies() -> np.ndarray:
        bodies = [of_masses(random.uniform(0, 1, 5), random.uniform(-1, 1, (5, 3))) for _ in "ab"]
        return np.concatenate([*bodies, random.uniform(0.0, 1.0, 1)])

    truth = real_bodies()
    truth[[4, 17]] -= 1.5  # far too small moments of inertia
    grouping = random.normal(size=(16, 21))
    problem = problem_of(truth, grouping, 0.02)
    found, moved = nearest_consistent(problem)
    assert np.abs(moved).max() > 1.0
    np.testing.assert_allclose((grouping @ found - problem.b) / 0.02, moved, rtol=1e-6, atol=1e-9)
    assert is_consistent(found[:10]) and is_consistent(found[10:20]) and found[20] > 0.0
    slope = grouping.T @ moved / 0.02  # of half the squared distance
    slopes = [slope @ (real_bodies() - found) for _ in range(200)]
    assert min(slopes) > -1e-3 * (moved @ moved)
    # among them are ways along which it hardly changes: the edge of what is real
    assert np.linalg.eigvalsh(pseudo_inertia(found[:10]))[0] < 1e-4
