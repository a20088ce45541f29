"""Design of the controllers of the flexible link, on its nominal model in the upright position.

Upright is 90 degrees. There the torque of gravity vanishes and increases with the angle, so the
position is unstable. Choices where the source gives no data:

- the weights of its optimal controller apply to angles and elastic rotations in rad, and to the
  torque in N·m with weight 1; two of its three weights are the diagonal of Q_y, one is Q_w. Tuning
  "1V" weighs the strain in volts, as measured: only this damps vibrations strongly;
- gains of the PI controller: without damping in the model, only friction can damp the loop, and it
  does so for these gains;
- the design ignores friction, since sliding friction is not linear;
- the Kalman filter assumes process noise on the command of the size of the friction, and
  measurement noise of angle and strain 10 and 30 times the actual one: with the actual noise the
  filter follows the bending too closely, and the loop of tuning 1V is unstable for a link that is
  30 % softer or stiffer than the model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import inloop as il
from inloop import gallery
from inloop.gallery.flexlink.controllers.signals import COMMAND, ENCODER, LIMIT, STRAIN, UPRIGHT

PERIOD = 1e-3  # [s]
KP, KI = 20.0, 5.0  # [N m/rad], [N m/(rad s)]
DISTURBANCE = 0.25  # added to the command [V]: friction of 0.1 N m
DISTRUST = {ENCODER: 10.0, STRAIN: 30.0}  # assumed over actual noise


@dataclass(frozen=True)
class Tuning:
    """Weights of the optimal controller, relative to 1 per (N·m)² of torque.

    Attributes:
        angle: weight of the angle error [1/rad²].
        strain: weight of the elastic rotation at mid-span [1/rad²].
        integral: weight of the integral of the angle error [1/(rad s)²].
    """

    angle: float
    strain: float
    integral: float


STRAIN_GAIN = 200.0  # of the amplifier [V/rad]
TUNINGS: Mapping[str, Tuning] = {
    "1": Tuning(1000.0, 50.0, 100.0),
    "2": Tuning(500.0, 100.0, 50.0),
    "1V": Tuning(1000.0, 50.0 * STRAIN_GAIN**2, 100.0),
}


@cache
def nominal() -> il.control.LinearModel:
    """The linear model of the upright link without friction: command [V] to angle and strain."""
    plant = gallery.get("flexlink").build(start=math.degrees(UPRIGHT)).compile()
    plant.parameters["friction"] = 0.0
    rest = plant.equilibrium(fixed=["hub"])
    linear = plant.linearize(q=rest.q, inputs=(COMMAND,), outputs=(ENCODER, STRAIN))
    return il.control.LinearModel.of(linear)


def lq(tuning: Tuning, *, period: float = PERIOD, delay: float = 0.0) -> il.control.LqgController:
    """The optimal controller.

    Args:
        tuning: its weights.
        period: time between samples [s].
        delay: from a sample to its command, as assumed in the design [s].
    """
    model = il.control.discretize(nominal(), period, delay)
    gains = il.control.lqy(
        model,
        {ENCODER: tuning.angle, STRAIN: tuning.strain / STRAIN_GAIN**2},
        {ENCODER: tuning.integral},
        {COMMAND: torque_gain() ** 2},
    )
    assumed = {name: DISTRUST[name] * size for name, size in noise().items()}
    observer = il.control.kalman(model, {COMMAND: DISTURBANCE}, assumed)
    return il.control.LqgController(
        model, gains, observer, limits=(-LIMIT, LIMIT), output_at=(UPRIGHT, 0.0)
    )


def pi(kp: float = KP, ki: float = KI, *, period: float = PERIOD) -> il.control.Pi:
    """The PI controller.

    Args:
        kp: torque per error [N·m/rad].
        ki: torque per error and time [N·m/(rad s)].
        period: time between samples [s].
    """
    gain, weight = torque_gain(), gravity_torque()
    return il.control.Pi(
        kp / gain,
        ki / gain,
        period,
        limits=(-LIMIT, LIMIT),
        feedforward=lambda angle: weight * math.cos(angle) / gain,
    )


@cache
def _defaults() -> Mapping[str, float]:
    """Nominal values of the parameters."""
    mechanism = gallery.get("flexlink").build().build()
    return {p.name: p.default for p in mechanism.parameters}


def torque_gain() -> float:
    """Torque per command [N·m/V]."""
    return _defaults()["torque_gain"]


def gravity_torque() -> float:
    """Gravity torque of the straight horizontal link about the hub [N·m]."""
    p = _defaults()
    return p["mass_per_length"] * p["length"] ** 2 / 2.0 * p["g"]


def noise() -> dict[str, float]:
    """Standard deviations of the measured angle [rad] and strain [V], including rounding."""
    p = _defaults()
    count = 2.0 * math.pi / p["encoder_counts"]
    return {
        ENCODER: math.hypot(p["encoder_noise"], count / math.sqrt(12.0)),
        STRAIN: math.hypot(p["strain_noise"], p["strain_quantum"] / math.sqrt(12.0)),
    }
