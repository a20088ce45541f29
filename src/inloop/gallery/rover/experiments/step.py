"""Test 7 of the source: up a step of 0.1 m, 78 % of the radius of its wheels.

It is dropped, and driven against the step by motors that hold its speed. Its front wheels meet the
edge when their centers are √(r² - (r - s)²) before it; then impacts and torques lift it row by row,
and it ends 0.1 m higher.

The source pulls it with a spring of 0.18 N·m per meter, and uses (1, 0, 1) / √2 as the normal at
the edge. The true normal there is 77° from upright, and with that spring it does not get up.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.experiments.crossed import ROWS, draw_crossing, heights
from inloop.gallery.rover.grounds import STEP, STEP_AT, STEP_HEIGHT
from inloop.gallery.rover.steering import wheel_place

FALL, GOES, SPEED, END, SAMPLE = 1.0, 2.0, 0.6, 9.0, 5e-4  # [m], [s], [m/s], [s], [s]
FRICTION, BOUNCE = 0.6, 0.1
AHEAD = wheel_place(data.BOGIES[1], "front_left")[0]
# position of the trunk when the front wheels touch the edge [m]
MEETS = STEP_AT - AHEAD - math.sqrt(data.RADIUS**2 - (data.RADIUS - STEP_HEIGHT) ** 2)


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(terrain=STEP)
    plant.parameters.update({"mu": FRICTION, "e": BOUNCE})
    run = plant.simulate(
        t_end=bench.seconds or END,
        step=SAMPLE,
        q={"trunk_tz": FALL},
        inputs={"speed": lambda t: il.where(t >= GOES - 1e-9, SPEED, 0.0)},
    )
    wheels = heights(plant, run)
    going = run.t > GOES
    # the edge stops it: first large backward force on a front wheel
    met = int(np.argmax((run["front_left_ground.force_x"] < -100.0) & going))
    up = [wheels[f"{row}_left"] > data.RADIUS + 0.95 * STEP_HEIGHT for row in ROWS]
    figures: dict[str, float | tuple[float, ...]] = {
        "trunk when the front wheels meet the step [m]": float(run["trunk_tx.q"][met]),
        "trunk when the front wheels meet the step, known [m]": MEETS,
        "front, center, rear wheels are up after [s]": tuple(
            float(run.t[int(np.argmax(row & going))]) for row in up
        ),
        "height of the wheels at the end [m]": tuple(
            float(wheels[f"{row}_left"][-1]) for row in ROWS
        ),
        "height of the wheels at the end, known [m]": (data.RADIUS + STEP_HEIGHT,) * 3,
        "deepest [m]": float(-min(run[f"{wheel}_ground.gap"].min() for wheel in data.WHEELS)),
    }

    def draw(figure: Any) -> None:
        draw_crossing(figure, run, wheels)

    return Outcome(figures, draw, size=(8.0, 8.0), result=run)


UP_STEP = Experiment("test 7: up a step of 0.1 m", _run)
