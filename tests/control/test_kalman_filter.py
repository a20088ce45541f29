"""The Kalman filter at work: gains that settle, known inputs, missed samples, bad sensors."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il
from inloop.control import Kalman, KalmanFilter, LinearModel

PERIOD = 0.01
NOISE, PUSH = 0.3, 2.0  # of the position, of the acceleration


def falling_cart() -> LinearModel:
    """Position and velocity under a known acceleration; the second output feels it at once."""
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    C, D = np.array([[1.0, 0.0], [0.0, 0.7]]), np.array([[0.0], [0.4]])
    return LinearModel(A, B, C, D, ("place", "speed"), ("push",), ("near", "far"))


@pytest.fixture(scope="module")
def design() -> tuple[LinearModel, Kalman]:
    model = il.control.discretize(falling_cart(), PERIOD)
    return model, il.control.kalman(model, {"push": PUSH}, {"near": NOISE, "far": 5.0})


def by_definition(model: LinearModel, found: Kalman, P: np.ndarray, sees: bool) -> np.ndarray:
    """Covariance before the next measurement, in the form of Joseph."""
    if sees:
        S = model.C @ P @ model.C.T + found.V
        L = P @ model.C.T @ np.linalg.inv(S)
        left = np.eye(2) - L @ model.C
        P = left @ P @ left.T + L @ found.V @ L.T
    return model.A @ P @ model.A.T + found.W


def test_gains_follow_the_covariance_and_settle(design: tuple[LinearModel, Kalman]) -> None:
    model, found = design
    filter_, P = KalmanFilter(model, found, doubt={"place": 2.0, "speed": 3.0}), np.diag([4.0, 9.0])
    seen = []
    for k in range(400):
        missed = k in (3, 4, 250)
        if missed:
            filter_.miss([0.0])
        else:
            wanted = P @ model.C.T @ np.linalg.inv(model.C @ P @ model.C.T + found.V)
            filter_.step([0.1, 0.2], [0.0])
            np.testing.assert_allclose(filter_.gain, wanted, rtol=2e-3, atol=1e-9)
            seen.append(float(filter_.gain[0, 0]))
        P = by_definition(model, found, P, not missed)
    assert seen[0] > 5.0 * found.L[0, 0]  # little was known
    np.testing.assert_array_equal(filter_.gain, found.L)  # the rest is that of the design
    # a missed sample makes the next one count for more
    assert seen[248] > 1.005 * found.L[0, 0]


def test_a_plant_as_the_model_is_followed_without_error(
    design: tuple[LinearModel, Kalman],
) -> None:
    model, found = design
    x, filter_ = np.array([1.3, -0.4]), KalmanFilter(model, found, [1.3, -0.4])
    for k in range(50):
        u = np.array([np.sin(0.1 * k)])
        estimate = filter_.miss(u) if k % 7 == 3 else filter_.step(model.C @ x + model.D @ u, u)
        np.testing.assert_allclose(estimate, x, atol=1e-12)
        x = model.A @ x + model.B @ u


def test_noise_is_as_large_as_the_covariance_says(design: tuple[LinearModel, Kalman]) -> None:
    model, found = design
    random = np.random.default_rng(7)
    x, filter_, errors = np.zeros(2), KalmanFilter(model, found), []
    for k in range(6000):
        u = np.array([np.sin(0.05 * k)])
        y = model.C @ x + model.D @ u + random.normal(0.0, (NOISE, 5.0))
        errors.append(filter_.step(y, u) - x)
        x = model.A @ x + model.B @ (u + random.normal(0.0, PUSH, 1))
    after = (np.eye(2) - found.L @ model.C) @ found.P
    spread = np.sqrt(np.mean(np.square(errors[500:]), axis=0))
    np.testing.assert_allclose(spread, np.sqrt(np.diag(after)), rtol=0.2)


def test_a_sensor_that_is_not_trusted_changes_nothing(design: tuple[LinearModel, Kalman]) -> None:
    model, found = design
    wrong, right = KalmanFilter(model, found), KalmanFilter(model, found)
    for _ in range(20):
        # what the model expects of an output moves no state
        expected = float((model.C @ right._expected)[1])
        a = wrong.step([0.2, 1e6], [0.0], without=("far",))
        b = right.step([0.2, expected], [0.0])
    np.testing.assert_allclose(a, b, rtol=1e-12)
    with pytest.raises(il.InputError, match="no output 'fat'"):
        wrong.step([0.2, 0.0], [0.0], without=("fat",))


def test_mistakes_are_told_and_change_nothing(design: tuple[LinearModel, Kalman]) -> None:
    model, found = design
    filter_ = KalmanFilter(model, found, [1.0, 2.0])
    for bad in ([1.0], [1.0, np.nan], [1.0, np.inf]):
        with pytest.raises(il.InputError, match="Give finite numbers for: near, far"):
            filter_.step(bad, [0.0])
    with pytest.raises(il.InputError, match="Give finite numbers for: push"):
        filter_.step([1.0, 1.0])
    np.testing.assert_array_equal(filter_.x, [1.0, 2.0])
    with pytest.raises(il.InputError, match="sampled model"):
        KalmanFilter(falling_cart(), found)
    with pytest.raises(il.InputError, match="no state 'plaice'"):
        KalmanFilter(model, found, doubt={"plaice": 1.0})
    with pytest.raises(il.InputError, match="Design it with this model"):
        KalmanFilter(model.select(["near"]), found)
    filter_.step([3.0, 3.0], [1.0])
    filter_.reset()
    np.testing.assert_array_equal(filter_.x, [1.0, 2.0])
