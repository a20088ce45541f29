"""The rover as an exhibit."""

from __future__ import annotations

import numpy as np

import inloop as il
from inloop.gallery import Exhibit, Option, Reference, View
from inloop.gallery.rover import data
from inloop.gallery.rover.cockpit import COCKPIT
from inloop.gallery.rover.experiments import EXPERIMENTS
from inloop.gallery.rover.grounds import HILLS, MOUND, PLANE, WORDS
from inloop.gallery.rover.looks import rover_looks
from inloop.gallery.rover.model import rover

FORCES = tuple(f"{wheel}_ground.force" for wheel in data.WHEELS)


def _weight(plant: il.Plant) -> float:
    """Load on the ground when the rover has settled, mean of half a second [N]."""
    run = plant.simulate(t_end=3.0, step=1e-3)
    carried = sum(run[f"{wheel}_ground.force_z"] for wheel in data.WHEELS)
    return float(np.mean(np.asarray(carried)[run.t > 2.5]))


EXHIBIT = Exhibit(
    name="rover",
    title="Rover with six wheels on hills of triangles",
    look_at="Drive it by arrow keys or game controller: six wheels steer, and bogies climb.",
    make=rover,
    start="slightly above the ground, wheels straight",
    seconds=8.0,
    step=1e-3,
    method="moreau",
    options={"terrain": Option(HILLS, WORDS, (PLANE, MOUND))},
    view=View("xyz", ("trunk_tz.q", ("trunk_tx.qd", "trunk_ty.qd"), FORCES)),
    looks=rover_looks,
    reach=((-5.5, -2.2, -0.3), (0.5, 2.2, 1.1)),
    cockpit=COCKPIT,
    experiments=EXPERIMENTS,
    references=(
        Reference(
            what="load on the ground at rest",
            value=(data.TOTAL_MASS * data.GRAVITY,),
            unit="N",
            tolerance=2.0,
            source=f"weight of 64.6 kg; {data.SOURCE}",
            measure=_weight,
        ),
    ),
)
