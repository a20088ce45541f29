"""Samples as they come: missing, late, lost, too far off; accelerations, offsets, bounds."""

from __future__ import annotations

import numpy as np
import pytest
from monte_carlo import Scene, run

import inloop as il

PERIOD = 5e-3
NOISE = {"rail.q": 1e-3}
DOUBT = {"rail.q": 0.02, "rail.qd": 0.3}


def of(plant: il.Plant, **options: object) -> il.observers.Observer:
    given = {"measured": NOISE, "disturbances": {"rail.tau": 0.7}, "doubt": DOUBT, **options}
    return il.observer(plant, period=PERIOD, **given)


@pytest.mark.parametrize("method", ["ekf", "ukf", "mhe"])
def test_a_sample_that_is_nan_is_left_out_and_told(oscillator: il.Plant, method: str) -> None:
    observer, other = of(oscillator, method=method), of(oscillator, method="ekf")
    for k, y in enumerate((0.01, 0.012, np.nan, 0.011)):
        told = observer.step({"rail.q": y, "rail.tau": 0.1 * k})
        if np.isnan(y):
            assert told.missing == ("rail.q",)
            # nothing was learned: as if the filter had only looked ahead
            expected = other.estimate.covariance
            assert told.deviations["rail.q"] ** 2 > expected[0, 0]
        other.step({"rail.q": y, "rail.tau": 0.1 * k})
    assert observer.missing == {"rail.q": 1}
    assert observer.notes == ("'rail.q' was missing 1 times",)
    assert told.values == pytest.approx(other.estimate.values, rel=1e-4, abs=1e-8)


def test_samples_that_never_came_are_bridged(oscillator: il.Plant) -> None:
    observer, other = of(oscillator), of(oscillator)
    for k in (0, 1, 4):
        observer.step({"t": k * PERIOD, "rail.q": 0.01, "rail.tau": 2.0})
    for y in (0.01, 0.01, np.nan, np.nan, 0.01):
        other.step({"rail.q": y, "rail.tau": 2.0})
    assert observer.lost == 2
    assert observer.estimate.t == pytest.approx(4 * PERIOD)
    assert observer.estimate.values == pytest.approx(other.estimate.values, rel=1e-12)
    observer.step({"t": 0.0, "rail.q": 0.01})  # the plant was reset
    assert observer.estimate.t == 0.0


def test_what_comes_late_is_taken_for_when_it_was(oscillator: il.Plant) -> None:
    draw = np.random.default_rng(4)
    y, u = 0.01 * draw.normal(size=12), draw.normal(size=12)
    late = of(oscillator, delays={"rail.q": 3 * PERIOD})
    for k in range(12):
        told = late.step({"rail.q": y[k - 3] if k >= 3 else np.nan, "rail.tau": u[k]})
    # the same filter at the same knowledge, three periods ahead
    known = of(oscillator)
    for k in range(9):
        known.step({"rail.q": y[k], "rail.tau": u[k]})
    for k in (9, 10, 11):
        expected = known.step({"rail.q": np.nan, "rail.tau": u[k]})
    assert told.t == pytest.approx(11 * PERIOD)
    assert told.values == pytest.approx(expected.values, rel=1e-12)
    assert told.covariance == pytest.approx(expected.covariance, rel=1e-9)


def test_sensors_with_delays_of_their_own(oscillator: il.Plant) -> None:
    two = {"rail.q": 1e-3, "rail.qd": 1e-2}
    late = of(oscillator, measured=two, delays={"rail.qd": PERIOD})
    known = of(oscillator, measured=two)
    q, qd = (0.01, 0.02, 0.015), (0.1, 0.3, 0.2)
    for k in range(3):
        late.step({"rail.q": q[k], "rail.qd": qd[k - 1] if k else np.nan})
    for k in range(2):
        known.step({"rail.q": q[k], "rail.qd": qd[k]})
    expected = known.step({"rail.q": np.nan, "rail.qd": np.nan})
    assert late.estimate.values == pytest.approx(expected.values, rel=1e-12)


@pytest.mark.parametrize("method", ["ekf", "ukf"])
def test_the_gate_leaves_out_what_is_too_far_off(oscillator: il.Plant, method: str) -> None:
    measured = {"rail.q": 1e-3, "accelerometer.x": 0.05}
    observer, without = (of(oscillator, measured=measured, method=method, gate=5.0) for _ in "12")
    for k in range(30):
        wrong = k == 20
        fair = {"rail.q": 0.0, "accelerometer.x": 0.0}
        told = observer.step({**fair, "accelerometer.x": 9.0} if wrong else fair)
        without.step({**fair, "accelerometer.x": np.nan} if wrong else fair)
        assert told.missing == (("accelerometer.x",) if wrong else ())
    assert observer.missing["accelerometer.x"] == 1
    assert observer.estimate.covariance == pytest.approx(without.estimate.covariance, rel=1e-6)


@pytest.mark.parametrize("method", ["ekf", "ukf"])
def test_accelerations_feel_the_noise_of_the_same_period(oscillator: il.Plant, method: str) -> None:
    scene = Scene(
        oscillator, measured={"rail.q": 1e-3, "accelerometer.x": 0.1},
        disturbances={"rail.tau": 0.7}, start={"rail": (0.02, 0.3)}, period=PERIOD,
    )  # fmt: skip
    observer = scene.observer(method=method)
    assert observer.states == ("rail.q", "rail.qd", "rail.tau.noise")
    runs = run(scene, observer, runs=10, samples=60)
    assert runs.nees([0, 1]).inside >= 0.88
    assert il.observers.nis(runs.nis, 2).inside >= 0.88


@pytest.mark.parametrize("method", ["ekf", "ukf", "mhe"])
def test_the_first_sample_is_read_with_its_own_inputs(oscillator: il.Plant, method: str) -> None:
    """A spring at rest under a force: the accelerometer tells 0, and nothing is surprising."""
    force = 37.0 * 0.1  # of the spring at 0.1 m
    observer = of(
        oscillator, measured={"rail.q": 1e-3, "accelerometer.x": 0.01}, disturbances={},
        method=method, doubt={"rail.q": 1e-3, "rail.qd": 1e-3}, q={"rail": 0.1},
    )  # fmt: skip
    seen = {"rail.q": 0.1, "accelerometer.x": 0.0, "rail.tau": force}
    for _ in range(3):
        estimate = observer.step(seen)
        assert estimate.nis < 1e-12
    assert estimate["rail.qd"] == pytest.approx(0.0, abs=1e-9)


def test_offsets_and_unknown_efforts_are_found(oscillator: il.Plant) -> None:
    observer = of(
        oscillator, measured={"rail.q": 1e-4, "accelerometer.x": 0.01},
        unknown={"rail.tau": il.observers.Unknown(1.0, doubt=3.0)},
        offsets={"accelerometer.x": il.observers.Unknown(1e-3, doubt=0.5)}, disturbances={},
    )  # fmt: skip
    stepper = oscillator.stepper(step=PERIOD, q={"rail": 0.05})
    stepper.tau["rail"] = 1.7
    for _ in range(400):
        seen = {"rail.q": stepper["rail.q"], "accelerometer.x": stepper["accelerometer.x"] + 0.3}
        estimate = observer.step(seen)
        stepper.step()
    assert estimate["rail.tau.unknown"] == pytest.approx(1.7, abs=0.02)
    assert estimate["accelerometer.x.offset"] == pytest.approx(0.3, abs=0.02)
    assert estimate["rail.qd"] == pytest.approx(0.0, abs=0.5)


def test_the_horizon_keeps_states_within_bounds(oscillator: il.Plant) -> None:
    free, bound = (
        of(oscillator, method="mhe", horizon=6, bounds=bounds)
        for bounds in (None, {"rail.q": (0.0, 0.5)})
    )
    for y in (0.004, 0.002, -0.003, -0.004, -0.004, -0.003):
        a, b = (observer.step({"rail.q": y}) for observer in (free, bound))
    assert a["rail.q"] < -1e-3
    assert b["rail.q"] == pytest.approx(0.0, abs=1e-9)


def test_a_mechanism_that_changes_its_coordinates(rocked: il.Plant) -> None:
    """At the dead centers of the arm the crank has to be independent."""
    scene = Scene(
        rocked, measured={"crank.q": 1e-3}, disturbances={"crank.tau": 1.0}, start={},
        qd={"crank": 6.0}, period=2e-3,
        options={"doubt": {"arm.q": 1e-3, "arm.qd": 1e-2}, "q": {}, "qd": {}},
    )  # fmt: skip
    observer = scene.observer()
    assert observer.states == ("arm.q", "arm.qd")
    runs = run(scene, observer, runs=6, samples=250)
    assert observer.states == ("crank.q", "crank.qd")
    assert il.observers.nis(runs.nis, 1).inside >= 0.88
    # the start is the same in all runs, and the filter is less sure of it
    assert runs.nees().inside >= 0.8
    estimate = observer.estimate
    h = rocked.formulation.rows.violation(estimate.q[None], estimate.qd[None], np.zeros(1))
    assert np.abs(h).max() < 1e-9


def test_an_observer_keeps_the_parameters_that_it_was_made_with() -> None:
    m = il.Model("tuned", gravity=(0.0, 0.0, 0.0))
    stiffness = m.parameter("k", 37.0)
    m.body("mass", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
    m.joint_force("rail", lambda q, qd: -stiffness * q)
    plant = m.compile()
    observer = of(plant)
    before, _, _ = observer.linear()
    plant.parameters["k"] = 370.0
    observer.reset()
    again, _, _ = observer.linear()
    assert np.array_equal(again, before)
    assert of(plant).linear()[0][1, 0] == pytest.approx(10.0 * before[1, 0], rel=0.02)
