"""The chain fountain as an exhibit: its rise, computed in two formulations."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Exhibit, Experiment, Option, Outcome, Reference, View
from inloop.gallery.chain_fountain.looks import chain_fountain_looks
from inloop.gallery.chain_fountain.model import (
    CENTER,
    DOWN,
    GUIDE,
    LINK,
    MOST_LINKS,
    POT,
    RISE,
    ROUND,
    chain_fountain,
)

N = 100
LATER = 0.1  # [s]


def ends_of(run: il.Result) -> tuple[np.ndarray, np.ndarray]:
    """x and z of the ends of all rods, over time [m]."""
    angles = np.cumsum(run.q, axis=1)
    first = LINK * ((run.q.shape[1] - RISE - ROUND - DOWN) % 2)
    x = first + LINK * np.cumsum(np.cos(angles), axis=1)
    return x, POT + LINK * np.cumsum(np.sin(angles), axis=1)


def first_fall(plant: il.Plant) -> float:
    """Distance that the free end falls in the first tenth of a second [m]."""
    run = plant.simulate(t_end=LATER, step=2e-4, sample=LATER)
    z = ends_of(run)[1][:, -1]
    return float(z[0] - z[-1])


def as_atwood() -> float:
    """The same for a rope over a smooth guide, driven by the weight difference of its ends [m].

    All moving rods have one speed: those outside, around the guide and up to it. Less than one rod
    is picked up meanwhile.
    """
    moving = RISE + ROUND + DOWN
    return 0.5 * 9.81 * (DOWN - RISE) / moving * LATER**2


def _rise(bench: Bench) -> Outcome:
    """The chain runs out, in both formulations."""
    plant, bodies = bench.compile(), bench.compile(formulation="redundant")
    end = bench.seconds or 0.5
    runs = {
        "reduced": plant.simulate(t_end=end, step=1e-4, sample=1e-2),
        "redundant": bodies.simulate(t_end=end, step=2e-4, sample=1e-2),
    }
    places = {name: ends_of(run) for name, run in runs.items()}
    apart = np.max([np.abs(places["reduced"][k] - places["redundant"][k]).max() for k in (0, 1)])
    figures: dict[str, float | tuple[float, ...]] = {
        "rods": float(plant.n),
        "unknowns of the redundant formulation": float(bodies.formulation.unknowns),
        "top above the floor of the pot [m]": float(places["redundant"][1].max() - POT),
        "top of the guide [m]": CENTER[1] + GUIDE - POT,
        "fall of the free end [m]": float(np.ptp(places["redundant"][1][:, -1])),
        "largest difference of a joint in both formulations [m]": float(apart),
    }

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        x, z = places["redundant"]
        for row in np.linspace(0, len(x) - 1, 5).astype(int):
            left.plot(x[row], z[row], ".-", markersize=3, label=f"{runs['redundant'].t[row]:.2f} s")
        left.set_aspect("equal")
        left.set_xlabel("x [m]")
        left.set_ylabel("z [m]")
        left.legend(fontsize=8)
        for style, (name, run) in zip(("-", "--"), runs.items(), strict=True):
            right.plot(run.t, places[name][1][:, -1], style, label=f"end, {name}")
            right.plot(run.t, places[name][1].max(axis=1), style, label=f"top, {name}")
        right.set_xlabel("t [s]")
        right.set_ylabel("z [m]")
        right.legend(fontsize=8)

    return Outcome(figures, draw, size=(9.0, 6.0), result=runs["redundant"])


EXHIBIT = Exhibit(
    name="chain_fountain",
    title=f"Chain that runs out of its pot ({N} rods by default)",
    look_at="Rods are picked up one by one; the floor kicks each, and the chain rises.",
    make=chain_fountain,
    start="at rest, folded in the pot, one end over the guide",
    seconds=1.0,
    step=1e-4,
    view=View(
        "xz", ("rod_1.q", "rod_2.q", ("energy.kinetic", "energy.potential")), times=(0.0, 0.3, 0.6)
    ),
    options={"n": Option(N, "number of rods", (RISE + ROUND + DOWN + 1, MOST_LINKS))},
    looks=chain_fountain_looks,
    reach=((-0.3, -0.2, 0.0), (0.5, 0.2, POT + 0.5)),
    experiments={"rise": Experiment("the chain runs out, in both formulations", _rise)},
    references=(
        Reference(
            what="distance that the free end falls in the first 0.1 s",
            value=(as_atwood(),),
            unit="m",
            tolerance=0.05 * as_atwood(),
            source="a rope over a smooth guide, by hand",
            measure=first_fall,
        ),
    ),
)
