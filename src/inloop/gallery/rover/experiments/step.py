"""Test 7 of the source: up a step of 0.1 m, 78 % of the radius of its wheels.

It is dropped; then a spring of 0.18 N·m for each metre draws it to a place one metre behind the
step (the gain of the source, sampled every 0.5 ms). The front wheels meet the edge when their
centers are √(r² - (r - s)²) before it; up to there it is one mass. Impacts and torques lift it
row by row, and from then on it stands 0.1 m higher.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.experiments.crossed import ROWS, draw_crossing, heights
from inloop.gallery.rover.experiments.rolling import PUSH
from inloop.gallery.rover.grounds import STARTS, STEP, STEP_AT, STEP_HEIGHT
from inloop.gallery.rover.steering import wheel_place

GAIN, BEHIND = 0.18, 1.0  # [N·m/m], of the place, behind the step [m]
FALL, GOES, END, SAMPLE = 1.0, 2.0, 7.0, 5e-4  # [m], [s]
FRICTION, BOUNCE = 0.6, 0.1
GOAL = STEP_AT + BEHIND
AHEAD = wheel_place(data.BOGIES[1], "front_left")[0]
MEETS = STEP_AT - AHEAD - math.sqrt(data.RADIUS**2 - (data.RADIUS - STEP_HEIGHT) ** 2)
# one mass at a spring: x = goal - d cos ω t
MET = GOES + math.acos((GOAL - MEETS) / (GOAL - STARTS[STEP])) / math.sqrt(PUSH * GAIN)  # [s]


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(terrain=STEP)
    plant.parameters.update({"gain": 0.0, "mu": FRICTION, "e": BOUNCE})

    def controller(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        return {"torque": GAIN * (GOAL - outputs["trunk_tx.q"]) if t > GOES - 1e-9 else 0.0}

    run = plant.simulate(
        t_end=bench.seconds or END,
        step=SAMPLE,
        q={"trunk_tz": FALL},
        controller=controller,
        period=SAMPLE,
    )
    wheels = heights(plant, run)
    push = np.abs(run["front_left_ground.force_x"])
    met = float(run.t[int(np.argmax((push > 100.0) & (run.t > GOES)))])
    up = [wheels[f"{row}_left"] > data.RADIUS + 0.95 * STEP_HEIGHT for row in ROWS]
    figures: dict[str, float | tuple[float, ...]] = {
        "front wheels meet the step after [s]": met,
        "front wheels meet the step after, known [s]": MET,
        "front, center, rear wheels are up after [s]": tuple(
            float(run.t[int(np.argmax(row & (run.t > GOES)))]) for row in up
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
