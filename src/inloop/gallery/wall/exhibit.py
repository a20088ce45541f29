"""The wall in the gallery: strike it, or pull at it."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Exhibit, Experiment, Outcome, Reference, View
from inloop.gallery.wall.looks import looks
from inloop.gallery.wall.model import ALONG, BRICK, FASTEST, JOINT, LENGTH, ROPE, G, wall


def _speed_at_the_bottom(plant: il.Plant) -> float:
    """Of the ball, just before it hits [m/s]."""
    run = plant.simulate(t_end=0.7, step=1e-3)
    return ROPE * float(np.abs(run["ball_wx.qd"]).max())


def _weight(plant: il.Plant) -> float:
    """What the ground carries while the wall stands [N]: its contacts are the first ones."""
    run = plant.simulate(t_end=0.2, step=1e-3)
    return float(sum(run[f"pile.touch_{k + 1}_normal"][-1] for k in range(4 * ALONG)))


def _strike(bench: Bench) -> Outcome:
    """The ball goes through the wall."""
    run = bench.compile().simulate(t_end=bench.seconds or 2.0, step=1e-3)
    energy = run.energy.sum(axis=1)
    residual = run["pile.residual"]
    figures: dict[str, float | tuple[float, ...]] = {
        "contacts that carry, most": float(run["pile.carrying"].max()),
        "energy gained in a step, most [J]": float(max(0.0, np.diff(energy).max())),
        "steps with a residual above 1e-6 [%]": float(100.0 * np.mean(residual > 1e-6)),
        "residual, most": float(residual.max()),
    }

    def draw(figure: Any) -> None:
        above, middle, below = figure.subplots(3, 1, sharex=True)
        above.plot(run.t, run["pile.carrying"])
        above.set_ylabel("contacts")
        middle.plot(run.t, energy - energy[-1])
        middle.set_ylabel("energy left [J]")
        below.semilogy(run.t, np.maximum(residual, 1e-12))
        below.set_ylabel("residual")
        below.set_xlabel("t [s]")

    return Outcome(figures, draw, result=run)


EXHIBIT = Exhibit(
    name="wall",
    title="Wrecking ball and a wall of thirty bricks",
    look_at="Pull the ball back, or a brick out of the wall: islands of bricks are solved apart.",
    make=wall,
    start="the ball is raised by 65° and let go",
    seconds=4.0,
    step=1e-3,
    method="moreau",
    view=View("xyz", ("pile.carrying", "pile.residual")),
    looks=looks,
    reach=((-0.9, -1.5, 0.0), (0.9, 0.9, 1.8)),
    experiments={"strike": Experiment("the ball goes through the wall", _strike)},
    references=(
        Reference(
            what="speed of the ball at the bottom",
            value=(FASTEST,),
            unit="m/s",
            tolerance=1e-3,
            source="v² (1 + 2 r² / 5 l²) = 2 g l (1 - cos α)",
            measure=_speed_at_the_bottom,
        ),
        Reference(
            what="weight of the wall",
            value=(BRICK * (26 + 4 * 0.5 * (LENGTH - JOINT) / LENGTH) * G,),
            unit="N",
            tolerance=1e-4,
            source="the sum of all bricks",
            measure=_weight,
        ),
    ),
)
