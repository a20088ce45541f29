"""The same motion of the steering wheel with three casters: torque on the hand.

In the source, a driver steered around an obstacle at 75 km/h without knowing the caster of the car
(Figs. 28 to 30). Nobody steers the same way twice, so here the motion of the rack is prescribed: to
the left and back, -A sin(2 pi s) sin(pi s). The torque is that of the driven rack at a pinion,
without assistance; it is negative when it pushes a wheel held to the left back to the center.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.experiments.plots import COLORS, dress
from inloop.gallery.suspension.model import TYRE_RADIUS, TYRE_STIFFNESS

SPEED = 75.0 / 3.6
CASTERS = (math.radians(3.0), math.atan(0.1), math.radians(9.0))
BEGIN, LASTS, AMPLITUDE = 1.0, 2.0, 0.004  # start, duration and size of the rack motion [s, s, m]
PINION = 0.008  # [m]
FRONT_LOAD = 4399.682  # of a tyre at rest [N]
SECONDS = 4.0


def swerve(t: Any) -> Any:
    """Position of the rack at a time [m]."""
    s = il.maximum(0.0, il.minimum((t - BEGIN) / LASTS, 1.0))
    return -AMPLITUDE * il.sin(2.0 * math.pi * s) * il.sin(math.pi * s)


def trail(caster: float, ahead: float) -> float:
    """Distance from the tyre forward to the point where the kingpin axis meets the road [m]."""
    return ahead + (TYRE_RADIUS - FRONT_LOAD / TYRE_STIFFNESS) * math.tan(caster)


def hand_torque(run: il.Result) -> np.ndarray:
    """Torque on the hand, left positive [N·m]."""
    return np.asarray(run["rack.effort"]) * PINION


def first_peak(run: il.Result) -> float:
    """The first negative peak of the torque on the hand [N·m]."""
    return float(hand_torque(run)[run.t < BEGIN + 0.55 * LASTS].min())


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(speed=SPEED, hands=True)
    runs = []
    for caster in CASTERS:
        plant.parameters["caster"] = caster
        runs.append(
            plant.simulate(
                t_end=bench.seconds or SECONDS, step=1e-3, method="rk4", sample=5e-3, rack=swerve
            )
        )
    trails = [trail(c, plant.parameters["kingpin_ahead"]) for c in CASTERS]
    return Outcome(
        figures={
            "caster [deg]": tuple(math.degrees(c) for c in CASTERS),
            "trail [mm]": tuple(1e3 * x for x in trails),
            "first peak of the torque on the hand [N m]": tuple(first_peak(r) for r in runs),
            "largest roll [deg]": tuple(
                math.degrees(np.abs(r["chassis_rx.q"]).max()) for r in runs
            ),
        },
        draw=lambda figure: _draw(figure, runs, trails),
        size=(8.0, 8.0),
        notes=("the rack moves as prescribed; torque at a pinion of 8 mm, no assistance",),
    )


def _draw(figure: Any, runs: list[il.Result], trails: list[float]) -> None:
    path, angle, torque = figure.subplots(3, 1)
    for run, x, color in zip(runs, trails, COLORS, strict=False):
        label = f"trail {1e3 * x:.0f} mm"
        path.plot(run["chassis_tx.q"], run["chassis_ty.q"], color=color, label=label)
        angle.plot(run.t, np.degrees(-run["rack.q"] / PINION), color=color)
        torque.plot(run.t, hand_torque(run), color=color)
    path.legend()
    dress(path, "x [m]", "y [m]")
    dress(angle, "t [s]", "steering wheel [deg]")
    dress(torque, "t [s]", "torque on the hand [N m]")


CASTER = Experiment("the same swerve with three casters: torque on the hand", _run)
