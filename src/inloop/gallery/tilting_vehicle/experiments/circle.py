"""Steady turns, upright and balanced: torque at the tilt shaft and load transfer, also by hand.

By hand, for a lateral acceleration a at the tilt axis, a yaw rate r and a tilt θ:

    shaft   m h ((a - r² h sin θ) cos θ - g sin θ) + L r cos θ + F (e + d_f (tan θ - a/g))
    roll φ  (shaft + m_s h_s a + 2 L r - F_r d_r) / (k track²/2 - m_s g h_s)

and the load transfer is k φ track / 2. m r² h sin θ: the center of the cabin moves on a smaller
circle than the axis; L: angular momentum of a wheel; F: load of the front wheel, whose contact
point is off the tilt axis by e if it is steered while leaning; d: compression of the tyres, by
which the axis is below the road; F_r: lateral force of the rear wheels; k: stiffness of a tyre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.tilting_vehicle.controllers.signals import Signals
from inloop.gallery.tilting_vehicle.data import CLEVER, FRONT_SHARE, SIZE, G
from inloop.gallery.tilting_vehicle.experiments.plots import BLUE, GRAY, ORANGE, dress
from inloop.gallery.tilting_vehicle.model import CORNERING, LEAN, straight

PERIOD, SECONDS, BEGIN = 5e-3, 8.0, 2.0  # [s]; the turn begins gradually, within two seconds
TURNS = ((5.0, 10.0), (10.0, 30.0))  # speed [m/s] and radius [m] of the full-size vehicle
BANDWIDTH = 12.6  # of the tilt loop [rad/s]


@dataclass(frozen=True)
class Turn:
    """A steady turn.

    Attributes:
        speed: [m/s].
        radius: [m].
        tilt: [rad].
        torque: at the shaft [N·m].
        transfer: load transfer from the inner to the outer rear wheel [N].
        by_hand: torque and transfer of the closed forms.
    """

    speed: float
    radius: float
    tilt: float
    torque: float
    transfer: float
    by_hand: tuple[float, float]


class Turning:
    """Integral control of speed, yaw rate and tilt, from their true values."""

    def __init__(self, speed: float, radius: float, tilt: float) -> None:
        self.speed, self.rate, self.tilt = speed, speed / radius, tilt
        self.car = CLEVER.of_size(SIZE)
        self.reset()

    def reset(self) -> None:
        """Restart."""
        self._steer = self._push = self._drive = 0.0

    def __call__(self, t: float, outputs: Signals) -> dict[str, float]:
        """Inputs at a time [s]."""
        car, share = self.car, min(t / BEGIN, 1.0)
        speed, yaw_rate = ahead(outputs), outputs["rear_rz.qd"]
        tilt = outputs["tilt.q"] - outputs["rear_rx.q"]
        rate = outputs["tilt.qd"] - outputs["rear_rx.qd"]
        base = car.wheelbase / self.speed
        self._steer += 2.0 * PERIOD * base * (share * self.rate - yaw_rate)
        self._drive += 2.0 * PERIOD * (self.speed - speed)
        missing, w = share * self.tilt - tilt, BANDWIDTH
        self._push += 0.3 * PERIOD * w**3 * missing
        push = w * w * missing - 1.8 * w * rate + self._push
        lacks = speed * yaw_rate * math.cos(tilt) - G * math.sin(tilt)
        mass = car.tilting_mass + car.standing_mass
        return {
            "steering.q": share * base * self.rate + self._steer,
            "tilt_motor": car.inertia * push + car.moment * lacks,
            "motor": mass * car.radius * (4.0 * (self.speed - speed) + self._drive),
        }


def ahead(outputs: Signals) -> float:
    """Speed of the rear axle along the vehicle [m/s]."""
    yaw = outputs["rear_rz.q"]
    return outputs["rear_tx.qd"] * math.cos(yaw) + outputs["rear_ty.qd"] * math.sin(yaw)


def turn(plant: il.Plant, speed: float, radius: float, tilt: float) -> Turn:
    """Drive until the motion is steady.

    Args:
        plant: the demonstrator.
        speed: [m/s].
        radius: [m].
        tilt: set-point [rad].
    """
    dry = plant.parameters["tilt_friction"]
    plant.parameters["tilt_friction"] = 0.0
    try:
        run = plant.simulate(
            t_end=SECONDS, step=1e-3, **straight(speed), controller=Turning(speed, radius, tilt),
            period=PERIOD, sample=0.1,
        )  # fmt: skip
    finally:
        plant.parameters["tilt_friction"] = dry
    end = {name: float(run[name][-1]) for name in run.names}
    transfer = 0.5 * (end["tyre_right.load"] - end["tyre_left.load"])
    tilted, moving, rate = end["tilt.q"] - end["rear_rx.q"], ahead(end), end["rear_rz.qd"]
    expected = by_hand(moving, rate, tilted)
    return Turn(moving, moving / rate, tilted, end["torque_cell"], transfer, expected)


def by_hand(speed: float, rate: float, tilt: float) -> tuple[float, float]:
    """Torque at the shaft [N·m] and load transfer [N] of the demonstrator; see above."""
    car = CLEVER.of_size(SIZE)
    across, weight = speed * rate, G * (car.tilting_mass + car.standing_mass)
    front = FRONT_SHARE * weight
    spin = car.wheel_inertia * speed / car.radius * rate
    smaller = rate**2 * car.tilting_height * math.sin(tilt)
    shaft = car.moment * ((across - smaller) * math.cos(tilt) - G * math.sin(tilt))
    shaft += spin * math.cos(tilt)
    sunk = front / car.tyre_stiffness * (math.tan(tilt) - across / G)
    shaft += front * (_beside(speed, rate, tilt) + sunk)
    rear = (1.0 - FRONT_SHARE) * weight
    pressed = 0.5 * rear / car.tyre_stiffness
    own = car.standing_mass * car.standing_height * across + 2.0 * spin
    roll = (shaft + own - rear * across / G * pressed) / car.roll_stiffness
    return shaft, 0.5 * car.tyre_stiffness * car.track * roll


def _beside(speed: float, rate: float, tilt: float) -> float:
    """Lateral distance of the front wheel's contact point from the tilt axis [m]."""
    car, share = CLEVER.of_size(SIZE), speed * rate / G
    # slip angles: forces per load are a/g on both axles, in front partly due to lean
    slips = share / CORNERING, (share - LEAN * tilt) / CORNERING
    heading = car.wheelbase * rate / speed + slips[1] - slips[0]
    steer = math.atan(math.tan(heading) * math.cos(tilt))
    # lowest point in the plane of the wheel; on the axis if the wheel is not steered
    lean, turned = math.sin(tilt), math.cos(steer) ** 2
    return car.radius * lean * (1.0 - turned * (1.0 - lean**2) / (1.0 - turned * lean**2))


def turns(plant: il.Plant, which: int) -> list[Turn]:
    """One of `TURNS`, scaled to the demonstrator: upright, then balanced."""
    v, r = TURNS[which][0] * math.sqrt(SIZE), TURNS[which][1] * SIZE
    return [turn(plant, v, r, tilt) for tilt in (0.0, math.atan(v * v / (r * G)))]


def _run(bench: Bench) -> Outcome:
    plant = bench.compile()
    steady = [turn for which in range(len(TURNS)) for turn in turns(plant, which)]
    return Outcome(
        figures={
            "speed [m/s]": tuple(t.speed for t in steady),
            "radius [m]": tuple(t.radius for t in steady),
            "tilt [deg]": tuple(math.degrees(t.tilt) for t in steady),
            "torque at the shaft [N m]": tuple(t.torque for t in steady),
            "by hand: torque [N m]": tuple(t.by_hand[0] for t in steady),
            "load transfer [N]": tuple(t.transfer for t in steady),
            "by hand: load transfer [N]": tuple(t.by_hand[1] for t in steady),
        },
        draw=lambda figure: _draw(figure, steady),
        size=(8.0, 4.0),
        notes=(
            f"1 : {1.0 / SIZE:g} of CLEVER; times {SIZE**-4:g} and {SIZE**-3:g} the torques and "
            "forces of the full-size vehicle",
        ),
    )


def _draw(figure: Any, steady: list[Turn]) -> None:
    for axis, what, k in zip(
        figure.subplots(1, 2), ("torque at the shaft [N m]", "load transfer [N]"), (0, 1),
        strict=True,
    ):  # fmt: skip
        at = np.arange(len(steady))
        here = [t.torque if k == 0 else t.transfer for t in steady]
        axis.bar(at - 0.2, here, 0.38, color=BLUE, label="here")
        axis.bar(at + 0.2, [t.by_hand[k] for t in steady], 0.38, color=ORANGE, label="by hand")
        axis.axhline(0.0, color=GRAY, linewidth=0.8)
        words = ("upright", "balanced")
        labels = [f"{t.radius:.1f} m\n{words[n % 2]}" for n, t in enumerate(steady)]
        axis.set_xticks(at, labels, fontsize=8)
        dress(axis, what)
        axis.margins(x=0.05)
    axis.legend()


CIRCLE = Experiment(
    "steady turns, upright and balanced: torque and load transfer by hand", _run, fixed_length=True
)
