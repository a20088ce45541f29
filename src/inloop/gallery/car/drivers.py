"""Drivers of the car: one holds the speed, the other follows a path.

All are controllers (`docs/controllers.md`): they read outputs of the plant and return its pedals
and the angle of its steering wheel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from inloop.gallery.car.course import Course
from inloop.gallery.car.hard_points import WHEEL_X

Path = Callable[[np.ndarray], np.ndarray]  # y over x [m]

# single-track model of the source's car: mass [kg], inertia [kg m²], distances of the axles from
# the center of mass [m], cornering stiffness of the axles [N/rad]
MASS, INERTIA, AHEAD, BEHIND = 1647.0, 2977.498, 1.256867, 1.503133
C_FRONT, C_REAR = 120499.0, 114623.7
BACK = (
    AHEAD - WHEEL_X["front"]
)  # distance of the center of mass behind the frame of the chassis [m]
# angle of the front wheels per angle of the steering wheel: pinion 8 mm, 8 rad/m of rack
STEERING = 0.008 * 8.0


@dataclass
class SpeedHold:
    """PI control of the speed with the throttle.

    Attributes:
        speed: set-point [m/s].
        period: time between two calls [s].
        gain: throttle per speed [s/m].
        reset_time: of the integral part [s].
    """

    speed: float
    period: float
    gain: float = 0.6
    reset_time: float = 1.0
    total: float = 0.0

    def reset(self) -> None:
        """Clear the integral."""
        self.total = 0.0

    def __call__(self, outputs: Mapping[str, float]) -> float:
        """The throttle, 0 to 1."""
        error = self.speed - speed_of(outputs)
        wanted = self.gain * (error + self.total / self.reset_time)
        if 0.0 < wanted < 1.0:
            self.total += self.period * error
        return min(max(wanted, 0.0), 1.0)


def speed_of(outputs: Mapping[str, float]) -> float:
    """Speed of the car [m/s]."""
    return math.hypot(outputs["chassis_tx.qd"], outputs["chassis_ty.qd"])


@dataclass
class PreviewDriver:
    """MacAdam's preview driver (1981): the angle whose predicted path is nearest to the target.

    The driver predicts the car with a single-track model at a fixed speed. Over the preview time,
    y(s) = free(s) + per_angle(s) d, and d is the least-squares solution. The desired angle is
    delayed and passes the arms, a second-order lag.

    Attributes:
        speed: speed of the single-track model [m/s].
        period: time between two calls [s].
        look: preview time [s].
        delay: reaction time [s].
        arms: natural frequency of the arms [Hz]; the damping ratio is 0.8.
        most: largest angle of the steering wheel [rad].
        practised: the prediction includes the driver's own lag, during which the angle stays.
    """

    speed: float
    period: float
    look: float = 1.0
    delay: float = 0.12
    arms: float = 3.0
    most: float = 3.0
    practised: bool = False
    _late: list[float] = field(default_factory=list)
    _angle: float = 0.0
    _rate: float = 0.0

    def __post_init__(self) -> None:
        self.times = np.linspace(0.1, 1.0, 10) * self.look
        self.free, self.per_angle = predict(self.speed, self.times)
        # a change of the angle acts after the lag only
        lag = self.delay + 1.6 / (2.0 * math.pi * self.arms) if self.practised else 0.0
        self.per_change = predict(self.speed, np.maximum(self.times - lag, 0.0))[1]
        self.reset()

    def reset(self) -> None:
        """Start with the wheel straight."""
        self._late = [0.0] * round(self.delay / self.period)
        self._angle = self._rate = 0.0

    def __call__(self, outputs: Mapping[str, float], path: Path) -> float:
        """Angle of the steering wheel to follow a path y(x) [rad]."""
        x, y, yaw, across, rate = _center(outputs)
        ahead = path(x + self.speed * self.times)
        return self._lead(np.array([y, across, yaw, rate]), ahead)

    def follow(self, outputs: Mapping[str, float], course: Course) -> float:
        """Angle of the steering wheel to follow a course in any direction [rad]."""
        x, y, yaw, across, rate = _center(outputs)
        # in axes of the car
        ahead = course.ahead(x, y, yaw, self.speed * self.times)
        return self._lead(np.array([0.0, across, 0.0, rate]), ahead)

    def _lead(self, state: np.ndarray, ahead: np.ndarray) -> float:
        """Apply delay and arms; `ahead` is the desired y at `times`, in the axes of `state`."""
        self._late.append(self._wanted(state, ahead))
        wanted = self._late.pop(0)
        w = 2.0 * math.pi * self.arms
        # semi-implicit Euler: stable for steps far below the arms' period
        self._rate += self.period * (w * w * (wanted - self._angle) - 1.6 * w * self._rate)
        self._angle += self.period * self._rate
        return self._angle

    def _wanted(self, state: np.ndarray, ahead: np.ndarray) -> float:
        held = STEERING * self._angle if self.practised else 0.0
        missing = ahead - self.free @ state - self.per_angle * held
        angle = held + float(self.per_change @ missing / (self.per_change @ self.per_change))
        return min(max(angle / STEERING, -self.most), self.most)


def _center(outputs: Mapping[str, float]) -> tuple[float, float, float, float, float]:
    """Position and yaw of the center of mass, its lateral velocity, and the yaw rate."""
    yaw, rate = outputs["chassis_rz.q"], outputs["chassis_rz.qd"]
    vx, vy = outputs["chassis_tx.qd"], outputs["chassis_ty.qd"]
    c, s = math.cos(yaw), math.sin(yaw)
    x, y = outputs["chassis_tx.q"] - BACK * c, outputs["chassis_ty.q"] - BACK * s
    return x, y, yaw, -s * vx + c * vy - BACK * rate, rate


def predict(speed: float, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lateral positions of the single-track model, linear in its state and a constant wheel angle.

    Args:
        speed: [m/s].
        times: [s].

    Returns:
        y at the times per state (y, lateral velocity, yaw, yaw rate), and per angle [m/rad].
    """
    turn = BEHIND * C_REAR - AHEAD * C_FRONT
    yaw_damping = AHEAD**2 * C_FRONT + BEHIND**2 * C_REAR
    A = np.zeros((5, 5))  # the last state is the angle
    A[0, 1], A[0, 2], A[2, 3] = 1.0, speed, 1.0
    A[1] = (0.0, -(C_FRONT + C_REAR) / (MASS * speed), 0.0, turn / (MASS * speed) - speed,
            C_FRONT / MASS)  # fmt: skip
    A[3] = (0.0, turn / (INERTIA * speed), 0.0, -yaw_damping / (INERTIA * speed),
            AHEAD * C_FRONT / INERTIA)  # fmt: skip
    rows = np.array([_exponential(A * t)[0] for t in times])
    return rows[:, :4], rows[:, 4]


def _exponential(A: np.ndarray) -> np.ndarray:
    """Matrix exponential by scaling and squaring of a Taylor series."""
    small, result, term = A / 1024.0, np.eye(len(A)), np.eye(len(A))
    for k in range(1, 9):
        term = term @ small / k
        result = result + term
    for _ in range(10):
        result = result @ result
    return result
