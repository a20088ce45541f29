"""The tilting vehicle: closed forms, the filter's gain, its estimate in a slalom, the wheel."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from exhibit_plants import plant_of

import inloop as il
from inloop.gallery.tilting_vehicle.controllers.combined import COMBINED
from inloop.gallery.tilting_vehicle.controllers.course import PATHS, Driver
from inloop.gallery.tilting_vehicle.controllers.design import cabin_model, steady_filter
from inloop.gallery.tilting_vehicle.controllers.program import DARES, TURN, Led
from inloop.gallery.tilting_vehicle.controllers.tilting import TiltControl
from inloop.gallery.tilting_vehicle.data import CLEVER, SIZE, G
from inloop.gallery.tilting_vehicle.experiments.circle import turns
from inloop.gallery.tilting_vehicle.experiments.slalom import weave
from inloop.gallery.tilting_vehicle.experiments.swerve import in_the_air, rise, swerve, transfer

# stationary gain of the reference problem, and standard deviations after a measurement: computed
# by iteration and by SciPy's solver, independently of inloop
GAIN = (
    (1.80916e-3, 1.61190e-3, -2.43638e-6),
    (6.40436e-3, 6.14420e-3, -8.62470e-6),
    (-5.24856e-4, -1.54054e-4, 7.06819e-7),
)
DEVIATIONS = (0.012760, 0.046746, 0.010843)  # [deg], [deg/s], [deg/s]


@pytest.fixture
def plant() -> il.Plant:
    return plant_of("tilting_vehicle")


def test_the_gain_of_the_filter_is_that_of_the_reference_problem() -> None:
    model, found = steady_filter(CLEVER, {"torque": 2.0, "across": 0.0})
    np.testing.assert_allclose(found.L, GAIN, rtol=5e-6)
    after = (np.eye(3) - found.L @ model.C) @ found.P
    np.testing.assert_allclose(np.degrees(np.sqrt(np.diag(after))), DEVIATIONS, rtol=1e-4)


def test_the_cabin_falls_as_a_pendulum_does() -> None:
    pole = max(cabin_model(CLEVER).poles.real)
    assert pole == pytest.approx(3.615970, abs=1e-6)
    small = max(cabin_model(CLEVER.of_size(SIZE)).poles.real)
    assert small == pytest.approx(pole / math.sqrt(SIZE), rel=1e-12)


def test_numbers_of_the_large_vehicle_are_those_of_the_closed_forms() -> None:
    # v 5 m/s, R 10 m: torque upright, load transfer balanced and upright, static load
    across = 5.0**2 / 10.0
    own = CLEVER.standing_mass * CLEVER.standing_height * across
    assert CLEVER.moment * across == pytest.approx(366.0, abs=1e-9)
    assert own / CLEVER.track == pytest.approx(169.79, abs=5e-3)
    assert (own + CLEVER.moment * across) / CLEVER.track == pytest.approx(605.51, abs=5e-3)
    assert CLEVER.lifting_moment / CLEVER.track == pytest.approx(1217.8, abs=0.05)


def test_weight_rests_on_the_wheels_as_it_should(plant: il.Plant) -> None:
    start = plant.simulate(t_end=1e-3, step=1e-3, q={"tilt": 0.0})
    loads = [float(start[f"tyre_{name}.load"][0]) for name in ("left", "right", "front")]
    weight = (CLEVER.tilting_mass + CLEVER.standing_mass) * SIZE**3 * G
    np.testing.assert_allclose(loads, weight * np.array([0.305, 0.305, 0.39]), rtol=1e-3)
    # masses and places agree with these loads: it stays where it begins
    assert abs(start["rear_tz.qd"][-1]) < 2e-5 and abs(start["rear_ry.qd"][-1]) < 1e-4


def test_steady_turns_are_those_by_hand(plant: il.Plant) -> None:
    found = turns(plant, 1)  # the other circle is a reference of the exhibit
    for turn in found:
        torque, transfer_by_hand = turn.by_hand
        assert turn.torque == pytest.approx(torque, abs=1.5e-3)
        assert turn.transfer == pytest.approx(transfer_by_hand, rel=3e-3)
    # upright it takes a torque that would tell a wrong sign, balanced next to none
    assert found[0].torque > 1.4 and abs(found[1].torque) < 0.02


@pytest.mark.long
def test_the_estimate_is_better_than_each_sensor_and_finds_the_bias(plant: il.Plant) -> None:
    plant.parameters["gyro_bias"] = -0.03
    found = weave(plant, share=0.0, seconds=4.0, seed=5)
    errors = found.errors()
    assert np.ptp(found.tilts["truth"]) > math.radians(20.0)
    single = {name: error for name, error in errors.items() if name != "filter"}
    assert set(single) == {"potentiometer", "potentiometer, filtered", "gyro", "accelerometer"}
    assert min(single.values()) > 2.0 * errors["filter"]
    # and better than the deviation of one reading by far
    assert errors["filter"] < 0.2 * plant.parameters["potentiometer_noise"]
    assert abs(found.bias[0] + 0.03) > 0.02  # it did not know
    assert found.bias[-1] == pytest.approx(-0.03, abs=1e-3)


def test_direct_control_lifts_the_wheel_that_combined_control_keeps_down(plant: il.Plant) -> None:
    direct, combined = (swerve(plant, share, 3.5, 2.0) for share in (0.0, 0.5))
    assert in_the_air(direct) > 0.1 and rise(direct) > 2e-3
    assert in_the_air(combined) == 0.0
    assert transfer(combined) < 0.8 * transfer(direct)
    for run in (direct, combined):
        tilt = float(run["tilt.q"][-1] - run["rear_rx.q"][-1])
        assert tilt == pytest.approx(math.atan(3.5 / G), abs=0.02)


@pytest.mark.long
def test_it_follows_the_figure_eight_though_samples_are_missed(plant: il.Plant) -> None:
    led = Led()
    control = TiltControl(led, plant.parameters, COMBINED)
    held: dict[str, float] = {}

    def seldom(t: float, outputs: il.Outputs) -> dict[str, float]:
        # as on a busy computer: now and then nobody is there for 12 ms
        if round(t * 1e3) % 20 < 8:
            led.now = t
            held.update(control(t, outputs))
        return held

    run = plant.simulate(t_end=4.0, step=1e-3, controller=seldom, period=1e-3)
    path = PATHS["figure eight"]
    for x, y in zip(run["rear_tx.q"][::250], run["rear_ty.q"][::250], strict=True):
        assert np.hypot(*(path - (x, y)).T).min() < 0.15
    truth = run["tilt.q"] - run["rear_rx.q"]
    assert np.ptp(truth) > math.radians(15.0)
    assert np.abs(run["estimate.tilt"] - truth).max() < math.radians(1.0)


def test_a_controller_in_another_process_answers_as_one_in_this(plant: il.Plant) -> None:
    led, period, seconds = Led(), 1e-3, 0.15
    control = TiltControl(led, plant.parameters, COMBINED)

    def here(t: float, outputs: il.Outputs) -> dict[str, float]:
        led.now = t
        return control(t, outputs)

    run = plant.simulate(t_end=seconds, step=period, controller=here, period=period)
    options = {"mode": "lock-step", "stale_after": None, "rate": 1000.0}
    with il.start(plant, name=f"tilting-{os.getpid()}", seconds=seconds, **options) as loop:
        program = "inloop.gallery.tilting_vehicle.controllers.combined"
        process = subprocess.Popen([sys.executable, "-m", program, loop.name])
        try:
            assert loop.wait(300.0)  # each step waits for its answer
            end = loop.mailbox.read()
        finally:
            process.kill()
            process.wait()
    for name in ("tilt.q", "tilt.qd", "rear_rz.q", "estimated_tilt"):
        assert end[name] == run[name][-1], name
    assert end["tilt.qd"] != 0.0 and end["estimated_tilt"] != 0.0


def test_a_driver_does_as_he_is_told() -> None:
    led = Led()
    led.settings |= {"path": 0.0, TURN: 99.0}
    for k in range(2000):
        led.now = 1e-3 * k
        found = led((0.0, 0.0), 0.0, 2.0)
    assert found == pytest.approx(DARES / 4.0)  # no sharper than he dares
    driver = Driver(PATHS["circle"])
    assert driver.towards((0.0, 1.0), (0.0, 0.0), 0.0) == pytest.approx(2.0)  # half a circle
    assert driver.towards((1.0, 0.0), (0.0, 0.0), 0.0) == pytest.approx(0.0)
    assert driver.towards((-1.0, -1e-9), (0.0, 0.0), 0.0) < 0.0  # it is behind: turn round


def test_without_a_controller_it_falls_on_its_shoulder_and_stays(plant: il.Plant) -> None:
    run = plant.simulate(t_end=4.0, step=1e-3)
    assert run.status == "OK"
    tilt = float(run["tilt.q"][-1] - run["rear_rx.q"][-1])
    assert 0.8 < tilt < 1.6
    assert abs(run["rear_tx.qd"][-1]) < 0.05
