"""Tall boxes on an incline: one sticks and tips over, one tips and slides, one just slides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import (
    GROUND,
    Bench,
    Exhibit,
    Experiment,
    Outcome,
    Reference,
    View,
    gravity_along,
    parts,
)

INCLINE = np.radians(25.0)
MASS = 2.0  # [kg]
# across the incline [m], edges [m], friction, color
BOXES = {
    "sticking": (-0.35, (0.1, 0.2, 0.3), 0.6, "#b3402a"),
    "slipping": (0.0, (0.1, 0.2, 0.3), 0.4, "#2f6f9f"),
    "sliding": (0.35, (0.3, 0.2, 0.1), float(np.tan(INCLINE)) - 0.02, "#4c8a63"),
}
END, STEP = 0.9, 2e-4
# way along the incline after 0.9 s [m], event-driven: modes fixed between events, DOP853 at 1e-12
KNOWN = {"sticking": 0.3190585344, "slipping": 0.5603781928}
# incline in the world: x downhill
R_WI = np.array(
    [
        [np.cos(INCLINE), 0.0, np.sin(INCLINE)],
        [0.0, 1.0, 0.0],
        [-np.sin(INCLINE), 0.0, np.cos(INCLINE)],
    ]
)
TURNED = tuple(map(tuple, R_WI.tolist()))


def slid(t: float) -> float:
    """Way of the box that slides, in closed form [m]."""
    mu = BOXES["sliding"][2]
    return float(0.5 * 9.81 * (np.sin(INCLINE) - mu * np.cos(INCLINE)) * t * t)


def tipping_box() -> il.Model:
    """Three boxes whose corners meet the incline hard, wherever they come down."""
    m = il.Model("tipping_box", gravity=gravity_along("-z"), doc="Boxes on an incline.")
    incline = m.ground.frame("incline", rotation=TURNED)
    for name, (across, edges, friction, _) in BOXES.items():
        mu = m.parameter(
            f"mu_{name}", friction, unit="1", range=(0.0, 1.5), doc=f"friction, {name}"
        )
        square = np.square(edges)
        place = R_WI @ np.array([0.0, across, 0.5 * edges[2] - 1e-9])
        half = 0.5 * INCLINE
        box = m.body(
            name,
            on=m.ground,
            joint=il.free(
                position=tuple(place.tolist()),
                attitude=(float(np.cos(half)), 0.0, float(np.sin(half)), 0.0),
            ),
            mass=MASS,
            inertia=tuple((MASS / 12.0 * (square.sum() - square)).tolist()),
        )
        m.contact(
            incline,
            il.plane(),
            box,
            il.box(edges),
            law=il.hard(friction=mu),
            name=f"{name}_incline",
        )
    return m


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Painted boxes with bands, on a wooden ramp."""
    looks: dict[str, tuple[il.Visual, ...]] = {}
    for name, (_, (x, y, z), _, color) in BOXES.items():
        bands = (
            il.visual(il.box((x + 0.003, y + 0.003, 0.02)), (0.0, 0.0, s * (0.5 * z - 0.03)),
                      parts.STEEL, material="metal")
            for s in (-1.0, 1.0)
        )  # fmt: skip
        looks[name] = (il.visual(il.box((x, y, z)), color=color, material="paint"), *bands)
    at = tuple((R_WI @ (0.6, 0.0, -0.02)).tolist())
    ramp = il.visual(il.box((2.0, 1.1, 0.04)), at, "#b08968", rotation=TURNED, material="wood")
    looks[GROUND] = (ramp,)
    return looks


def way(run: il.Result, name: str) -> np.ndarray:
    """Way of the center of a box along the incline [m]."""
    place = np.array([run[f"{name}_t{axis}.q"] for axis in "xyz"])
    return np.asarray((R_WI.T @ (place - place[:, :1]))[0])


def _ways(plant: il.Plant) -> tuple[float, ...]:
    run = plant.simulate(t_end=END, step=STEP)
    return tuple(float(way(run, name)[-1]) for name in BOXES)


def _tip(bench: Bench) -> Outcome:
    """All three at once, beside what is known."""
    run = bench.compile().simulate(t_end=bench.seconds or END, step=STEP)
    known = {**KNOWN, "sliding": slid(END)}
    last = int(np.argmin(np.abs(run.t - END)))
    figures: dict[str, float | tuple[float, ...]] = {}
    for name in BOXES:
        figures[f"{name}: travel [m]"] = float(way(run, name)[last])
        figures[f"{name}: way, known [m]"] = known[name]

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        for name, (*_, color) in BOXES.items():
            above.plot(run.t, way(run, name), color=color, label=name)
            above.plot(END, known[name], "k+")
            below.plot(run.t, run[f"{name}_incline.force"], color=color, label=name)
        above.set_ylabel("travel [m]")
        above.legend()
        below.set_ylabel("force of the incline [N]")
        below.set_ylim(0.0, 60.0)
        below.set_xlabel("t [s]")

    return Outcome(figures, draw, result=run)


EXHIBIT = Exhibit(
    name="tipping_box",
    title="Boxes that tip and slide on an incline",
    look_at="Friction alone decides: the red one sticks and falls over, the blue one slips on.",
    make=tipping_box,
    start="standing on the incline, at rest",
    seconds=1.5,
    step=5e-4,
    method="moreau",
    view=View(
        "xyz", (("sticking_tx.q", "slipping_tx.q", "sliding_tx.q"), "sticking_incline.force")
    ),
    looks=_looks,
    reach=((-0.4, -0.55, -0.8), (1.5, 0.55, 0.6)),
    experiments={"tip": Experiment("three boxes, beside known solutions", _tip)},
    references=(
        Reference(
            what="way of the three boxes after 0.9 s",
            value=(KNOWN["sticking"], KNOWN["slipping"], slid(END)),
            unit="m",
            tolerance=5e-4,
            source="event-driven solution, DOP853 at 1e-12; g (sin α - μ cos α) t² / 2",
            measure=_ways,
        ),
    ),
)
