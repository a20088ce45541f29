"""Test 4 of the source: on a slope of 10° with the holding torques, then 1.3 times as much.

Six torques of W R sin α / 6 hold it without motion: dry friction does not creep. With 1.3 times
that, it climbs with a = 0.3 W sin α / (m + 6 I / R²), where I is that of a wheel about its axle.
"""

from __future__ import annotations

import math
from typing import Any

import inloop as il
from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.experiments.rolling import MOVED, WEIGHT
from inloop.gallery.rover.grounds import PLANE
from inloop.gallery.rover.model import RIGID

SLOPE_ANGLE, MORE = math.radians(10.0), 1.3
CLIMBS, END, STEP = 1.0, 3.0, 5e-4
HOLD = WEIGHT * data.RADIUS * math.sin(SLOPE_ANGLE) / 6.0  # 0.889954 N·m
ACCELERATION = (MORE - 1.0) * WEIGHT * math.sin(SLOPE_ANGLE) / MOVED  # 0.19134 m/s²


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(terrain=PLANE)
    plant.parameters.update({"gain": 0.0, "stiffness": RIGID})
    plant.parameters["slope"] = SLOPE_ANGLE
    run = plant.simulate(
        t_end=bench.seconds or END,
        step=STEP,
        inputs={"torque": lambda t: HOLD * il.where(t >= CLIMBS, MORE, 1.0)},
    )
    x, held = run["trunk_tx.q"], run.t <= CLIMBS
    climbed = float(x[-1] - x[held][-1])
    time = float(run.t[-1]) - CLIMBS
    figures: dict[str, float | tuple[float, ...]] = {
        "torque that holds [N·m]": HOLD,
        "moved while held [m]": float(abs(x[held][-1] - x[0])),
        "acceleration uphill [m/s²]": 2.0 * climbed / time**2,
        "acceleration uphill, known [m/s²]": ACCELERATION,
        "climbed [m]": climbed,
        "climbed, known [m]": 0.5 * ACCELERATION * time**2,
    }

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(run.t, x - x[0], label="rover")
        known = [0.5 * ACCELERATION * max(0.0, t - CLIMBS) ** 2 for t in run.t]
        above.plot(run.t, known, "k--", linewidth=0.8, label="closed form")
        above.set_ylabel("uphill [m]")
        above.legend()
        for wheel in data.WHEELS:
            below.plot(run.t, run[f"{wheel}_ground.force"], label=wheel)
        below.set_ylabel("load [N]")
        below.set_ylim(0.0, None)
        below.set_xlabel("t [s]")
        below.legend(fontsize="x-small", ncols=3)

    return Outcome(figures, draw, result=run)


SLOPE = Experiment("test 4: held on a slope of 10°, then 1.3 times the torque", _run)
