"""The flexible link as an exhibit."""

from __future__ import annotations

import inloop as il
from inloop.gallery import Controller, Exhibit, Option, Reference, View
from inloop.gallery.flexlink.experiments.durability import DURABILITY
from inloop.gallery.flexlink.experiments.faults import FAULTS
from inloop.gallery.flexlink.experiments.lq import LQ
from inloop.gallery.flexlink.experiments.modes import MODES
from inloop.gallery.flexlink.experiments.pi import PI
from inloop.gallery.flexlink.experiments.robustness import ROBUSTNESS
from inloop.gallery.flexlink.experiments.tap import TAP
from inloop.gallery.flexlink.experiments.weights import WEIGHTS
from inloop.gallery.flexlink.looks import flexlink_looks
from inloop.gallery.flexlink.model import LENGTH, MASS_PER_LENGTH, SIDE, E, flexlink

PROGRAMS = "inloop.gallery.flexlink.controllers"


def tip_sag(plant: il.Plant) -> float:
    """Sag of the tip with the hub held horizontally [m]."""
    held = plant.equilibrium(q={"hub": 0.0}, fixed=["hub"])
    return -float(plant.position("load", held.q)[2])


EXHIBIT = Exhibit(
    name="flexlink",
    title="Flexible link on a motor",
    look_at="Released, the rod falls and vibrates at 17 Hz; held, it sags by 25 mm and has 3.9 Hz.",
    make=flexlink,
    looks=flexlink_looks,
    reach=((-1.54, -0.05, -1.54), (1.54, 0.45, 0.18)),
    start="horizontal, straight, at rest; the motor is off",
    seconds=3.0,
    step=1e-4,
    method="implicit",
    view=View("xz", ("hub.q", "strain"), times=(0.0, 0.2, 0.4, 0.6), trace="load"),
    options={
        "elements": Option(4, "finite elements, an even number", (2, 40)),
        "axial": Option(True, "let the rod stretch, as in the source"),
        "start": Option(0.0, "angle at the start [deg]", (-360.0, 360.0)),
        "held": Option(False, "hold the hub at this angle"),
    },
    references=(
        Reference(
            what="sag of the tip with the hub held horizontally",
            value=(MASS_PER_LENGTH * 9.81 * LENGTH**4 / (8.0 * E * SIDE**4 / 12.0),),
            unit="m",
            tolerance=1e-8,
            source="Euler & Bernoulli: m g L⁴ / (8 EI)",
            measure=tip_sag,
        ),
    ),
    experiments={
        "modes": MODES,
        "tap": TAP,
        "pi": PI,
        "lq": LQ,
        "robustness": ROBUSTNESS,
        "faults": FAULTS,
        "durability": DURABILITY,
        "weights": WEIGHTS,
    },
    controllers={
        "flexlink_pi": Controller("PI control of the angle", f"{PROGRAMS}.pi"),
        "flexlink_lq": Controller("LQ control of angle and vibration", f"{PROGRAMS}.lq"),
    },
)
