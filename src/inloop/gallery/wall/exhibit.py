"""The wall as an exhibit."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Exhibit, Experiment, Outcome, Reference, View
from inloop.gallery.wall.looks import looks
from inloop.gallery.wall.model import ALONG, BRICK, JOINT, LENGTH, RADIUS, ROPE, THROWN, G, wall


def _swing(plant: il.Plant) -> float:
    """Amplitude of the thrown ball [rad]."""
    run = plant.simulate(t_end=0.8, step=1e-3, qd={"ball_wx": THROWN})
    return float(np.abs(run["ball_wx.q"]).max())


def _weight(plant: il.Plant) -> float:
    """Force on the ground while the wall stands [N]: its contacts are the first ones."""
    run = plant.simulate(t_end=0.2, step=1e-3)
    return float(sum(run[f"pile.touch_{k + 1}_normal"][-1] for k in range(4 * ALONG)))


def _strike(bench: Bench) -> Outcome:
    """The ball swings back and then through the wall."""
    thrown = {"ball_wx": THROWN}
    run = bench.compile().simulate(t_end=bench.seconds or 3.0, step=1e-3, qd=thrown)
    energy = run.energy.sum(axis=1)
    residual = run["pile.residual"]
    figures: dict[str, float | tuple[float, ...]] = {
        "largest number of loaded contacts": float(run["pile.carrying"].max()),
        "largest energy gain in a step [J]": float(max(0.0, np.diff(energy).max())),
        "steps with a residual above 1e-6 [%]": float(100.0 * np.mean(residual > 1e-6)),
        "largest residual": float(residual.max()),
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
    look_at="Pull the ball back and release it, or pull a brick out of the wall.",
    make=wall,
    start="at rest: the ball hangs in front of the wall",
    seconds=4.0,
    step=1e-3,
    method="moreau",
    view=View("xyz", ("ball_wx.q", "pile.force")),
    looks=looks,
    reach=((-0.9, -1.5, 0.0), (0.9, 0.9, 1.8)),
    experiments={"strike": Experiment("the ball swings through the wall", _strike)},
    references=(
        Reference(
            what="amplitude of the thrown ball",
            value=(
                float(np.arccos(1.0 - THROWN**2 * (ROPE**2 + 0.4 * RADIUS**2) / (2 * G * ROPE))),
            ),
            unit="rad",
            tolerance=1e-5,
            source="ω² (l² + 2 r² / 5) / 2 = g l (1 - cos α)",
            measure=_swing,
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
