"""Vibrations of the car at 10 m/s, beside ROBOTRAN's of the same car.

The source publishes the modal analysis of its car (`resultsR/modal_*.res`): three modes of the
body, four of wheel hop, and the creep of sideslip and yaw. Its tyres act at once and have no
aligning moment, so the car is linearized with the same ones, rolling straight ahead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.experiments.plots import COLORS, GRAY, dress
from inloop.gallery.car.experiments.steady import rolling_start

SPEED = 10.0  # [m/s]
BODY, HOPS = 3, 4  # modes of the body and of the wheels
# of the source: undamped frequencies [Hz] and damping [%] of the body, the extremes of wheel hop,
# creep of sideslip and yaw [1/s]
BODY_HZ, BODY_DAMPING = (0.913, 1.005, 1.182), (48.0, 57.0, 48.0)
HOP_HZ, HOP_DAMPING = (17.55, 19.08), (64.0, 70.0)
CREEP = (-15.13, -34.64)
SLOWEST_OF_THE_WHEELS = 60.0  # the spins of the wheels creep faster [1/s]


@dataclass(frozen=True)
class Modes:
    """Small motions about driving straight ahead.

    Attributes:
        frequencies: undamped, of body and wheel hop, rising [Hz].
        damping: of these [%].
        creep: eigenvalues of sideslip and yaw [1/s].
        error: estimated error of the linear equations, over their largest coefficient.
    """

    frequencies: np.ndarray
    damping: np.ndarray
    creep: np.ndarray
    error: float


def modes(plant: il.Plant, speed: float = SPEED) -> Modes:
    """Modes of a car whose wheels roll without slip."""
    q, qd = rolling_start(plant, speed)
    linear = plant.linearize(q=q, qd=qd)
    values, error = linear.eigenvalues, linear.error / float(np.abs(linear.A).max())
    swings = values[values.imag > 1.0]
    swings = swings[np.argsort(np.abs(swings))]
    real = values[np.abs(values.imag) < 1e-6].real
    creep = np.sort(real[np.abs(real) < SLOWEST_OF_THE_WHEELS])[:2][::-1]
    size = np.abs(swings)
    return Modes(size / (2.0 * np.pi), -100.0 * swings.real / size, creep, error)


def _run(bench: Bench) -> Outcome:
    found = modes(bench.compile(relaxation=0.0, aligning=False, speed=SPEED, hands=True))
    body, hops = slice(0, BODY), slice(BODY, BODY + HOPS)
    return Outcome(
        figures={
            "body [Hz]": tuple(map(float, found.frequencies[body])),
            "body, ROBOTRAN [Hz]": BODY_HZ,
            "body, damping [%]": tuple(map(float, found.damping[body])),
            "body, damping, ROBOTRAN [%]": BODY_DAMPING,
            "wheel hop [Hz]": tuple(map(float, found.frequencies[hops])),
            "wheel hop, ROBOTRAN, lowest and highest [Hz]": HOP_HZ,
            "wheel hop, damping [%]": tuple(map(float, found.damping[hops])),
            "wheel hop, damping, ROBOTRAN, lowest and highest [%]": HOP_DAMPING,
            "creep of sideslip and yaw [1/s]": tuple(map(float, found.creep)),
            "creep, ROBOTRAN [1/s]": CREEP,
        },
        draw=lambda figure: _draw(figure, found),
        size=(8.0, 4.5),
        notes=("tyres of 1987 without relaxation and aligning moment, as in the source",),
    )


def _draw(figure: Any, found: Modes) -> None:
    left, right = figure.subplots(1, 2, sharey=True)
    left.plot(BODY_HZ, BODY_DAMPING, "s", ms=11, mfc="none", color=GRAY, label="ROBOTRAN")
    right.fill_between(HOP_HZ, *HOP_DAMPING, color=GRAY, alpha=0.25, label="range of ROBOTRAN's")
    parts = ((left, "body", slice(0, BODY)), (right, "wheel hop", slice(BODY, BODY + HOPS)))
    for axis, title, part in parts:
        hertz, damping = found.frequencies[part], found.damping[part]
        axis.plot(hertz, damping, "o", color=COLORS[0], label="inloop")
        dress(axis, "undamped frequency [Hz]", "damping [%]")
        axis.set_title(title)
        axis.margins(0.15)
        axis.legend()


MODES = Experiment(
    "vibrations at 10 m/s, beside ROBOTRAN's of the same car", _run, fixed_length=True
)
