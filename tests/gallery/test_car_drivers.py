"""Drivers of the car: what they predict, and how they go round an obstacle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from inloop import gallery
from inloop.gallery.car import drivers
from inloop.gallery.car.experiments import avoid as scenario


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


def test_the_time_of_the_obstacle_comes_from_the_seed() -> None:
    times = [scenario.Avoiding(seed).time for seed in (1, 1, 2, 3)]
    assert times[0] == times[1] and len(set(times)) == 3
    assert all(scenario.EARLIEST <= t <= scenario.LATEST for t in times)


def test_the_path_round_the_obstacle_is_on_its_left() -> None:
    thing = scenario.Obstacle(2.0, 100.0)
    x = np.array([0.0, 60.0, 80.0, 100.0, 112.0, 132.0, 152.0, 200.0])
    assert thing.path(x) == pytest.approx([0.0, 0.0, 1.5, 3.0, 3.0, 1.5, 0.0, 0.0])


def test_more_caster_is_felt_at_the_same_angle() -> None:
    """Figs. 28 to 30: close angles, and the first negative peak grows with the trail."""
    plant = gallery.get("car").build(pedals=True, bars_as_laws=True, speed=scenario.SPEED).compile()
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
