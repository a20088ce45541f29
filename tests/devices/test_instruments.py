"""Devices in front of the ideal sensors of a plant, by name of the sensor."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il
from inloop.devices import Delay, Encoder, Instruments, Noise, SampledEvery

SENSORS = {"imu": ("imu.x", "imu.y"), "crank": ("crank",)}


def test_sensors_without_devices_are_told_as_they_are() -> None:
    instruments = Instruments(SENSORS, {"crank": lambda k: [Encoder(0.25)]})
    told = instruments.read({"imu.x": 0.3, "imu.y": -0.7, "crank": 0.9})
    assert told == {"imu.x": 0.3, "imu.y": -0.7, "crank": 0.75}


def test_delay_and_rate() -> None:
    fitted = {"a": lambda k: [Delay(2)], "b": lambda k: [SampledEvery(3)]}
    instruments = Instruments({"a": ("a",), "b": ("b",)}, fitted)
    rows = [instruments.read({"a": float(t), "b": float(t)}) for t in range(8)]
    assert [row["a"] for row in rows] == [0, 0, 0, 1, 2, 3, 4, 5]
    assert [row["b"] for row in rows] == [0, 0, 0, 3, 3, 3, 6, 6]
    assert [Delay(0).read(x) for x in (1.0, 2.0)] == [1.0, 2.0]


def test_noise_differs_from_signal_to_signal_and_repeats() -> None:
    def fit() -> Instruments:
        return Instruments(SENSORS, {"imu": lambda k: [Noise(0.1, bias=2.0, seed=k)]})

    quiet = {"imu.x": 0.0, "imu.y": 0.0, "crank": 0.0}
    first, again = fit(), fit()
    rows = np.array([list(first.read(quiet).values()) for _ in range(4000)])
    np.testing.assert_array_equal(rows[:10], [list(again.read(quiet).values()) for _ in range(10)])
    # five standard errors
    assert rows[:, :2].mean(axis=0) == pytest.approx(2.0, abs=5 * 0.1 / np.sqrt(4000))
    assert rows[:, :2].std(axis=0) == pytest.approx(0.1, rel=5 / np.sqrt(2 * 4000))
    assert abs(np.corrcoef(rows[:, 0], rows[:, 1])[0, 1]) < 5 / np.sqrt(4000)


def test_one_signal_goes_before_its_sensor() -> None:
    fitted = {"imu": lambda k: [Noise(0.0, 1.0)], "imu.y": lambda k: [Noise(0.0, 5.0)]}
    told = Instruments(SENSORS, fitted).read({"imu.x": 0.0, "imu.y": 0.0, "crank": 0.0})
    assert told == {"imu.x": 1.0, "imu.y": 5.0, "crank": 0.0}


def test_real_hardware_stands_in_for_a_sensor() -> None:
    class Hardware:
        def read(self, quantity: float) -> float:
            return 42.0

    m = il.Model("arm")
    m.body("arm", on=m.ground, joint=il.revolute("y"), mass=1.0, com=(0, 0, -1))
    m.sensor("angle", il.sensors.encoder("arm"))
    plant = m.compile()
    instruments = Instruments(plant.mechanism.signals_by_sensor, {"angle": lambda k: [Hardware()]})
    assert instruments.read(plant.stepper(step=1e-3)) == {"angle": 42.0}


def test_mistakes() -> None:
    with pytest.raises(il.InputError, match="no sensor 'gyro'"):
        Instruments(SENSORS, {"gyro": lambda k: []})
    for wrong in (-1, 1.5, True):
        with pytest.raises(il.InputError, match="whole number of at least 0"):
            Delay(wrong)  # type: ignore[arg-type]
    with pytest.raises(il.InputError, match="whole number of at least 1"):
        SampledEvery(0)
    with pytest.raises(il.InputError, match="deviation of at least 0"):
        Noise(-0.1)
