"""A tower of five boxes and a ball to throw at it."""

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

EDGES = ((0.34, 0.34, 0.2), (0.3, 0.3, 0.2), (0.26, 0.26, 0.2), (0.22, 0.22, 0.2), (0.18,) * 3)
DENSITY = 300.0  # [kg/m³]
COLORS = ("#2f6f9f", "#d9a441", "#4c8a63", "#b3402a", "#7b5ea7")
RADIUS, BALL, AWAY = 0.11, 4.0, 0.8  # of the ball [m, kg], from the tower [m]
PUSH = 0.6  # speed of the whole tower in the experiment [m/s]
SLIPPERY = 0.15  # friction there: too little to tip the tower
G = 9.81


def mass_of(edges: tuple[float, ...]) -> float:
    """Mass of a box [kg]."""
    return float(DENSITY * np.prod(edges))


def box_stack() -> il.Model:
    """Boxes, ball and ground are one pile."""
    m = il.Model("box_stack", gravity=gravity_along("-z"), doc="A tower of boxes.")
    mu = m.parameter("mu", 0.5, unit="1", range=(0.0, 1.5), doc="friction of all contacts")
    e = m.parameter("e", 0.1, unit="1", range=(0.0, 1.0), doc="restitution of all contacts")
    members: list[tuple[Any, il.Shape]] = [(m.ground, il.plane())]
    z = 0.0
    for k, edges in enumerate(EDGES):
        mass, square = mass_of(edges), np.square(edges)
        body = m.body(
            f"box_{k}",
            on=m.ground,
            joint=il.free(position=(0.0, 0.0, z + 0.5 * edges[2] - 1e-9 * (k + 1))),
            mass=mass,
            inertia=tuple((mass / 12.0 * (square.sum() - square)).tolist()),
        )
        z += edges[2]
        members.append((body, il.box(edges)))
    ball = m.body(
        "ball",
        on=m.ground,
        joint=il.free(position=(-AWAY, 0.0, RADIUS - 1e-9)),
        mass=BALL,
        inertia=(0.4 * BALL * RADIUS**2,) * 3,
    )
    members.append((ball, il.sphere(RADIUS)))
    m.pile(members, law=il.hard(restitution=e, friction=mu), contacts=64)
    return m


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Painted toy blocks with pale edges, and a rubber ball with a stripe."""
    looks: dict[str, tuple[il.Visual, ...]] = {}
    for k, (x, y, z) in enumerate(EDGES):
        band = il.box((x - 0.012, y - 0.012, z + 1e-4))
        looks[f"box_{k}"] = (
            il.visual(il.box((x, y, z - 0.012)), color=COLORS[k], material="paint"),
            il.visual(band, color=parts.CREAM, material="wood"),
        )
    looks["ball"] = (
        il.visual(il.sphere(RADIUS), color="#e8e2d2", material="rubber"),
        il.visual(il.torus(0.965 * RADIUS, 0.05 * RADIUS, axis="x"), color="#b3402a"),
    )
    floor = il.box((2.2, 1.6, 0.04))
    looks[GROUND] = (il.visual(floor, (0.0, 0.0, -0.02), "#c9a06c", material="wood"),)
    return looks


# the whole tower slides
SLIDING = {f"box_{k}_tx": PUSH for k in range(len(EDGES))}


def _way(plant: il.Plant) -> float:
    """How far the tower slides [m]."""
    plant.parameters["mu"] = SLIPPERY
    run = plant.simulate(t_end=0.6, step=1e-3, qd=SLIDING)
    return float(run["box_0_tx.q"][-1])


def _weight(plant: il.Plant) -> float:
    """What the ground carries [N]: its contacts with the lowest box are the first ones."""
    run = plant.simulate(t_end=0.1, step=1e-3)
    return float(sum(run[f"pile.touch_{k + 1}_normal"][-1] for k in range(4)))


def _slide(bench: Bench) -> Outcome:
    """The tower slides to rest as one, or tips over: friction decides."""
    figures: dict[str, float | tuple[float, ...]] = {}
    runs = {}
    for mu in (SLIPPERY, 0.5):
        plant = bench.compile()
        plant.parameters["mu"] = mu
        run = plant.simulate(t_end=bench.seconds or 2.0, step=1e-3, qd=SLIDING)
        runs[mu] = run
        figures[f"mu {mu}: travel of the lowest box [m]"] = float(run["box_0_tx.q"][-1])
        figures[f"mu {mu}: height of the top box [m]"] = float(run["box_4_tz.q"][-1])
    figures["travel of a block, v² / 2 μ g [m]"] = PUSH**2 / (2.0 * SLIPPERY * G)

    def draw(figure: Any) -> None:
        for axes, name in zip(figure.subplots(2, 1, sharex=True), ("tx", "tz"), strict=True):
            for mu, run in runs.items():
                axes.plot(run.t, run[f"box_4_{name}.q"], label=f"top box, mu {mu}")
            axes.set_ylabel(f"{name[1]} [m]")
            axes.legend()
        axes.set_xlabel("t [s]")

    return Outcome(figures, draw, result=runs[0.5])


EXHIBIT = Exhibit(
    name="box_stack",
    title="Tower of boxes and a ball",
    look_at="Throw the ball at the tower, or pull a box out of it.",
    make=box_stack,
    start="at rest",
    seconds=2.0,
    step=1e-3,
    method="moreau",
    view=View("xyz", (("box_4_tx.q", "box_4_tz.q"), "pile.force")),
    looks=_looks,
    reach=((-0.9, -0.6, 0.0), (0.9, 0.6, 1.05)),
    experiments={"slide": Experiment("the tower slides, with little friction and much", _slide)},
    references=(
        Reference(
            what="travel of the tower that slides",
            value=(PUSH**2 / (2.0 * SLIPPERY * G),),
            unit="m",
            tolerance=2e-4,
            source="v² / 2 μ g: it slides as one",
            measure=_way,
        ),
        Reference(
            what="weight of the tower",
            value=(sum(mass_of(edges) for edges in EDGES) * G,),
            unit="N",
            tolerance=1e-4,
            source="the sum of all boxes",
            measure=_weight,
        ),
    ),
)
