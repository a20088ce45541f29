"""The kart as an exhibit."""

from __future__ import annotations

import math
from collections.abc import Mapping

import inloop as il
from inloop.gallery import GROUND, Device, Exhibit, Option, Reference, View
from inloop.gallery.kart.bench import sum_of_tyres
from inloop.gallery.kart.data import CORNERING, CORNERS, LOAD
from inloop.gallery.kart.experiments.cables import CABLES, expected, lost_motion, to_and_fro
from inloop.gallery.kart.experiments.toe import TOE as CHANGE_TOE
from inloop.gallery.kart.looks import kart_looks
from inloop.gallery.kart.model import DESK, kart

TOE = math.radians(2.0)  # of the references
LATERAL = tuple(f"tyre_{corner}.lateral" for corner in CORNERS)


def steady(plant: il.Plant, hand: float = 0.0, **parameters: float) -> Mapping[str, float]:
    """Tyres, cell and steering after three seconds with an angle of the hand wheel [rad]."""
    before = dict(plant.parameters)
    plant.parameters.update(parameters)
    try:
        run = plant.simulate(
            t_end=3.0, step=1e-3, method="rk4", sample=0.1, inputs={"hand.q": hand}
        )
    finally:
        plant.parameters.update(before)
    names = [name for name in run.names if name.startswith(("tyre_", "cell_", "steer"))]
    return {name: float(run[name][-1]) for name in names}


def _toe(plant: il.Plant) -> list[float]:
    # cell at the height of the belt, no trail: all wheels have the same load
    end = steady(plant, toe=TOE, cell_height=0.0, trail=0.0)
    names = ("tyre_front_left.lateral", "tyre_front_right.lateral", "cell_longitudinal")
    return [end[name] for name in (*names, "cell_lateral")]


def _against_tyres(plant: il.Plant) -> list[float]:
    end = steady(plant, 0.25, toe=TOE)
    back, aside = sum_of_tyres(end)
    return [end["cell_longitudinal"] - back, end["cell_lateral"] - aside]


EXHIBIT = Exhibit(
    name="kart",
    title="Kart held on a belt, steered through cables",
    look_at="Change the toe and watch the gauges: four lateral forces and the load cell.",
    make=kart,
    start="wheels rolling on a belt at 2 m/s, straight ahead, with 1° of toe-in",
    seconds=3.0,
    view=View(
        "xyz",
        (LATERAL, ("cell_longitudinal", "cell_lateral"), ("steer.q", "hand.q")),
        discs={f"wheel_{corner}": 0.1 for corner in CORNERS},
    ),
    options={"gauges": Option(True, "needles that show the lateral forces")},
    references=(
        Reference(
            what="2° of toe, straight ahead: lateral forces of the front tyres, both of the cell",
            value=(-CORNERING * LOAD * TOE, CORNERING * LOAD * TOE,
                   2.0 * CORNERING * LOAD * TOE * math.sin(TOE), 0.0),
            unit="N",
            tolerance=1e-3,
            source="linear tyres of 500 N/rad: ±C τ, and C τ sin τ of each as drag",
            measure=_toe,
        ),
        Reference(
            what="load cell less the sum of the tyres, steered and with toe",
            value=(0.0, 0.0),
            unit="N",
            tolerance=1e-9,
            source="Newton's third law",
            measure=_against_tyres,
        ),
        Reference(
            what="lost motion of the hand less that by hand, by slack and friction of the cables",
            value=(0.0,),
            unit="rad",
            tolerance=2e-3,
            source="2 (slack + F / ((1 - w) k)) / r",
            measure=lambda plant: lost_motion(to_and_fro(plant)) - expected(plant),
        ),
    ),
    experiments={"toe": CHANGE_TOE, "cables": CABLES},
    looks=kart_looks,
    reach=((-1.3, -0.6, -0.45), (0.95, 0.6, 0.6)),
    device=Device(
        input="hand.q",
        low=-0.9,
        high=0.9,
        rest=0.0,
        body=GROUND,
        point=(DESK[0], 0.0, DESK[2] + 0.14),
        axis=(0.0, 0.4, 0.0),
        hint="Drag the wheel sideways or hold the arrow keys to steer.",
        keys={"ArrowLeft": 0.25, "ArrowRight": -0.25},
    ),
)  # fmt: skip
