"""Housner's rocking block: a column that rocks from corner to corner until it stands."""

from __future__ import annotations

import math
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
    parts,
)

WIDTH, HEIGHT, MASS = 0.1, 0.4, 1.0
LEAN = -0.15  # [rad] about its right lower corner
FRICTION = 0.8
STEP = 1e-4
IMPACTS = (0.26829946642, 0.67878731378, 1.01860304583)  # [s], event-driven, DOP853 at 1e-12
# ratio of angular velocities after and before an impact: 1 - 1.5 sin² of the diagonal's angle
RATIO = 1.0 - 1.5 * WIDTH**2 / (WIDTH**2 + HEIGHT**2)


def rocking_block() -> il.Model:
    """A block in the x-z plane whose four corners have hard contacts with the ground.

    At each impact the other corner hits the ground without restitution, and the block continues
    about that corner with 91 % of its angular velocity: it comes to rest in finite time.
    """
    m = il.Model(
        "rocking_block",
        gravity=lambda m: (
            0.0,
            0.0,
            -m.parameter("g", 9.81, unit="m/s^2", range=(0.1, 25.0), doc="gravity, along -z"),
        ),
        doc="A block that rocks on hard ground.",
    )
    mu = m.parameter("mu", FRICTION, unit="1", range=(0.0, 2.0), doc="friction of the ground")
    e = m.parameter("e", 0.0, unit="1", range=(0.0, 1.0), doc="restitution of the ground")
    # height of its center, with the right lower corner on the ground
    z = 0.5 * (HEIGHT * math.cos(LEAN) - WIDTH * math.sin(LEAN))
    slide = m.body("x", on=m.ground, joint=il.prismatic("x"))
    lift = m.body("z", on=slide, joint=il.prismatic("z", initial=(z, 0.0)))
    inertia = MASS * (WIDTH**2 + HEIGHT**2) / 12.0
    turn = il.revolute((0.0, -1.0, 0.0), initial=(LEAN, 0.0))
    block = m.body("block", on=lift, joint=turn, mass=MASS, inertia=(inertia,) * 3)
    corners = {"left": (-1, -1), "right": (1, -1), "right_top": (1, 1), "left_top": (-1, 1)}
    for name, (side, end) in corners.items():
        corner = block.point(name, (0.5 * WIDTH * side, 0.0, 0.5 * HEIGHT * end))
        law = il.hard(restitution=e, friction=mu)
        m.contact(m.ground, il.plane(), corner, il.point(), law=law, name=f"on_{name}")
    return m


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """A wooden column with bands of steel, on a slab."""
    depth, band = 0.12, 0.03
    wood = il.visual(il.box((WIDTH, depth, HEIGHT)), color="#b08968", material="wood")
    bands = (
        il.visual(il.box((WIDTH + 0.004, depth + 0.004, band)), (0.0, 0.0, z), parts.STEEL,
                  material="metal")
        for z in (0.5 * (band - HEIGHT), 0.5 * (HEIGHT - band))
    )  # fmt: skip
    slab = il.visual(il.box((0.8, 0.5, 0.04)), (0.0, 0.0, -0.02), parts.CREAM)
    return {"block": (wood, *bands), GROUND: (slab,)}


def _first_ratio(plant: il.Plant) -> float:
    """Ratio of angular velocities after and before the first impact."""
    speed = plant.simulate(t_end=0.4, step=STEP)["block.qd"]
    hit = int(np.argmin(np.diff(speed)))
    return float(speed[hit + 1] / speed[hit])


def _impacts(plant: il.Plant) -> list[float]:
    """Times of the first three impacts [s]."""
    return _times(plant.simulate(t_end=1.1, step=STEP))[: len(IMPACTS)]


def _times(run: il.Result) -> list[float]:
    """Times at which the left and the right corner hit the ground [s]."""
    gaps = np.array([run["on_left.gap"], run["on_right.gap"]])
    # the raised corner hits the ground when its gap vanishes
    down = [t for row in gaps for t in run.t[1:][(row[1:] <= 1e-6) & (row[:-1] > 1e-6)]]
    starts = sorted(down)
    return [t for k, t in enumerate(starts) if k == 0 or t - starts[k - 1] > 0.05]


def _rock(bench: Bench) -> Outcome:
    """Its angle and speeds after impacts, beside what is known."""
    run = bench.compile().simulate(t_end=bench.seconds or 2.5, step=STEP)
    times = _times(run)
    shown = min(len(times), len(IMPACTS))
    # a sample before each impact, and one after
    speed = [abs(np.interp([t - 2 * STEP, t + STEP], run.t, run["block.qd"])) for t in times]
    figures: dict[str, float | tuple[float, ...]] = {
        "first impacts [s]": tuple(times[:shown]),
        "first impacts, known [s]": IMPACTS[:shown],
        "speed after an impact, of that before": tuple(b / a for a, b in speed[:shown]),
        "speed after an impact, of that before, known": RATIO,
    }

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(run.t, run["block.q"])
        above.plot(IMPACTS, [0.0] * len(IMPACTS), "k+", label="impacts, known")
        above.set_ylabel("angle [rad]")
        above.legend()
        below.plot(run.t, run["block.qd"])
        # each speed follows from the first one
        first = speed[0][0] if speed else 0.0
        known = [-first * (-RATIO) ** (k + 1) for k in range(len(times))]
        below.plot(times, known, "k+", label="after impacts, known")
        below.set_ylabel("speed [rad/s]")
        below.set_xlabel("t [s]")
        below.legend()

    return Outcome(figures, draw, result=run)


EXHIBIT = Exhibit(
    name="rocking_block",
    title="Rocking block",
    look_at="It rocks from corner to corner, ever faster, and stops: dry friction, hard ground.",
    make=rocking_block,
    start="leaning on its right corner by 0.15 rad, at rest",
    seconds=4.0,
    step=5e-4,
    method="moreau",
    view=View("xz", ("block.q", "block.qd", ("on_left.force", "on_right.force"))),
    looks=_looks,
    reach=((-0.4, -0.25, -0.04), (0.4, 0.25, 0.43)),
    experiments={"rock": Experiment("from corner to corner, beside Housner's ratio", _rock)},
    references=(
        Reference(
            what="ratio of angular velocities after and before the first impact",
            value=(RATIO,),
            unit="1",
            tolerance=1e-3,
            source="Housner 1963, doi:10.1785/BSSA0530020403: 1 - 1.5 sin² of the diagonal",
            measure=_first_ratio,
        ),
        Reference(
            what="times of the first three impacts",
            value=IMPACTS,
            unit="s",
            tolerance=5e-4,
            source="event-driven solution, modes fixed between events, DOP853 at 1e-12",
            measure=_impacts,
        ),
    ),
)
