"""Velocity estimators against brute force, Riccati's equation and their own matrices."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are

from inloop import InputError
from inloop.devices import (
    AdaptiveWindow,
    BackwardDifferences,
    Encoder,
    Estimator,
    FilteredDifferences,
    KalmanEstimator,
)

T = 1.3e-3
LINEAR = {
    "differences": lambda: BackwardDifferences(T),
    "filtered": lambda: FilteredDifferences(T, 35.0),
    "kalman": lambda: KalmanEstimator(T, noise=2e-5, jerk=900.0),
}


@pytest.mark.parametrize("name", LINEAR)
def test_matrices_do_what_the_estimator_does(name: str) -> None:
    estimator: Estimator = LINEAR[name]()
    A, B, C, D = estimator.linear()
    memory = np.zeros(len(B))
    estimator.update(0.0)
    for y in np.random.default_rng(1).normal(size=40):
        expected = C @ memory + D * y
        memory = A @ memory + B * y
        np.testing.assert_allclose(estimator.update(y), expected, rtol=1e-9, atol=1e-6)
    assert np.abs(memory).max() > 0.1


@pytest.mark.parametrize("jerk", [3.0, 900.0, 1e6])
def test_kalman_gains_solve_riccatis_equation(jerk: float) -> None:
    estimator = KalmanEstimator(T, noise=2e-5, jerk=jerk)
    F = np.array([[1.0, T, T**2 / 2], [0.0, 1.0, T], [0.0, 0.0, 1.0]])
    effect = np.array([T**2 / 2, T, 1.0])
    # scaled so that the solver has numbers of one size
    S = np.diag([1.0, T, T**2])
    F, effect = S @ F @ np.linalg.inv(S), S @ effect
    H, Q, R = np.array([[1.0, 0.0, 0.0]]), np.outer(effect, effect) * (jerk * T) ** 2, 4e-10
    P = solve_discrete_are(F.T, H.T, Q / R, np.eye(1)) * R
    gain = np.linalg.inv(S) @ P[:, 0] / (P[0, 0] + R)
    np.testing.assert_allclose(estimator.gains, gain, rtol=1e-5)


def brute_force(samples: list[float], band: float, longest: int, best: bool) -> tuple[float, int]:
    """The definition: the longest window of which, and of all shorter ones, the line fits."""
    found = (0.0, 0)
    for n in range(1, min(longest, len(samples) - 1) + 1):
        y = np.array(samples[-1 : -n - 2 : -1])  # the newest first
        i = np.arange(n + 1)
        slope = -np.polyfit(i * T, y, 1)[0] if best else (y[0] - y[n]) / (n * T)
        if n > 1 and np.any(np.abs(y[0] - slope * i * T - y) > band + 1e-15):
            return found
        found = (slope, n)
    return found


@pytest.mark.parametrize("best", [True, False], ids=["best-fit", "end-fit"])
def test_adaptive_windows_are_those_of_the_definition(best: bool) -> None:
    encoder = Encoder(1e-4)
    estimator = AdaptiveWindow(T, band=1.01e-4, longest=12, best_fit=best)
    samples, windows = [], set()
    for k in range(400):
        t = k * T
        samples.append(encoder.read(3e-3 * np.sin(9 * t) * np.exp(-3 * t)))
        _, velocity, _ = estimator.update(samples[-1])
        slope, window = brute_force(samples, 1.01e-4, 12, best)
        assert (velocity, estimator.window) == (pytest.approx(slope, abs=1e-9), window)
        windows.add(window)
    assert len(windows) > 8
    with pytest.raises(InputError, match="window"):
        AdaptiveWindow(T, band=1e-4, longest=0)


def test_a_steady_motion_gets_the_whole_window() -> None:
    """The chord is off by at most a count in 15 periods, a difference by up to one in a period."""
    encoder, velocity = Encoder(1e-4), 0.031
    window, differences = AdaptiveWindow(T, 1e-4, 15, best_fit=False), BackwardDifferences(T)
    errors = []
    for k in range(300):
        reading = encoder.read(velocity * k * T)
        pair = window.update(reading)[1], differences.update(reading)[1]
        errors.append([abs(v - velocity) for v in pair])
    worst = np.max(errors[20:], axis=0)
    assert window.window == 15
    assert worst[0] <= 1e-4 / (15 * T)
    assert worst[1] == pytest.approx(1e-4 / T - velocity)


def test_estimators_rank_as_they_should_in_a_stroke() -> None:
    """A key stroke behind a coarse encoder: windows and Kalman beat differences at 1 kHz."""
    t = np.arange(0.0, 0.5, 1e-3)
    x = 5e-3 * (1 - np.cos(2 * np.pi * 2 * t))
    v = 5e-3 * 4 * np.pi * np.sin(4 * np.pi * t)
    encoder = Encoder(2e-5)
    error = {}
    for name, estimator in {
        "differences": BackwardDifferences(1e-3),
        "window": AdaptiveWindow(1e-3, 2e-5),
        "kalman": KalmanEstimator(1e-3, 2e-5 / np.sqrt(12), jerk=100.0),
    }.items():
        found = [estimator.update(encoder.read(y))[1] for y in x]
        error[name] = np.sqrt(np.mean((np.array(found) - v)[50:] ** 2))
    # two independent errors of d/√12 make the difference
    assert error["differences"] == pytest.approx(2e-5 / 1e-3 / np.sqrt(6.0), rel=0.15)
    assert error["kalman"] < error["window"] < 0.5 * error["differences"]


QUICK = pytest.mark.parametrize(
    "make",
    [lambda: AdaptiveWindow(1e-3, 1.0, 15), lambda: KalmanEstimator(1e-3, 1e-5, 100.0)],
    ids=["window", "kalman"],
)


@QUICK
def test_work_per_sample_is_bounded(make: Callable[[], Estimator]) -> None:
    """Lines of Python that a sample takes: as many after 3000 samples as after 30."""
    estimator = make()
    lines: list[int] = []

    def count(frame: Any, event: str, argument: Any) -> Any:
        lines[-1] += event == "line"
        return count

    before = sys.gettrace()
    gc.disable()  # those whom the collector calls have lines of Python, too
    try:
        for k in range(3000):
            lines.append(0)
            sys.settrace(count)
            estimator.update(1e-6 * k)
            sys.settrace(before)
    finally:
        gc.enable()
    assert max(lines) == max(lines[:30])
    assert max(lines) < 250  # some 10 us, of a period of 1 ms


@pytest.mark.long
@QUICK
def test_estimators_are_quick_enough_for_a_servo(make: Callable[[], Estimator]) -> None:
    estimator, best = make(), np.inf
    for _ in range(20):
        begin = time.perf_counter()
        for k in range(100):
            estimator.update(1e-6 * k)
        best = min(best, (time.perf_counter() - begin) / 100)
    assert best < 100e-6  # a tenth of a period of 1 kHz
