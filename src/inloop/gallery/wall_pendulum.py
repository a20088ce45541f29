"""A double pendulum that swings against a wall: its elbow and its tip bounce off."""

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
    gravity_along,
    parts,
)

UPPER, LOWER = 0.5, 0.4  # lengths of the bars [m]
ELBOW, TIP = 1.0, 0.6  # masses [kg]
BALL = 0.06  # radius of both masses [m]
WALL = 0.2  # from the pivot [m]
RESTITUTION = 0.7
START = (math.radians(-75.0), math.radians(25.0))  # of the upper bar, and between the bars
AXIS = (0.0, -1.0, 0.0)  # positive turns lead towards the wall
END, STEP = 4.0, 2e-4
SOURCE = "event-driven: Lagrange's equations of two point masses, DOP853 at 1e-12, impacts at roots"
# times of the impacts in the first four seconds [s]; angles from the vertical then [rad]
HITS = {
    "elbow": (0.5079543102, 1.5064760666, 3.6072787578),
    "tip": (0.5037836557, 1.5145626336, 2.5508343971, 3.7391140903),
}
LAST = (-0.2670082971, 0.0129003489)


def wall_pendulum() -> il.Model:
    """Two balls on massless bars in the plane x, z; both meet the wall x = 0.2 m hard."""
    m = il.Model("wall_pendulum", gravity=gravity_along("-z"), doc="Double pendulum at a wall.")
    e = m.parameter("e", RESTITUTION, unit="1", range=(0.0, 1.0), doc="restitution of the wall")
    mu = m.parameter("mu", 0.0, unit="1", range=(0.0, 1.0), doc="friction of the wall")
    turn = il.revolute(AXIS, initial=(START[0], 0.0))
    upper = m.body("upper", on=m.ground, joint=turn, mass=ELBOW, com=(0.0, 0.0, -UPPER))
    elbow = upper.point("elbow", (0.0, 0.0, -UPPER))
    turn = il.revolute(AXIS, initial=(START[1], 0.0))
    lower = m.body("lower", on=elbow, joint=turn, mass=TIP, com=(0.0, 0.0, -LOWER))
    tip = lower.point("tip", (0.0, 0.0, -LOWER))
    # a half-space whose outside is towards the pivot
    wall = m.ground.frame(
        "wall", (WALL, 0.0, 0.0), rotation=((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    )
    for name, place in (("elbow", elbow), ("tip", tip)):
        law = il.hard(restitution=e, friction=mu)
        m.contact(wall, il.plane(), place, il.sphere(BALL), law=law, name=f"{name}_wall")
    return m


def impacts(run: il.Result, name: str) -> np.ndarray:
    """Times of the steps in which a ball hits the wall [s]."""
    return np.asarray(run.t[run[f"{name}_wall.hit"] > 0.5])


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Two bars with balls that hang from a bracket, beside a wall of bricks."""

    def arm(end: str, color: str, ball: str) -> tuple[il.Visual, ...]:
        return (
            il.rod("origin", end, 0.012, color, material="paint"),
            *parts.bearing("origin", 0.026, 0.05, "y"),
            il.visual(il.sphere(BALL), end, ball, material="rubber"),
        )

    return {
        "upper": arm("elbow", parts.BLUE, parts.RED),
        "lower": arm("tip", parts.ORANGE, parts.BRASS),
        GROUND: (*_wall(), *parts.bracket((0.0, 0.0, 0.0), 0.12, "xz", hangs=True)),
    }


def _wall() -> tuple[il.Visual, ...]:
    """Courses of bricks, every second one shifted by half a brick."""
    thick, long, high, joint = 0.1, 0.2, 0.075, 0.008
    bricks = []
    for row in range(15):
        z = -1.02 + row * (high + joint)
        shift = 0.5 * (long + joint) * (row % 2)
        for k in range(-1, 3):
            y = k * (long + joint) - shift
            low, end = max(y, -0.2), min(y + long, 0.2)
            if end - low > 0.02:
                size = (thick, end - low, high)
                at = (WALL + 0.5 * thick, 0.5 * (low + end), z)
                tone = ("#9c4a35", "#a8563f", "#8f4430")[(row + 2 * k) % 3]
                bricks.append(il.visual(il.box(size), at, tone))
    mortar = il.visual(
        il.box((thick - 0.012, 0.388, 1.245)), (WALL + 0.5 * thick, 0.0, -0.44), parts.CREAM
    )
    return (*bricks, mortar)


def _bounce(bench: Bench) -> Outcome:
    """Impacts and angles beside the event-driven solution."""
    run = bench.compile().simulate(t_end=bench.seconds or END, step=STEP)
    energy = run.energy.sum(axis=1)
    hits = {name: impacts(run, name) for name in HITS}
    figures: dict[str, float | tuple[float, ...]] = {}
    for name, known in HITS.items():
        count = min(len(known), len(hits[name]))
        figures[f"impacts of the {name} [s]"] = tuple(float(t) for t in hits[name][:count])
        figures[f"impacts of the {name}, known [s]"] = known[:count]
    if run.t[-1] >= END:
        row = int(np.argmin(np.abs(run.t - END)))
        figures["angles after 4 s [rad]"] = tuple(float(a) for a in np.cumsum(run.q[row]))
        figures["angles after 4 s, known [rad]"] = LAST
    figures["energy gained in a step, most [J]"] = float(max(0.0, np.diff(energy).max()))

    def draw(figure: Any) -> None:
        above, middle, below = figure.subplots(3, 1, sharex=True)
        for name, color in (("elbow", parts.RED), ("tip", parts.BRASS)):
            above.plot(run.t, run[f"{name}_wall.gap"], color=color, label=name)
            above.plot(HITS[name], np.zeros(len(HITS[name])), "k+")
        above.set_ylabel("gap [m]")
        above.legend()
        middle.plot(run.t, run["upper.qd"], label="upper")
        middle.plot(run.t, run["lower.qd"], label="lower")
        middle.set_ylabel("speeds [rad/s]")
        middle.legend()
        below.plot(run.t, energy - energy[-1])
        below.set_ylabel("energy left [J]")
        below.set_xlabel("t [s]")

    return Outcome(figures, draw, size=(8.0, 8.0), result=run)


def _first_impacts(plant: il.Plant) -> list[float]:
    run = plant.simulate(t_end=END, step=STEP)
    return [float(t) for name in HITS for t in impacts(run, name)[: len(HITS[name])]]


def _angles(plant: il.Plant) -> list[float]:
    return [float(a) for a in np.cumsum(plant.simulate(t_end=END, step=STEP).q[-1])]


EXHIBIT = Exhibit(
    name="wall_pendulum",
    title="Double pendulum at a wall",
    look_at="Elbow and tip bounce off the wall. Drag a ball and let it swing, or give it friction.",
    make=wall_pendulum,
    start="lifted by 75°, at rest",
    seconds=6.0,
    step=5e-4,
    method="moreau",
    view=View("xz", (("elbow_wall.gap", "tip_wall.gap"), "upper.qd", "lower.qd")),
    looks=_looks,
    reach=((-0.85, -0.22, -1.06), (0.32, 0.22, 0.2)),
    experiments={"bounce": Experiment("impacts beside an event-driven solution", _bounce)},
    references=(
        Reference(
            what="times of the impacts of elbow and tip in 4 s",
            value=(*HITS["elbow"], *HITS["tip"]),
            unit="s",
            tolerance=3e-4,
            source=SOURCE,
            measure=_first_impacts,
        ),
        Reference(
            what="angles of both bars after 4 s",
            value=LAST,
            unit="rad",
            tolerance=1e-5,
            source=SOURCE,
            measure=_angles,
        ),
    ),
)
