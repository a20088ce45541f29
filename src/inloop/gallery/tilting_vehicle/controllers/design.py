"""The Kalman filter of the tilting vehicle: its model of the cabin and the sensors.

The cabin is an inverted pendulum on the tilt axis. With θ its tilt from the road's normal, T the
torque at the shaft and a the lateral acceleration of the axis,

    J θ'' = m h (g sin θ - a cos θ) + T.

The torque cell measures T, and a follows from the speed of the wheels and the turn rate: both are
inputs of the filter, with errors. Its states are tilt, rate and the bias b of the gyro; it measures

    potentiometer   θ + (T + m_s h_s a) / k     k: roll stiffness of the rear module on its tyres
    gyro            θ' + b
    accelerometer   h θ'' + a cos θ - g sin θ   across the cabin, at its center

In a balanced turn the accelerometer reads 0 for any tilt: its gain is nearly zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery.tilting_vehicle import data
from inloop.gallery.tilting_vehicle.data import G, Vehicle

PERIOD = 1e-3  # [s]
STATES = ("tilt", "rate", "bias")  # [rad], [rad/s], [rad/s]
INPUTS = ("torque", "across")  # [N·m], [m/s²]
OUTPUTS = ("potentiometer", "gyro", "accelerometer")  # [rad], [rad/s], [m/s²]
NOISE = {
    "potentiometer": data.POTENTIOMETER,
    "gyro": data.GYRO,
    "accelerometer": data.ACCELEROMETER,
}
# of the lateral acceleration from speed and turn rate, which ignores tyre slip [m/s²]; 0.3 would be
# slightly better in the slalom, but worse with a lifted wheel or missed samples
ACROSS = 3.0
# of the initial estimate: the first reading of the potentiometer, no rate, no bias
DOUBT = {"tilt": data.POTENTIOMETER, "rate": 0.1, "bias": 0.05}


def cabin_model(car: Vehicle) -> il.control.LinearModel:
    """The continuous linear model about the upright cabin."""
    inertia, moment, height = car.inertia, car.moment, car.tilting_height
    fall = moment * G / inertia
    roll = 1.0 / car.roll_stiffness
    A = np.array([[0.0, 1.0, 0.0], [fall, 0.0, 0.0], [0.0, 0.0, 0.0]])
    B = np.array([[0.0, 0.0], [1.0 / inertia, -moment / inertia], [0.0, 0.0]])
    C = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [height * fall - G, 0.0, 0.0]])
    D = np.array(
        [
            [roll, roll * car.standing_mass * car.standing_height],
            [0.0, 0.0],
            [height / inertia, 1.0 - height * moment / inertia],
        ]
    )
    return il.control.LinearModel(A, B, C, D, STATES, INPUTS, OUTPUTS)


def steady_filter(
    car: Vehicle,
    disturbances: Mapping[str, float],
    noise: Mapping[str, float] = NOISE,
    period: float = PERIOD,
) -> tuple[il.control.LinearModel, il.control.Kalman]:
    """The sampled model and its steady-state filter.

    Args:
        car: the vehicle.
        disturbances: standard deviations of the inputs [N·m], [m/s²].
        noise: of the sensors.
        period: time between samples [s].
    """
    model = il.control.discretize(cabin_model(car), period)
    walk = {"bias": math.sqrt(data.BIAS_WALK * period)}
    return model, il.control.kalman(model, disturbances, noise, walk)


def fusion(car: Vehicle, period: float = PERIOD) -> il.control.KalmanFilter:
    """The filter that the controllers use."""
    model, observer = steady_filter(car, {"torque": car.noise, "across": ACROSS}, period=period)
    return il.control.KalmanFilter(model, observer, doubt=DOUBT)
