"""Steady circles at several speeds: gain of the yaw rate, understeer gradient, roll.

The single-track model has V / (L + K V²) per angle of the front wheels, with the understeer
gradient K = m (b / C_f - a / C_r) / L of the axles' cornering stiffnesses under their loads. Wheels
lean with the body, as the arms are parallel. With c the force per lean by that per slip angle and
φ' the roll per lateral acceleration, the slip angles of the axles become smaller by c φ' a_y, which
adds (c_f - c_r) φ' to K. Aligning moments let the forces act behind the middle of the contact by
the pneumatic trail: a and b become a - t_f and b + t_r.
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
# of the source's car: mass [kg], axles before and behind the center of mass [m], cornering
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
    """Hold the rack a little to the left until all is steady."""
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


def lean_share(load: float) -> float:
    """Lateral force per lean over that per slip angle, of a tyre of 1987 under a load [N]."""
    tyre, h = il.tyres.Formula1987(with_aligning_moment=False), 1e-5
    lean = tyre.forces(il.tyres.Slip(load, 0.0, 0.0, h)).lateral
    return float(lean / tyre.forces(il.tyres.Slip(load, 0.0, h)).lateral)


def pneumatic_trail(load: float) -> float:
    """By which the force acts behind the middle of the contact, at small slip angles [m]."""
    found = il.tyres.Formula1987().forces(il.tyres.Slip(load, 0.0, 1e-5))
    return float(-found.aligning / found.lateral)


def full_gradient(found: Circle) -> float:
    """Understeer gradient of a single track whose wheels lean as the car rolls [rad s²/m].

    With pneumatic trail if the tyres have aligning moments.
    """
    roll = found.roll / (found.speed * found.yaw_rate)
    front, rear = map(lean_share, LOADS)
    t_f, t_r = map(pneumatic_trail, LOADS) if found.aligning else (0.0, 0.0)
    a, b = A - t_f, B + t_r
    return MASS * (b / C_FRONT - a / C_REAR) / (a + b) + (front - rear) * roll


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
            "single track, leaning wheels, trail [rad s²/m]": full_gradient(circles[-1]),
            "single track, upright wheels, no trail [rad s²/m]": GRADIENT,
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
