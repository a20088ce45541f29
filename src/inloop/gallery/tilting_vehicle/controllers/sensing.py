"""Sensor readings of the tilting vehicle, and the tilt estimated from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import inloop as il
from inloop.gallery.tilting_vehicle import data
from inloop.gallery.tilting_vehicle.controllers.design import PERIOD, fusion
from inloop.gallery.tilting_vehicle.controllers.signals import Signals
from inloop.gallery.tilting_vehicle.data import G, Vehicle

SENSORS = {
    "potentiometer": ("potentiometer",),
    "torque_cell": ("torque_cell",),
    "imu": ("imu.accel.y", "imu.gyro.x", "imu.gyro.y", "imu.gyro.z"),
    "encoder_left": ("encoder_left",),
    "encoder_right": ("encoder_right",),
}
CUTOFF = 5.0  # of the filters that differentiate encoders and gyros [Hz]
LIFTS = 0.8  # fraction of the moment that lifts a wheel above which the potentiometer is ignored
MOST_MISSED = 200  # samples; after more the filter restarts


def fit(parameters: Mapping[str, float], seed: int = 1) -> il.devices.Instruments:
    """Sensor errors added to the ideal sensors, with the parameters of the plant.

    The same seed gives the same noise.
    """

    def noisy(deviation: str, off: float = 0.0) -> Callable[[int], list[il.devices.Noise]]:
        return lambda number: [
            il.devices.Noise(parameters[deviation], off, seed=1000 * seed + number)
        ]

    tick = 2.0 * math.pi / data.TICKS
    return il.devices.Instruments(
        SENSORS,
        {
            "potentiometer": noisy("potentiometer_noise", parameters["potentiometer_offset"]),
            "torque_cell": noisy("torque_noise"),
            "imu.accel.y": noisy("accelerometer_noise"),
            # tilting to the left turns about -x
            "imu.gyro.x": noisy("gyro_noise", -parameters["gyro_bias"]),
            "imu.gyro.y": noisy("gyro_noise"),
            "imu.gyro.z": noisy("gyro_noise"),
            "encoder_left": lambda number: [il.devices.Encoder(tick)],
            "encoder_right": lambda number: [il.devices.Encoder(tick)],
        },
    )


@dataclass(frozen=True)
class Known:
    """Readings and estimates at a sample.

    Attributes:
        tilt: of the cabin from the road's normal [rad].
        rate: tilt rate [rad/s].
        bias: of the gyro [rad/s].
        speed: of the rear axle [m/s].
        across: lateral acceleration of the tilt axis below the cabin's center [m/s²].
        potentiometer: its reading [rad].
        gyro: its reading of the tilt rate [rad/s].
        accelerometer: its reading across the cabin [m/s²].
    """

    tilt: float
    rate: float
    bias: float
    speed: float
    across: float
    potentiometer: float
    gyro: float
    accelerometer: float


class Sensing:
    """Sensors, and the Kalman filter that fuses them; once per period.

    Args:
        car: the filter's data of the vehicle.
        parameters: of the plant, including its sensor errors.
        seed: of their noise.
    """

    def __init__(
        self, car: Vehicle, parameters: Mapping[str, float], seed: int = 1, period: float = PERIOD
    ) -> None:
        self.car, self.period, self._seed = car, period, seed
        self.filter = fusion(car, period)
        self.tune(parameters)
        self.reset()

    def tune(self, parameters: Mapping[str, float]) -> None:
        """Update noise and biases, which may change while the plant runs."""
        self._parameters = dict(parameters)
        self._instruments = fit(self._parameters, self._seed)

    def reset(self) -> None:
        """Restart: discard readings and estimates."""
        self._instruments = fit(self._parameters, self._seed)
        self._differences = [il.devices.FilteredDifferences(self.period, CUTOFF) for _ in range(3)]
        self._before: tuple[float, float, float] | None = None

    def read(self, outputs: Signals, missed: int = 0) -> Known:
        """Read all sensors, and estimate.

        Args:
            outputs: of the plant.
            missed: number of samples since the last call that were not read.
        """
        if missed > MOST_MISSED:
            self.reset()
        seen, car = self._instruments.read(outputs), self.car
        pot, gyro, across = seen["potentiometer"], -seen["imu.gyro.x"], seen["imu.accel.y"]
        if self._before is None:
            self.filter.reset([pot, 0.0, 0.0])
        tilt = float(self.filter.x[0])
        # turn rate about the road's normal, from the gyros in the axes of the cabin
        turn = seen["imu.gyro.z"] * math.cos(tilt) - seen["imu.gyro.y"] * math.sin(tilt)
        now = seen["encoder_left"], seen["encoder_right"], turn
        *spins, turning = self._rates(now, 0 if self._before is None else missed)
        speed = 0.5 * car.radius * sum(spins)
        axis = speed * turn + car.tilting_ahead * turning
        # nonlinear terms that the linear model of the cabin leaves out, as a torque
        lost = G * (math.sin(tilt) - tilt) - axis * (math.cos(tilt) - 1.0)
        inputs = seen["torque_cell"] + car.moment * lost, axis
        if self._before is not None:
            for _ in range(missed):
                self.filter.miss(inputs)
        self._before = now
        # near wheel lift, the roll of the rear module no longer follows the stiffness of its tyres
        rolled = seen["torque_cell"] + car.standing_mass * car.standing_height * axis
        lifts = abs(rolled) > LIFTS * car.lifting_moment
        without = ("potentiometer",) if lifts else ()
        tilt, rate, bias = self.filter.step((pot, gyro, across), inputs, without=without).tolist()
        return Known(tilt, rate, bias, speed, axis, pot, gyro, across)

    def _rates(self, now: tuple[float, float, float], missed: int) -> list[float]:
        """Rates of wheels and turn; over missed samples values are interpolated linearly."""
        before, rates = self._before or now, []
        for last, value, difference in zip(before, now, self._differences, strict=True):
            for k in range(1, missed + 1):
                difference.update(last + (value - last) * k / (missed + 1))
            rates.append(difference.update(value)[1])
        return rates
