"""The rover driven in a circle on a plane: six wheels steered and driven so that none slips."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.grounds import PLANE

SPEED, TURN = 0.4, 0.5  # [m/s], [1/m]
SETTLED, END, STEP = 3.0, 40.0, 1e-3  # [s]


def _run(bench: Bench) -> Outcome:
    seconds = bench.at_least(SETTLED + 1.0, END)
    plant = bench.compile(terrain=PLANE)
    run = plant.simulate(
        t_end=seconds,
        step=STEP,
        sample=10 * STEP,
        inputs={"speed": SPEED, "turn": TURN},
    )
    later = run.t > SETTLED
    x, y = run["trunk_tx.q"][later], run["trunk_ty.q"][later]
    # least-squares circle through all positions: x² + y² = 2 a x + 2 b y + c
    rows = np.stack([2.0 * x, 2.0 * y, np.ones_like(x)], axis=1)
    a, b, c = np.linalg.lstsq(rows, x * x + y * y, rcond=None)[0]
    speed = np.hypot(run["trunk_tx.qd"], run["trunk_ty.qd"])[later]
    slip = np.max(
        [np.hypot(run[f"{w}_ground.slip_1"], run[f"{w}_ground.slip_2"]) for w in data.WHEELS],
        axis=0,
    )[later]
    figures: dict[str, float | tuple[float, ...]] = {
        "radius of the circle [m]": math.sqrt(c + a * a + b * b),
        "radius of the circle, known [m]": 1.0 / TURN,
        "speed [m/s]": float(speed[-1]),
        "speed, known [m/s]": SPEED,
        "fastest slip of a wheel [m/s]": float(slip.max()),
        "angles of the brackets [rad]": tuple(
            float(run[f"steer_{wheel}.q"][-1]) for wheel in data.WHEELS
        ),
    }

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        left.plot(run["trunk_tx.q"], run["trunk_ty.q"])
        left.plot(a, b, "k+")
        left.set_aspect("equal")
        left.set_xlabel("x [m]")
        left.set_ylabel("y [m]")
        for wheel in data.WHEELS:
            right.plot(run.t, run[f"steer_{wheel}.q"], label=wheel)
        right.set_xlim(0.0, SETTLED)
        right.set_ylabel("bracket [rad]")
        right.set_xlabel("t [s]")
        right.legend(fontsize="x-small")

    return Outcome(figures, draw, size=(10.0, 5.0), result=run)


CIRCLE = Experiment("driven in a circle: six wheels that roll about one point", _run)
