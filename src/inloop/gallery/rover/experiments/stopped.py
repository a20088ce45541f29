"""Test 5 of the source: it climbs a slope of 10°, then a controller stops it at a set-point.

The torques are the holding ones, less 0.7 N·m per meter past the set-point and 2 N·m per m/s (the
gains of the source), sampled every 5 ms. The wheels do not slip, so that the rover is one mass with
slightly more than critical damping: after 15 s it stands still.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.experiments.rolling import WEIGHT, rolled
from inloop.gallery.rover.grounds import PLANE
from inloop.gallery.rover.model import RIGID

ANGLE, MORE = math.radians(10.0), 1.3
HOLD = WEIGHT * data.RADIUS * math.sin(ANGLE) / 6.0  # [N·m]
STIFFNESS, DAMPING = 0.7, 2.0  # of the controller [N·m/m, N·m·s/m]
CATCHES, END, STEP = 10.0, 25.0, 5e-3  # [s]
PLACE = 12.0  # uphill [m]


def _more(t: float, x: float, v: float) -> float:
    """Torque on each wheel in addition to the holding torque [N·m]."""
    if t < CATCHES - 1e-9:
        return (MORE - 1.0) * HOLD
    return -STIFFNESS * (x - PLACE) - DAMPING * v


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(terrain=PLANE)
    plant.parameters.update({"gain": 0.0, "stiffness": RIGID, "slope": ANGLE, "mu": 0.8})

    def controller(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        more = _more(t, outputs["trunk_tx.q"], outputs["trunk_tx.qd"])
        return {"torque": HOLD + more}

    end = bench.seconds or END
    run = plant.simulate(t_end=end, step=STEP, controller=controller, period=STEP)
    x, v = run["trunk_tx.q"], run["trunk_tx.qd"]
    known = np.array(rolled(_more, list(run.t)))
    figures: dict[str, float | tuple[float, ...]] = {
        "position at the end [m]": float(x[-1]),
        "position at the end, known [m]": float(known[-1, 0]),
        "speed at the end [m/s]": float(v[-1]),
        "speed at the end, known [m/s]": float(known[-1, 1]),
        "largest difference from one mass [m]": float(np.max(np.abs(x - known[:, 0]))),
        "torque that holds [N·m]": HOLD,
    }

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(run.t, x, label="rover")
        above.plot(run.t, known[:, 0], "k--", linewidth=0.8, label="one mass")
        above.axhline(PLACE, color="gray", linewidth=0.8)
        above.set_ylabel("uphill [m]")
        above.legend()
        below.plot(run.t, v)
        below.set_ylabel("speed [m/s]")
        below.set_xlabel("t [s]")

    return Outcome(figures, draw, result=run)


STOPPED = Experiment("test 5: a controller stops it on a slope of 10°", _run)
