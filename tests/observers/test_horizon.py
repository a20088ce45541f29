"""Moving horizons in C against one dense problem of least squares, and what becomes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dense_horizon import DenseHorizon

import inloop as il

PERIOD, LENGTH = 5e-3, 6


def pair(
    plant: il.Plant, bounds: dict[str, tuple[float, float]], **options: Any
) -> tuple[il.observers.Observer, DenseHorizon]:
    given = {"period": PERIOD, **options}
    mine = il.observer(plant, method="mhe", horizon=LENGTH, bounds=bounds, **given)
    return mine, DenseHorizon(il.observer(plant, **given), LENGTH, bounds)


def worst(
    mine: il.observers.Observer, other: DenseHorizon, samples: np.ndarray, inputs: np.ndarray
) -> float:
    """How far the two are apart at any sample, in deviations; covariances likewise."""
    off = 0.0
    for y, u in zip(samples, inputs, strict=True):
        mine.update(y, u)
        x, extra, P = other.update(y, u)
        native, unit = mine._native, np.sqrt(np.diag(P)).clip(1e-100)
        apart = native.apart(x, native.x)
        apart[len(apart) - len(extra) :] = native.extra - extra
        off = max(off, np.abs(apart / unit).max())
        off = max(off, np.abs((native.P - P) / unit / unit[:, None]).max())
    return off


def noise(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def test_loops_that_bend_within_the_horizon(rocker: il.Plant) -> None:
    """A start far off: several turns, each with slopes of its own."""
    mine, other = pair(
        rocker, {}, measured={"arm.q": 1e-3}, disturbances={"crank.tau": 1.0},
        doubt={"crank.q": 0.3, "crank.qd": 3.0}, qd={"crank": 6.0},
    )  # fmt: skip
    truth = rocker.stepper(step=PERIOD, q={"crank": 1.1}, qd={"crank": 7.0})
    rows = []
    for _ in range(14):
        rows.append([truth["arm.q"]])
        truth.step()
    samples = np.array(rows) + 1e-3 * noise(1, 14, 1)
    samples[5] = np.nan
    assert worst(mine, other, samples, np.zeros((14, len(mine.inputs)))) < 1e-4


def test_unknown_efforts_and_offsets(oscillator: il.Plant) -> None:
    mine, other = pair(
        oscillator, {}, measured={"rail.q": 1e-3, "accelerometer.x": 0.05},
        disturbances={"rail.tau": 0.7},
        unknown={"rail.tau": il.observers.Unknown(5.0, smooth=True, doubt=2.0)},
        offsets={"accelerometer.x": il.observers.Unknown(0.1, time=0.5, doubt=0.2)},
    )  # fmt: skip
    samples = noise(2, 16, 2) * [0.01, 0.1]
    samples[4, 1] = np.nan
    assert worst(mine, other, samples, noise(3, 16, len(mine.inputs))) < 1e-6


@pytest.mark.parametrize(
    "bounds",
    [
        {"rail.q": (0.0, 0.5)},
        {"rail.q": (-0.001, 0.002), "rail.qd": (-0.3, 0.2)},
        {"rail.tau.unknown": (-0.2, np.inf)},
    ],
)
def test_bounds_are_kept_in_the_best_way(
    oscillator: il.Plant, bounds: dict[str, tuple[float, float]]
) -> None:
    mine, other = pair(
        oscillator, bounds, measured={"rail.q": 1e-3}, disturbances={"rail.tau": 0.7},
        unknown={"rail.tau": 3.0}, doubt={"rail.q": 0.02, "rail.qd": 0.3},
    )  # fmt: skip
    samples = 0.004 * np.sin(0.7 * np.arange(20.0))[:, None] + 1e-3 * noise(4, 20, 1)
    assert worst(mine, other, samples, np.zeros((20, len(mine.inputs)))) < 1e-6


def test_bounds_that_nothing_can_meet(oscillator: il.Plant) -> None:
    """Position and velocity are known for sure, and nothing moves them."""
    observer = il.observer(
        oscillator, measured={"rail.q": 1e-3}, doubt={"rail.q": 0.0, "rail.qd": 0.0},
        method="mhe", bounds={"rail.q": (0.1, 0.2)}, period=PERIOD, q={"rail": 0.0},
        unobserved=["rail.q", "rail.qd"],
    )  # fmt: skip
    with pytest.raises(il.SimulationError, match="cannot be corrected: OUT_OF_BOUNDS"):
        observer.step({"rail.q": 0.01})


def test_coordinates_that_change_begin_a_new_horizon(rocked: il.Plant) -> None:
    """At the dead centers of the arm the crank has to be independent: nothing known is lost."""
    given: dict[str, Any] = {
        "measured": {"crank.q": 1e-3}, "disturbances": {"crank.tau": 1.0}, "period": 2e-3,
        "doubt": {"arm.q": 1e-3, "arm.qd": 1e-2}, "qd": {"crank": 6.0},
    }  # fmt: skip
    mine, filtered = (il.observer(rocked, method=method, **given) for method in ("mhe", "ekf"))
    truth, draw = rocked.stepper(step=2e-3, qd={"crank": 6.0}), np.random.default_rng(5)
    for _ in range(250):
        seen = {"crank.q": truth["crank.q"] + 1e-3 * draw.normal()}
        a, b = mine.step(seen), filtered.step(seen)
        truth.step()
    assert mine.states == filtered.states == ("crank.q", "crank.qd")
    assert abs(a["crank.qd"] - truth["crank.qd"]) < 4.0 * a.deviations["crank.qd"] + 0.05
    assert a.deviations == pytest.approx(b.deviations, rel=0.02)
