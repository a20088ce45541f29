"""The rover driven over hills of 20,000 triangles in curves: loads, and how deep wheels are."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.grounds import HILLS

END, STEP = 8.0, 1e-3
SPEED, CURVE = 0.5, 0.4  # [m/s], [1/m]


def _run(bench: Bench) -> Outcome:
    run = bench.compile(terrain=HILLS).simulate(
        t_end=bench.seconds or END,
        step=STEP,
        inputs={
            "speed": lambda t: SPEED * il.minimum(t, 1.0),
            "turn": lambda t: CURVE * il.sin(0.8 * t),
        },
    )
    loads = np.array([run[f"{wheel}_ground.force"] for wheel in data.WHEELS])
    gaps = np.array([run[f"{wheel}_ground.gap"] for wheel in data.WHEELS])
    figures: dict[str, float | tuple[float, ...]] = {
        "distance [m]": float(
            np.hypot(np.diff(run["trunk_tx.q"]), np.diff(run["trunk_ty.q"])).sum()
        ),
        "carried, mean [N]": float(loads.sum(axis=0)[run.t > 0.5].mean()),
        "weight [N]": data.TOTAL_MASS * data.GRAVITY,
        "deepest [m]": float(-gaps.min()),
        "wheels on the ground, mean": float((loads > 0.0).sum(axis=0)[run.t > 0.5].mean()),
    }

    def draw(figure: Any) -> None:
        way, above, below = figure.subplots(3, 1)
        way.plot(run["trunk_tx.q"], run["trunk_ty.q"])
        way.set_aspect("equal")
        way.set_xlabel("x [m]")
        way.set_ylabel("y [m]")
        above.plot(run.t, run["trunk_tz.q"])
        above.set_ylabel("trunk z [m]")
        for wheel, load in zip(data.WHEELS, loads, strict=True):
            below.plot(run.t, load, linewidth=0.6, label=wheel)
        below.set_ylim(0.0, 120.0)
        below.set_ylabel("load [N]")
        below.set_xlabel("t [s]")
        below.legend(fontsize="x-small", ncols=3)

    return Outcome(figures, draw, size=(8.0, 9.0), result=run)


DRIVE = Experiment("driven over hills in curves", _run)
