"""Test 6 of the source: over a sphere that sticks out of the ground by 0.2 m.

It is dropped from 2 m; then the torques grow linearly. Up to the sphere it is one mass that rolls
x = k c t³ / 6. The wheels pass beside the summit, at y = ±0.601 m: a wheel that keeps touching gets
as high as the sphere around the mound, larger by its radius, is there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.experiments.crossed import ROWS, draw_crossing, heights
from inloop.gallery.rover.experiments.rolling import PUSH
from inloop.gallery.rover.grounds import (
    MOUND,
    MOUND_AT,
    MOUND_HEIGHT,
    MOUND_RADIUS,
    STARTS,
)
from inloop.gallery.rover.steering import wheel_place

FALL, GOES, GROWTH = 2.0, 2.0, 0.1  # [m], [s], [N·m/s]
END, STEP = 11.0, 1e-3
FRICTION = 0.3
AHEAD, ASIDE = wheel_place(data.BOGIES[1], "front_left")  # of the front wheels [m]
AROUND, BELOW = MOUND_RADIUS + data.RADIUS, MOUND_RADIUS - MOUND_HEIGHT
# from the trunk at the start to where the front wheels touch the mound [m]
WAY = MOUND_AT - STARTS[MOUND] - AHEAD - math.sqrt(
    AROUND**2 - (BELOW + data.RADIUS) ** 2 - ASIDE**2
)  # fmt: skip
MET = GOES + (6.0 * WAY / (PUSH * GROWTH)) ** (1.0 / 3.0)  # [s]
HIGHEST = math.sqrt(AROUND**2 - ASIDE**2) - BELOW  # of a wheel's center [m]


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(terrain=MOUND)
    plant.parameters.update({"gain": 0.0, "mu": FRICTION})
    run = plant.simulate(
        t_end=bench.seconds or END,
        step=STEP,
        q={"trunk_tz": FALL},
        inputs={"torque": lambda t: GROWTH * il.max0(t - GOES)},
    )
    wheels = heights(plant, run)
    gap = run["front_left_mound.gap"]
    met = float(run.t[int(np.argmax(gap < 1e-6))])
    figures: dict[str, float | tuple[float, ...]] = {
        "front wheels meet the mound after [s]": met,
        "front wheels meet the mound after, known [s]": MET,
        "highest place of front, center, rear wheels [m]": tuple(
            float(wheels[f"{row}_left"][run.t > GOES].max()) for row in ROWS
        ),
        "highest place of front, center, rear wheels, known [m]": (HIGHEST,) * 3,
        "height of the trunk at the end [m]": float(run["trunk_tz.q"][-1]),
        "height of the trunk at the end, known [m]": data.REST_HEIGHT,
        "largest lateral displacement [m]": float(np.max(np.abs(run["trunk_ty.q"]))),
    }

    def draw(figure: Any) -> None:
        draw_crossing(figure, run, wheels)

    return Outcome(figures, draw, size=(8.0, 8.0), result=run)


OVER_MOUND = Experiment("test 6: over a sphere that sticks out by 0.2 m", _run)
