"""Steady circles at several speeds: gain of the yaw rate, understeer gradient, roll.

The single-track model predicts V / (L + K V²) per angle of the front wheels, with the understeer
gradient K = m (b / C_f - a / C_r) / L from the cornering stiffnesses of the axles under their
loads. The wheels lean with the body, since the arms are parallel, and have aligning moments due to
slip and lean: `full_gradient` includes them in the balance of forces and moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.experiments.plots import COLORS, GRAY, dress
from inloop.gallery.car.experiments.steady import rolling_start, wheel_angle
from inloop.gallery.car.model import CORNERS

SPEEDS = (10.0, 15.0, 75.0 / 3.6, 25.0, 30.0)
RACK = -2e-4  # small, so that tyres and geometry are linear; to the left [m]
SECONDS = 6.0
# of the source's car: mass [kg], distances of the axles from the center of mass [m], cornering
# stiffness of the axles by the formula of 1987 under their loads [N/rad]
MASS, A, B, C_FRONT, C_REAR = 1647.0, 1.256867, 1.503133, 120499.0, 114623.7
WHEELBASE = A + B
GRADIENT = MASS * (B / C_FRONT - A / C_REAR) / WHEELBASE  # [rad s²/m]


LOADS = (4399.682, 3678.853)  # of a front and a rear tyre at rest [N]


@dataclass(frozen=True)
class Circle:
    """A steady turn.

    Attributes:
        speed: [m/s].
        yaw_rate: [rad/s].
        angle: of the front wheels [rad].
        roll: of the chassis [rad].
        aligning: sum of the aligning moments of the tyres [N·m].
    """

    speed: float
    yaw_rate: float
    angle: float
    roll: float
    aligning: float

    @property
    def gain(self) -> float:
        """Yaw rate per angle of the wheels [1/s]."""
        return self.yaw_rate / self.angle


def drive(plant: il.Plant, speed: float, seconds: float = SECONDS) -> Circle:
    """Hold the rack slightly to the left until the motion is steady."""
    q, qd = rolling_start(plant, speed)
    run = plant.simulate(
        t_end=seconds, step=1e-3, method="rk4", sample=seconds, q=q, qd=qd,
        inputs={"rack.q": RACK, "rack.qd": 0.0, "rack.qdd": 0.0},
    )  # fmt: skip
    vx, vy = run["chassis_tx.qd"][-1], run["chassis_ty.qd"][-1]
    return Circle(
        float(np.hypot(vx, vy)),
        float(run["chassis_rz.qd"][-1]),
        wheel_angle(plant, run.q[-1]),
        float(run["chassis_rx.q"][-1]),
        sum(float(run[f"tyre_{corner.name}.aligning"][-1]) for corner in CORNERS),
    )


def single_track(speed: Any) -> Any:
    """Yaw rate per angle of the wheels of the single-track model [1/s]."""
    return speed / (WHEELBASE + GRADIENT * speed**2)


def _slopes(load: float, *, aligning: bool) -> np.ndarray:
    """Lateral force and aligning moment (rows) of an axle per slip angle and lean (columns)."""
    tyre, h = il.tyres.Formula1987(with_aligning_moment=aligning), 1e-5

    def change(alpha: float, gamma: float) -> tuple[float, float]:
        one, other = (
            tyre.forces(il.tyres.Slip(load, 0.0, s * alpha, s * gamma)) for s in (1.0, -1.0)
        )
        return float(one.lateral - other.lateral), float(one.aligning - other.aligning)

    # both tyres of an axle, central differences
    return np.array([change(h, 0.0), change(0.0, h)]).T / h


def full_gradient(circle: Circle) -> float:
    """Understeer gradient of a single-track model whose wheels lean with the roll [rad s²/m].

    Slip angles of the axles for a lateral acceleration of 1 m/s², from the balance of forces and of
    moments about the center of mass, including any aligning moments due to slip and lean.
    """
    roll = circle.roll / (circle.speed * circle.yaw_rate)
    front, rear = (_slopes(load, aligning=circle.aligning != 0.0) for load in LOADS)
    # moments about the center of mass; columns: slip angle, lean
    turn_front, turn_rear = A * front[0] + front[1], -B * rear[0] + rear[1]
    matrix = np.array([[front[0, 0], rear[0, 0]], [turn_front[0], turn_rear[0]]])
    given = np.array([MASS - (front[0, 1] + rear[0, 1]) * roll,
                      -(turn_front[1] + turn_rear[1]) * roll])  # fmt: skip
    slip_front, slip_rear = np.linalg.solve(matrix, given)
    return float(slip_rear - slip_front)


def understeer_gradient(slow: Circle, fast: Circle) -> float:
    """K of V / gain = L + K V² from two speeds [rad s²/m]."""
    rise = fast.speed / fast.gain - slow.speed / slow.gain
    return rise / (fast.speed**2 - slow.speed**2)


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(hands=True, speed=10.0)
    circles = [drive(plant, speed, bench.seconds or SECONDS) for speed in SPEEDS]
    return Outcome(
        figures={
            "speed [m/s]": tuple(c.speed for c in circles),
            "yaw rate per wheel angle [1/s]": tuple(c.gain for c in circles),
            "single track [1/s]": tuple(single_track(c.speed) for c in circles),
            "understeer gradient [rad s²/m]": understeer_gradient(circles[0], circles[-1]),
            "single track, leaning wheels, aligning moments [rad s²/m]": full_gradient(circles[-1]),
            "single track, upright wheels, none [rad s²/m]": GRADIENT,
            "roll per lateral acceleration [deg s²/m]": tuple(
                float(np.degrees(c.roll) / (c.speed * c.yaw_rate)) for c in circles
            ),
        },
        draw=lambda figure: _draw(figure, circles),
        size=(7.0, 4.5),
    )


def _draw(figure: Any, circles: list[Circle]) -> None:
    axis = figure.subplots()
    v = np.linspace(5.0, 35.0, 100)
    axis.plot(v, single_track(v), color=GRAY, label="single track")
    speeds, gains = [c.speed for c in circles], [c.gain for c in circles]
    axis.plot(speeds, gains, "o", color=COLORS[0], label="the car")
    axis.legend()
    dress(axis, "speed [m/s]", "yaw rate per wheel angle [1/s]")


CIRCLE = Experiment("steady circles at several speeds: yaw gain and understeer", _run)
