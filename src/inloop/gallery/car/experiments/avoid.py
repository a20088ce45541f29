"""An obstacle appears: to the left around it and back, at 75 km/h, with three casters.

The source's driving simulator (Figs. 28 to 30): the car drives straight on, an obstacle appears at
a random time, and the driver, who does not know the caster, steers around it. Here a preview driver
steers, and the time is drawn with a seed, so that runs can be repeated. Assistance is off, so that
the torque on the hand is that of the rack.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.drivers import PreviewDriver, SpeedHold
from inloop.gallery.car.experiments.caster import CASTERS, SPEED, trail
from inloop.gallery.car.experiments.plots import COLORS, GRAY, dress

SEED = 2024
EARLIEST, LATEST = 2.0, 4.0  # when it appears [s]
AHEAD = 45.0  # distance ahead of the car [m]
ASIDE, CHANGE, LENGTH = 3.0, 40.0, 12.0  # lane change, its length, length of the obstacle [m]
PERIOD = 5e-3
SECONDS = 12.0


@dataclass(frozen=True)
class Obstacle:
    """Position and time of its appearance.

    Attributes:
        time: [s].
        x: of its near end [m].
    """

    time: float
    x: float

    def path(self, x: np.ndarray) -> np.ndarray:
        """y over x: around it on the left and back, half cosines [m]."""
        out = np.clip((x - (self.x - CHANGE)) / CHANGE, 0.0, 1.0)
        back = np.clip((x - (self.x + LENGTH)) / CHANGE, 0.0, 1.0)
        return np.asarray(0.5 * ASIDE * (np.cos(np.pi * back) - np.cos(np.pi * out)))


class Avoiding:
    """Drives straight on until the obstacle appears, then around it."""

    def __init__(self, seed: int = SEED) -> None:
        self.hold = SpeedHold(SPEED, PERIOD)
        self.driver = PreviewDriver(SPEED, PERIOD)
        self.time = float(np.random.default_rng(seed).uniform(EARLIEST, LATEST))
        self.obstacle: Obstacle | None = None

    def reset(self) -> None:
        """Return to the state before the run."""
        self.hold.reset()
        self.driver.reset()
        self.obstacle = None

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        """Throttle and angle of the steering wheel."""
        if self.obstacle is None and t >= self.time:
            self.obstacle = Obstacle(t, outputs["chassis_tx.q"] + AHEAD)
        path = np.zeros_like if self.obstacle is None else self.obstacle.path
        angle = self.driver(outputs, path)
        return {"throttle": self.hold(outputs), "steering.q": angle}


def avoid(plant: il.Plant, seconds: float, seed: int = SEED) -> tuple[il.Result, Obstacle]:
    """A run of the scenario, and the obstacle that appeared."""
    scene = Avoiding(seed)
    run = plant.simulate(
        t_end=seconds, step=1e-3, method="rk4", sample=PERIOD, controller=scene, period=PERIOD
    )
    if scene.obstacle is None:
        raise il.InputError(
            f"the obstacle appears only after {scene.time:.2f} s", fix="Give more seconds."
        )
    return run, scene.obstacle


def first_peaks(run: il.Result) -> tuple[float, float]:
    """Angle of the steering wheel [rad] and torque on the hand [N·m] at their first peaks."""
    k = int(np.argmax(run["steering.q"]))
    return float(run["steering.q"][k]), float(run["column.hand"][: k + 100].min())


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(pedals=True, bars_as_laws=True, speed=SPEED)
    plant.parameters["assist"] = 0.0
    runs: list[il.Result] = []
    for caster in CASTERS:
        plant.parameters["caster"] = caster
        run, obstacle = avoid(plant, bench.seconds or SECONDS)
        runs.append(run)
    peaks = [first_peaks(run) for run in runs]
    trails = [trail(c, plant.parameters["kingpin_ahead"]) for c in CASTERS]
    return Outcome(
        figures={
            "obstacle appears [s]": obstacle.time,
            "trail [mm]": tuple(1e3 * x for x in trails),
            "first peak of the angle [deg]": tuple(math.degrees(a) for a, _ in peaks),
            "first peak of the torque on the hand [N m]": tuple(torque for _, torque in peaks),
            "largest y [m]": tuple(float(run["chassis_ty.q"].max()) for run in runs),
            "y at the end [m]": tuple(float(run["chassis_ty.q"][-1]) for run in runs),
        },
        draw=lambda figure: draw_runs(
            figure, runs, [f"trail {1e3 * length:.0f} mm" for length in trails], obstacle
        ),
        size=(8.0, 8.0),
        notes=(f"preview driver, seed {SEED}; steering without assistance",),
    )


def draw_runs(figure: Any, runs: list[il.Result], labels: list[str], obstacle: Obstacle) -> None:
    """Path, angle and torque of runs, as in Figs. 28 to 30 of the source."""
    path, angle, torque = figure.subplots(3, 1)
    x = np.linspace(obstacle.x - 80.0, obstacle.x + 120.0, 400)
    path.plot(x, obstacle.path(x), color=GRAY, linestyle=":", label="wanted")
    path.fill_between([obstacle.x, obstacle.x + LENGTH], -0.9, 0.9, color=GRAY, alpha=0.5)
    for run, label, color in zip(runs, labels, COLORS, strict=False):
        path.plot(run["chassis_tx.q"], run["chassis_ty.q"], color=color, label=label)
        angle.plot(run.t, np.degrees(run["steering.q"]), color=color)
        torque.plot(run.t, run["column.hand"], color=color)
    path.legend()
    dress(path, "x [m]", "y [m]")
    path.set_xlim(x[0], x[-1])
    dress(angle, "t [s]", "steering wheel [deg]")
    dress(torque, "t [s]", "torque on the hand [N m]")


AVOID = Experiment("around an obstacle that appears, with three casters (Figs. 28-30)", _run)
