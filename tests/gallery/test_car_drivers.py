"""Drivers of the car: what they predict, and how they go round an obstacle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from exhibit_plants import driven_car, for_explicit_runs
from scipy.integrate import solve_ivp

import inloop as il
from inloop import gallery
from inloop.gallery.car import drivers
from inloop.gallery.car.course import Course
from inloop.gallery.car.experiments import avoid as scenario


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    """The car that both drivers drive."""
    model = gallery.get("car").build(pedals=True, bars_as_laws=True, speed=scenario.SPEED)
    return for_explicit_runs(model)


def test_the_driver_predicts_a_single_track() -> None:
    """Against integrated equations with slip angles written out."""
    speed, angle = 75.0 / 3.6, 0.013
    start = np.array([0.2, -0.1, 0.03, 0.05])

    def rates(_t: float, x: np.ndarray) -> list[float]:
        _, across, yaw, rate = x
        front = drivers.C_FRONT * (angle - (across + drivers.AHEAD * rate) / speed)
        rear = -drivers.C_REAR * (across - drivers.BEHIND * rate) / speed
        return [
            across + speed * yaw,
            (front + rear) / drivers.MASS - speed * rate,
            rate,
            (drivers.AHEAD * front - drivers.BEHIND * rear) / drivers.INERTIA,
        ]

    times = np.array([0.1, 0.4, 1.0])
    free, per_angle = drivers.predict(speed, times)
    exact = solve_ivp(rates, (0.0, 1.0), start, t_eval=times, rtol=1e-10, atol=1e-12).y[0]
    assert free @ start + per_angle * angle == pytest.approx(exact, abs=1e-8)
    # in the long run the yaw rate over the angle is 6.61196 1/s, so that y grows as V r t² / 2
    late = drivers.predict(speed, np.array([20.0, 21.0, 22.0]))[1]
    assert np.diff(late, 2)[0] / speed == pytest.approx(6.61196, rel=1e-4)


def test_the_driver_knows_the_center_of_mass() -> None:
    """From the mass matrix: yaw about the frame of the chassis moves the mass m at x sideways."""
    plant = driven_car()  # at rest; its masses are the same
    plant.parameters.reset()
    M = plant.mass_matrix(plant.mechanism.first_q)
    across, yaw = (plant.coordinates.index(f"chassis_{axis}") for axis in ("ty", "rz"))
    # AHEAD is that of the source's car, without the 1.5 kg of the steering wheel
    assert M[across, yaw] / M[across, across] == pytest.approx(-drivers.BACK, abs=1e-4)


def quarter(radius: float) -> Course:
    """Straight on for 40 m, then to the left along a circle."""
    angles = np.arange(0.0, 2.0, 0.5 / radius)
    straight = np.column_stack([np.arange(0.0, 40.0, 0.5), np.zeros(80)])
    bend = radius * np.column_stack([np.sin(angles), 1.0 - np.cos(angles)]) + (40.0, 0.0)
    return Course(np.vstack([straight, bend]))


def test_a_course_ahead_is_seen_from_the_car() -> None:
    course = quarter(60.0)
    course.place(20.0, 0.0)
    # on the straight, 1 m to the right of it, pointing to the left by 0.1 rad
    ways = np.array([2.0, 5.0, 10.0])
    wanted = 1.0 / math.cos(0.1) - ways * math.tan(0.1)
    assert course.ahead(20.0, -1.0, 0.1, ways) == pytest.approx(wanted, abs=1e-9)
    # in the bend, along its tangent: R - sqrt(R² - x²)
    course.place(40.0, 0.0)
    a = 0.25
    x, y = 40.0 + 60.0 * math.sin(a), 60.0 - 60.0 * math.cos(a)
    assert course.ahead(x, y, a, ways) == pytest.approx(60.0 - np.sqrt(3600.0 - ways**2), abs=2e-3)


@pytest.mark.long
def test_the_preview_driver_follows_a_bend(plant: il.Plant) -> None:
    """75 km/h with a radius of 90 m: the yaw rate is V / R, and the car stays in its lane."""
    plant.parameters.reset()
    radius, speed, period = 90.0, scenario.SPEED, 5e-3
    course, hold = quarter(radius), drivers.SpeedHold(speed, period)
    driver = drivers.PreviewDriver(speed, period, look=0.8)
    run = plant.simulate(
        t_end=8.0, step=1e-3, method="rk4", sample=0.02, period=period,
        controller=lambda t, told: {
            "throttle": hold(told), "steering.q": driver.follow(told, course)},
    )  # fmt: skip
    x, y, v = run["chassis_tx.q"], run["chassis_ty.q"], run["chassis_rz.qd"]
    in_bend = x > 40.0
    away = np.where(in_bend | (y > radius), np.hypot(x - 40.0, y - radius) - radius, y)
    assert run["chassis_rz.q"][-1] > 1.0 and np.abs(away).max() < 0.8
    assert v[-1] == pytest.approx(speed / radius, rel=0.02)


def test_the_time_of_the_obstacle_comes_from_the_seed() -> None:
    times = [scenario.Avoiding(seed).time for seed in (1, 1, 2, 3)]
    assert times[0] == times[1] and len(set(times)) == 3
    assert all(scenario.EARLIEST <= t <= scenario.LATEST for t in times)


def test_the_path_round_the_obstacle_is_on_its_left() -> None:
    thing = scenario.Obstacle(2.0, 100.0)
    x = np.array([0.0, 60.0, 80.0, 100.0, 112.0, 132.0, 152.0, 200.0])
    assert thing.path(x) == pytest.approx([0.0, 0.0, 1.5, 3.0, 3.0, 1.5, 0.0, 0.0])


@pytest.mark.long
def test_more_caster_is_felt_at_the_same_angle(plant: il.Plant) -> None:
    """Figs. 28 to 30: close angles, and the first negative peak grows with the trail."""
    plant.parameters["assist"] = 0.0
    peaks = []
    for caster in scenario.CASTERS:
        plant.parameters["caster"] = caster
        run, thing = scenario.avoid(plant, 10.5)
        peaks.append(scenario.first_peaks(run))
        speed = np.hypot(run["chassis_tx.qd"], run["chassis_ty.qd"])
        assert np.abs(speed - scenario.SPEED).max() < 0.5 / 3.6
        x, y = run["chassis_tx.q"], run["chassis_ty.q"]
        beside = (x > thing.x) & (x < thing.x + scenario.LENGTH)
        assert y[beside].min() > 0.9 + 0.85  # a car of 1.7 m passes it
        after = run.t > run.t[int(np.argmax(beside))] + 4.0
        assert np.abs(y[after]).max() < 0.5
    angles, torques = (np.array(values) for values in zip(*peaks, strict=True))
    assert np.ptp(angles) < math.radians(0.5)
    assert (torques < 0.0).all() and (torques[1:] < 1.1 * torques[:-1]).all()
