"""Times of samples: lost ones, long gaps, times that go back, repeat, or are not told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.observers.observer import MOST_LOST

PERIOD = 5e-3
HOUR = 3600.0


def of(plant: il.Plant, **options: Any) -> il.observers.Observer:
    given = {"measured": {"rail.q": 1e-3}, "disturbances": {"rail.tau": 0.7},
             "doubt": {"rail.q": 0.02, "rail.qd": 0.3}, **options}  # fmt: skip
    return il.observer(plant, period=PERIOD, **given)


def assert_same(found: il.observers.Estimate, expected: il.observers.Estimate) -> None:
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_array_equal(found.covariance, expected.covariance)


@pytest.mark.parametrize("method", ["ekf", "mhe"])
def test_a_gap_of_an_hour_is_a_fresh_start(oscillator: il.Plant, method: str) -> None:
    observer, other = of(oscillator, method=method), of(oscillator, method=method)
    observer.step({"t": 0.0, "rail.q": 0.04, "rail.tau": 2.0})
    told = observer.step({"t": HOUR, "rail.q": 0.01, "rail.tau": 2.0})
    assert_same(told, other.step({"rail.q": 0.01, "rail.tau": 2.0}))
    assert told.t == HOUR
    (note,) = observer.notes
    assert "restarted 1 times, most recently because too many samples were lost from t = 0 " in note
    observer.step({"t": HOUR + PERIOD, "rail.q": 0.01})
    assert observer.estimate.t == pytest.approx(HOUR + PERIOD)
    observer.reset()
    assert observer.notes == ()


@pytest.mark.parametrize("method", ["ekf", "ukf", "mhe"])
def test_as_many_lost_samples_as_are_bridged(oscillator: il.Plant, method: str) -> None:
    """The plant is linear: P becomes F P Fᵀ + Q at each of them."""
    observer = of(oscillator, method=method)
    P = observer.step({"t": 0.0, "rail.q": 0.04}).covariance
    F, Q, _ = observer.linear()
    told = observer.step({"t": (MOST_LOST + 1) * PERIOD, "rail.q": np.nan})
    for _ in range(MOST_LOST + 1):
        P = F @ P @ F.T + Q
    assert told.covariance == pytest.approx(P, rel=2e-3)
    assert observer.lost == MOST_LOST
    assert not any("restarted" in note for note in observer.notes)
    observer.step({"t": (2 * MOST_LOST + 3) * PERIOD, "rail.q": 0.0})
    assert observer.lost == 0 and "restarted" in observer.notes[0]


def test_loops_that_cannot_be_carried_across_a_gap(rocker: il.Plant) -> None:
    """After a turn that nobody saw, drawn states are farther apart than the loops allow."""
    observer = il.observer(
        rocker, measured={"crank.q": 1e-3}, disturbances={"crank.tau": 1.0}, method="ukf",
        period=2e-3,
    )  # fmt: skip
    observer.step({"t": 0.0, "crank.q": 0.9})
    told = observer.step({"t": 1.9, "crank.q": 0.93})
    assert told.t == 1.9 and told["crank.q"] == pytest.approx(0.93, abs=1e-3)
    assert "too many samples were lost from t = 0 to 1.9 s" in observer.notes[0]


def test_a_time_that_goes_back(oscillator: il.Plant) -> None:
    observer, other = of(oscillator), of(oscillator)
    for k in (0, 1, 2):
        observer.step({"t": k * PERIOD, "rail.q": 0.01})
    with pytest.raises(il.InputError, match=r"a sample came -0.001 s after the last one"):
        observer.step({"t": 2 * PERIOD - 1e-3, "rail.q": 0.01})
    told = observer.step({"t": PERIOD, "rail.q": 0.012})
    assert_same(told, other.step({"rail.q": 0.012}))
    assert told.t == PERIOD
    assert "the time was set back from t = 0.01 to 0.005 s" in observer.notes[0]
    for t in (1.7e308, -1.7e308, 0.0):
        observer.step({"t": t, "rail.q": 0.012})
    assert "restarted 4 times" in observer.notes[0]


def test_jitter_of_the_times_changes_nothing(oscillator: il.Plant) -> None:
    observer, other = of(oscillator), of(oscillator)
    draw = np.random.default_rng(3)
    for k in range(200):
        y = 1e-3 * draw.normal()
        t = PERIOD * (k + draw.uniform(-0.24, 0.24))
        assert_same(observer.step({"t": t, "rail.q": y}), other.step({"rail.q": y}))
    assert observer.lost == 0


def test_a_sample_that_comes_twice_is_taken_once(oscillator: il.Plant) -> None:
    observer, other = of(oscillator), of(oscillator)
    for k, y in enumerate((0.01, np.nan, 0.02)):
        for _ in range(2):
            told = observer.step({"t": k * PERIOD, "rail.q": y})
        assert_same(told, other.step({"rail.q": y}))
    assert observer.repeated == 3
    assert "3 samples were repeated, and used only once" in observer.notes
    with pytest.raises(il.InputError, match=r"two different samples at t = 0.01 s"):
        observer.step({"t": 2 * PERIOD, "rail.q": 0.021})


def test_a_time_that_is_not_told_is_a_period_later(oscillator: il.Plant) -> None:
    observer = of(oscillator)
    for t in (0.0, np.nan, np.inf, 3 * PERIOD, np.nan, 6 * PERIOD):
        observer.step({"t": t, "rail.q": 0.01})
    assert observer.lost == 1
    assert observer.estimate.t == pytest.approx(6 * PERIOD)


def test_an_observer_that_comes_late_knows_the_time() -> None:
    """A table that is shaken by the clock: q" of the mass depends on when the observer begins."""
    m = il.Model("shaken", gravity=(0.0, 0.0, 0.0))
    table = m.body("table", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.drive(table, lambda t: 0.05 * il.sin(7.0 * t))
    m.body("mass", on=table, joint=il.prismatic("x", name="rail"), mass=1.3)
    m.joint_force("rail", lambda q, qd: -37.0 * q - 0.9 * qd, name="spring")
    plant = m.compile()
    run = plant.simulate(t_end=1.0, step=PERIOD)
    observer = il.observer(plant, measured={"rail.q": 1e-4}, period=PERIOD)
    for k in range(70, 201):
        told = observer.step({"t": run.t[k], "rail.q": run["rail.q"][k]})
    assert told.t == pytest.approx(1.0)
    assert told["table.q"] == pytest.approx(0.05 * np.sin(7.0))
    assert told["rail.qd"] == pytest.approx(run["rail.qd"][-1], abs=1e-4)
