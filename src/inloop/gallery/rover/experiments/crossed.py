"""Common parts of the tests over obstacles: heights of the wheels, figures."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.rover import data

ROWS = ("front", "center", "rear")  # pairs of wheels


def heights(plant: il.Plant, run: il.Result) -> dict[str, np.ndarray]:
    """Heights of the wheel centers [m], by name; shape (times,)."""
    return {
        wheel: np.array(plant.position(f"steer_{wheel}.axle", run.q))[:, 2] for wheel in data.WHEELS
    }


def draw_crossing(figure: Any, run: il.Result, wheels: dict[str, np.ndarray]) -> None:
    """Plot heights of trunk and wheels, speeds, and forces of the ground."""
    above, middle, below = figure.subplots(3, 1, sharex=True)
    above.plot(run.t, run["trunk_tz.q"], label="trunk")
    for row in ROWS:
        above.plot(run.t, wheels[f"{row}_left"], label=f"{row} wheels", linewidth=0.9)
    above.set_ylabel("z [m]")
    above.legend(fontsize="x-small", ncols=4)
    middle.plot(run.t, run["trunk_tx.qd"], label="forwards")
    middle.plot(run.t, run["trunk_tz.qd"], label="upwards", linewidth=0.9)
    middle.set_ylabel("trunk [m/s]")
    middle.legend(fontsize="x-small")
    for row in ROWS:
        load = run[f"{row}_left_ground.force"] + run[f"{row}_right_ground.force"]
        below.plot(run.t, load, label=f"{row} wheels", linewidth=0.7)
    below.set_ylabel("force of the ground [N]")
    below.set_ylim(0.0, 400.0)
    below.set_xlabel("t [s]")
