"""The blind test of the source: the driver has to find out which caster the car has.

Three runs around the obstacle with casters in a seeded random order. The driver ranks them by the
torque felt; then the casters are revealed. In the studio a person is the driver (`docs/car.md`);
here the preview driver ranks them by the first peak of torque over angle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.car.experiments.avoid import SECONDS, Obstacle, avoid, draw_runs, first_peaks
from inloop.gallery.car.experiments.caster import CASTERS, SPEED, trail

SEED = 7


@dataclass(frozen=True)
class Blind:
    """Casters in a hidden order, returned by `reveal`.

    Attributes:
        seed: of the order.
    """

    seed: int = SEED

    def reveal(self) -> tuple[float, ...]:
        """Casters in the order in which they were driven [rad]."""
        order = np.random.default_rng(self.seed).permutation(len(CASTERS))
        return tuple(CASTERS[k] for k in order)

    def hide(self, plant: il.Plant, run: int) -> None:
        """Give a plant the caster of a run, counted from 0."""
        plant.parameters["caster"] = self.reveal()[run]


def felt(runs: list[il.Result]) -> list[int]:
    """Runs in the order of torque per angle, lightest first."""
    stiffness = [-torque / angle for angle, torque in map(first_peaks, runs)]
    return [int(k) for k in np.argsort(stiffness)]


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(pedals=True, bars_as_laws=True, speed=SPEED)
    plant.parameters["assist"] = 0.0
    hidden = Blind()
    runs: list[il.Result] = []
    obstacles: list[Obstacle] = []
    for k in range(len(CASTERS)):
        hidden.hide(plant, k)
        # the obstacle appears at a different time in each run
        run, obstacle = avoid(plant, bench.seconds or SECONDS, seed=SEED + k)
        runs.append(run)
        obstacles.append(obstacle)
    order, casters = felt(runs), hidden.reveal()
    guessed = [sorted(CASTERS)[order.index(k)] for k in range(len(runs))]
    return Outcome(
        figures={
            "obstacle appears [s]": tuple(obstacle.time for obstacle in obstacles),
            "torque on the hand by angle [N m/rad]": tuple(
                -torque / angle for angle, torque in map(first_peaks, runs)
            ),
            "caster as felt [deg]": tuple(math.degrees(c) for c in guessed),
            "revealed [deg]": tuple(math.degrees(c) for c in casters),
            "fraction identified": float(np.mean(np.isclose(guessed, casters))),
        },
        draw=lambda figure: draw_runs(
            figure, runs, [f"run {'ABC'[k]}" for k in range(len(runs))], obstacles[0]
        ),
        size=(8.0, 8.0),
        notes=("trails: " + ", ".join(f"{1e3 * trail(c, 0.01):.0f} mm" for c in casters),),
    )


BLIND = Experiment("blind test: casters hidden, felt at the hand, then revealed", _run)
