"""Braking with ice under the left wheels: deceleration and yaw, with and without steering.

By hand, with both sides equally loaded, the best deceleration is the mean of the grips times that
on a dry road (1.036 g at the best slip of the tyres of 1987), and the yaw moment is half the track
times the difference of the forces. In one run the steering wheel is held, in the other the preview
driver countersteers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.drivers import PreviewDriver
from inloop.gallery.car.experiments.caster import SPEED
from inloop.gallery.car.experiments.plots import COLORS, dress
from inloop.gallery.car.model import CORNERS

ICE, DRY = 0.3, 1.0
BEST = 1.03624 * 9.81  # deceleration at the best slip on a dry road [m/s²]
BRAKES = 0.5  # start of braking [s]
PERIOD = 5e-3
SECONDS = 6.0


def split_road() -> il.tyres.Road:
    """Ice to the left of y = 0, dry to the right, with a transition of 5 cm."""

    def grip(x: Any, y: Any) -> Any:
        return 0.5 * (ICE + DRY) + 0.5 * (ICE - DRY) * il.tanh(y / 0.05)

    return il.tyres.height_road(lambda x, y: 0.0 * x, grip=grip)


class Braking:
    """Brakes fully, and steers or holds the wheel."""

    def __init__(self, *, steers: bool) -> None:
        self.driver = (
            PreviewDriver(SPEED, PERIOD, look=0.6, delay=0.1, arms=4.0, practised=True)
            if steers
            else None
        )

    def reset(self) -> None:
        """Return to the state before the run."""
        if self.driver is not None:
            self.driver.reset()

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        """Pedals and angle of the steering wheel."""
        angle = 0.0 if self.driver is None else self.driver(outputs, np.zeros_like)
        return {"brake": float(t >= BRAKES), "clutch": 1.0, "steering.q": angle}


def brake(plant: il.Plant, *, steers: bool, seconds: float = SECONDS) -> il.Result:
    """A stop from 75 km/h."""
    return plant.simulate(
        t_end=seconds, step=1e-3, method="rk4", sample=PERIOD,
        controller=Braking(steers=steers), period=PERIOD,
    )  # fmt: skip


def deceleration(run: il.Result) -> float:
    """Mean deceleration from 18 to 14 m/s, with the left wheels on ice [m/s²]."""
    v = np.hypot(run["chassis_tx.qd"], run["chassis_ty.qd"])
    first, last = int(np.argmax(v < 18.0)), int(np.argmax(v < 14.0))
    return float((v[first] - v[last]) / (run.t[last] - run.t[first]))


def turning_moment(run: il.Result) -> float:
    """Yaw moment of the longitudinal tyre forces, half a second after braking began [N·m]."""
    k = int(np.argmax(run.t >= BRAKES + 0.5))
    total = 0.0
    for corner in CORNERS:
        name = f"tyre_{corner.name}"
        total -= float(run[f"{name}.longitudinal"][k] * run[f"{name}.point_y"][k])
    return total


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(pedals=True, bars_as_laws=True, speed=SPEED, road=split_road())
    runs = [brake(plant, steers=steers) for steers in (False, True)]
    return Outcome(
        figures={
            "deceleration, held and steered [m/s²]": tuple(deceleration(run) for run in runs),
            "maximum, by hand [m/s²]": 0.5 * (ICE + DRY) * BEST,
            "moment to the dry side [N m]": tuple(turning_moment(run) for run in runs),
            "yaw at the end [deg]": tuple(math.degrees(run["chassis_rz.q"][-1]) for run in runs),
            "largest lateral deviation [m]": tuple(
                float(np.abs(run["chassis_ty.q"]).max()) for run in runs
            ),
            "largest countersteering [deg]": math.degrees(float(runs[1]["steering.q"].max())),
        },
        draw=lambda figure: _draw(figure, runs),
        size=(8.0, 7.0),
        notes=(f"grip {ICE:g} on the left, {DRY:g} on the right; ABS, clutch open",),
    )


def _draw(figure: Any, runs: list[il.Result]) -> None:
    path, yaw, speed = figure.subplots(3, 1)
    for run, label, color in zip(runs, ("wheel held", "driver steers"), COLORS, strict=False):
        path.plot(run["chassis_tx.q"], run["chassis_ty.q"], color=color, label=label)
        yaw.plot(run.t, np.degrees(run["chassis_rz.q"]), color=color)
        speed.plot(run.t, np.hypot(run["chassis_tx.qd"], run["chassis_ty.qd"]), color=color)
    path.legend()
    dress(path, "x [m]", "y [m]")
    dress(yaw, "t [s]", "yaw [deg]")
    dress(speed, "t [s]", "speed [m/s]")


SPLIT = Experiment("braking with ice under the left wheels", _run, fixed_length=True)
