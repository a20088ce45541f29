"""Sine with dwell: does the car recover from a severe swerve, and does it swerve far enough?

The test of FMVSS 126 and ECE R140: coasting from 80 km/h (here 75), the steering wheel follows one
period of a sine of 0.7 Hz that dwells at its second peak for 0.5 s. Its amplitude is a multiple of
the angle A that gives 0.3 g in a slow turn. The yaw rate must not exceed 35 % of its second peak
1 s after the end of steering and 20 % after 1.75 s, and from 5 A on the lateral displacement 1.07 s
after the start must be at least 1.83 m. The car has no stability control.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.drivers import BACK
from inloop.gallery.car.experiments.caster import SPEED
from inloop.gallery.car.experiments.plots import COLORS, dress

FREQUENCY, DWELL, BEGIN = 0.7, 0.5, 1.0  # [Hz], [s], [s]
END = BEGIN + 1.0 / FREQUENCY + DWELL
RAMP = math.radians(13.5)  # steering rate of the slow turn [rad/s]
MULTIPLES = (1.5, 3.0, 5.0, 6.5)
GRAVITY = 9.81
SECONDS = END + 2.2


def steering(amplitude: float) -> Callable[[Any], Any]:
    """Angle of the steering wheel over time, to the left first [rad]."""
    rest = BEGIN + 0.75 / FREQUENCY  # time of the second peak, where it dwells

    def angle(t: Any) -> Any:
        # time stands still at the peak
        s = il.minimum(t, rest) + il.maximum(t - rest - DWELL, 0.0) - BEGIN
        s = il.maximum(0.0, il.minimum(s, 1.0 / FREQUENCY))
        return amplitude * il.sin(2.0 * math.pi * FREQUENCY * s)

    return angle


@dataclass(frozen=True)
class Swerve:
    """A run with one amplitude.

    Attributes:
        amplitude: [rad].
        after: yaw rate 1 s and 1.75 s after the end of steering, relative to its second peak.
        aside: lateral displacement of the center of mass 1.07 s after the start [m].
        run: run of the car.
    """

    amplitude: float
    after: tuple[float, float]
    aside: float
    run: il.Result

    @property
    def is_stable(self) -> bool:
        """Whether the yaw rate decays as required."""
        return self.after[0] <= 0.35 and self.after[1] <= 0.20


def slow_turn(plant: il.Plant) -> float:
    """Angle of the steering wheel at 0.3 g in a slow turn [rad]."""
    run = plant.simulate(
        t_end=6.0, step=1e-3, method="rk4", sample=0.02,
        inputs={"steering.q": lambda t: RAMP * il.maximum(t - 0.5, 0.0), "throttle": 0.12},
    )  # fmt: skip
    v = np.hypot(run["chassis_tx.qd"], run["chassis_ty.qd"])
    reached = v * run["chassis_rz.qd"] >= 0.3 * GRAVITY
    if not reached.any():
        raise il.InputError("the car does not reach 0.3 g", fix="Give more grip.")
    return float(run["steering.q"][int(np.argmax(reached))])


def swerve(plant: il.Plant, amplitude: float, seconds: float = SECONDS) -> Swerve:
    """One run, coasting."""
    run = plant.simulate(
        t_end=seconds, step=1e-3, method="rk4", sample=5e-3,
        inputs={"steering.q": steering(amplitude), "clutch": 1.0},
    )  # fmt: skip
    rate, yaw = run["chassis_rz.qd"], run["chassis_rz.q"]
    peak = rate[(run.t > BEGIN + 0.5 / FREQUENCY) & (run.t < END)].min()
    after = [float(np.interp(END + s, run.t, rate) / peak) for s in (1.0, 1.75)]
    y = run["chassis_ty.q"] - BACK * np.sin(yaw)
    aside = float(np.interp(BEGIN + 1.07, run.t, y) - np.interp(BEGIN, run.t, y))
    return Swerve(amplitude, (after[0], after[1]), aside, run)


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(pedals=True, bars_as_laws=True, speed=SPEED)
    unit = slow_turn(plant)
    swerves = [swerve(plant, k * unit) for k in MULTIPLES]
    return Outcome(
        figures={
            "angle at 0.3 g [deg]": math.degrees(unit),
            "amplitude [deg]": tuple(math.degrees(s.amplitude) for s in swerves),
            "yaw rate 1 s after, over its peak (at most 0.35)": tuple(s.after[0] for s in swerves),
            "yaw rate 1.75 s after (at most 0.20)": tuple(s.after[1] for s in swerves),
            "lateral displacement after 1.07 s (at least 1.83 from 5 A on) [m]": tuple(
                s.aside for s in swerves
            ),
            "stable": tuple(float(s.is_stable) for s in swerves),
        },
        draw=lambda figure: _draw(figure, swerves),
        size=(8.0, 7.0),
        notes=("FMVSS 126, coasting from 75 km/h with an open clutch, no stability control",),
    )


def _draw(figure: Any, swerves: list[Swerve]) -> None:
    angle, rate, path = figure.subplots(3, 1)
    for s, k, color in zip(swerves, MULTIPLES, COLORS, strict=True):
        angle.plot(s.run.t, np.degrees(s.run["steering.q"]), color=color, label=f"{k:g} A")
        rate.plot(s.run.t, np.degrees(s.run["chassis_rz.qd"]), color=color)
        path.plot(s.run["chassis_tx.q"], s.run["chassis_ty.q"], color=color)
    angle.legend()
    for time in (END + 1.0, END + 1.75):
        rate.axvline(time, color="#7a7a7a", linestyle=":")
    dress(angle, "t [s]", "steering wheel [deg]")
    dress(rate, "t [s]", "yaw rate [deg/s]")
    dress(path, "x [m]", "y [m]")


DWELL_SINE = Experiment(
    "sine with dwell at growing amplitudes, as in FMVSS 126", _run, fixed_length=True
)
