"""The tilting vehicle as an exhibit."""

from __future__ import annotations

import math

from inloop.gallery import Controller, Exhibit, Guided, Option, Reference, Slider, View
from inloop.gallery.tilting_vehicle.controllers.course import PATHS, drawn
from inloop.gallery.tilting_vehicle.controllers.program import CRUISE
from inloop.gallery.tilting_vehicle.data import SIZE, G
from inloop.gallery.tilting_vehicle.experiments.circle import CIRCLE, TURNS, by_hand, turns
from inloop.gallery.tilting_vehicle.experiments.slalom import SLALOM
from inloop.gallery.tilting_vehicle.experiments.swerve import SWERVE
from inloop.gallery.tilting_vehicle.looks import tilting_looks
from inloop.gallery.tilting_vehicle.model import TIP, tilting_vehicle

PROGRAMS = "inloop.gallery.tilting_vehicle.controllers"
CURVES = {name: drawn(path) for name, path in PATHS.items()}
TURN = {"turn": Slider(0.0, -1.2, 1.2, "1/m", "curvature set by the driver, left positive")}


def _sliders(share: float) -> dict[str, Slider]:
    return {
        "speed": Slider(CRUISE, 0.0, 4.0, "m/s", "set-point"),
        "share": Slider(share, 0.0, 1.0, "", "of the steering in tilting; 0: only the motor tilts"),
        "frequency": Slider(2.0, 0.5, 4.0, "Hz", "of the tilt loop"),
        "damping": Slider(0.9, 0.2, 2.0, "", "of the tilt loop"),
    }


def _by_hand(which: int) -> tuple[float, ...]:
    """Torque at the shaft or load transfer in the smaller circle, upright and balanced."""
    v, r = TURNS[0][0] * math.sqrt(SIZE), TURNS[0][1] * SIZE
    return tuple(by_hand(v, v / r, tilt)[which] for tilt in (0.0, math.atan(v * v / (r * G))))


EXHIBIT = Exhibit(
    name="tilting_vehicle",
    title="Narrow three-wheeler that tilts",
    look_at="A filter estimates the tilt from three sensors; a sudden turn lifts the inner wheel.",
    make=tilting_vehicle,
    start="rolling at 1.4 m/s, motors off: the cabin starts to fall to the left",
    seconds=3.0,
    view=View(
        "xyz",
        (
            ("tilt.q", "estimated_tilt"),
            ("tyre_left.load", "tyre_right.load"),
            "torque_cell",
        ),
        discs={f"wheel_{name}": 0.07 for name in ("left", "right", "front")},
    ),
    options={
        "size": Option(SIZE, "relative to CLEVER; 1 is full size", (0.1, 1.0)),
        "speed": Option(-1.0, "at the start [m/s]; -1: 2.8 m/s, scaled with it", (-1.0, 20.0)),
        "tilt": Option(TIP, "at the start [rad]", (-0.5, 0.5)),
    },
    references=(
        Reference(
            what="torque at the tilt shaft, turning at 2.5 m/s about 2.5 m: upright, balanced",
            value=_by_hand(0),
            unit="N·m",
            tolerance=0.003,
            source="moments about the tilt axis; 366 and 0 N·m of CLEVER, and wheels that spin",
            measure=lambda plant: [turn.torque for turn in turns(plant, 0)],
        ),
        Reference(
            what="load transfer to the outer wheel in the same turns",
            value=_by_hand(1),
            unit="N",
            tolerance=0.02,
            source="moments about the road; 606 and 170 N of CLEVER, and wheels that spin",
            measure=lambda plant: [turn.transfer for turn in turns(plant, 0)],
        ),
    ),
    experiments={"circle": CIRCLE, "slalom": SLALOM, "swerve": SWERVE},
    looks=tilting_looks,
    reach=((-2.6, -1.15, -0.02), (2.6, 1.15, 0.36)),
    controllers={
        "combined": Controller(
            "combined control: half of the steering follows the tilt",
            f"{PROGRAMS}.combined",
            sliders=_sliders(0.5),
            piped=True,
            guided=Guided(TURN, CURVES, "figure eight"),
        ),
        "direct": Controller(
            "direct tilt control: the driver steers, the motor tilts",
            f"{PROGRAMS}.direct",
            sliders=_sliders(0.0),
            piped=True,
            guided=Guided(TURN, CURVES),
        ),
    },
)
