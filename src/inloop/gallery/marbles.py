"""Marbles in two valleys of triangles: one set rolls, the other slides; all meet at the end."""

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

RADIUS, MASS, G = 0.1, 1.0, 9.81
SLOPE, WALL = np.radians(15.0), np.radians(40.0)  # of the valleys, and of their walls
LANES = {"rolling": (0.25, 0.2), "sliding": (-0.25, 0.05)}  # across [m], friction
ROW = 2  # marbles in each, one behind the other
APART = 0.35  # [m]
LENGTH, MIDDLE = 5.4, 1.5  # of the valleys, and where their middle is from the first marble [m]
FLAT, RISE = 2.6, 0.55  # where the end begins to rise, and how fast
COLORS = {
    "rolling": ("#c0392b", "#e0a030"),
    "sliding": ("#2471a3", "#1abc9c"),
}

# along the valley; see the experiment
ROLLS = G * np.sin(SLOPE) / (1.0 + 0.4 / np.cos(WALL) ** 2)
SLIDES = G * (np.sin(SLOPE) - LANES["sliding"][1] * np.cos(SLOPE) / np.cos(WALL))
# valley in the world: x downhill
R_WV = np.array(
    [[np.cos(SLOPE), 0.0, np.sin(SLOPE)], [0.0, 1.0, 0.0], [-np.sin(SLOPE), 0.0, np.cos(SLOPE)]]
)
AT = tuple((R_WV @ (MIDDLE, 0.0, 0.0)).tolist())  # the middle of the valleys [m]


def valleys() -> il.Shape:
    """Two valleys beside each other that rise at their end, 4,860 triangles, along x [m]."""

    def height(x: float, y: float) -> float:
        rise = RISE * max(0.0, x + MIDDLE - FLAT) ** 2
        return float(np.tan(WALL) * abs(abs(y) - 0.25) + rise)

    return il.terrain(height, size=(LENGTH, 0.9), cell=0.05)


def marbles() -> il.Model:
    """Four marbles; those of a valley may touch each other."""
    m = il.Model("marbles", gravity=gravity_along("-z"), doc="Marbles in valleys of triangles.")
    e = m.parameter("e", 0.4, unit="1", range=(0.0, 1.0), doc="restitution between marbles")
    ground = valleys()
    tilted = m.ground.frame("valleys", AT, rotation=tuple(map(tuple, R_WV.tolist())))
    for lane, (across, friction) in LANES.items():
        mu = m.parameter(
            f"mu_{lane}", friction, unit="1", range=(0.0, 1.0), doc=f"friction, {lane}"
        )
        row: list[Any] = []
        for k in range(ROW):
            place = R_WV @ np.array([-APART * k, across, RADIUS / np.cos(WALL) - 1e-9])
            ball = m.body(
                f"{lane}_{k}",
                on=m.ground,
                joint=il.free(position=tuple(place.tolist())),
                mass=MASS,
                inertia=(0.4 * MASS * RADIUS**2,) * 3,
            )
            shape = il.sphere(RADIUS)
            law = il.hard(friction=mu)
            m.contact(tilted, ground, ball, shape, law=law, name=f"{lane}_{k}_ground")
            for j, other in enumerate(row):
                hit = il.hard(restitution=e, friction=0.1)
                m.contact(other, shape, ball, shape, law=hit, name=f"{lane}_{j}_{k}")
            row.append(ball)
    return m


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Glass marbles with a band that shows how they turn, in a wooden valley."""
    looks: dict[str, tuple[il.Visual, ...]] = {}
    for lane, colors in COLORS.items():
        for k, color in enumerate(colors):
            band = il.visual(il.torus(0.93 * RADIUS, 0.09 * RADIUS, axis="x"), color=parts.CREAM)
            looks[f"{lane}_{k}"] = (
                il.visual(il.sphere(RADIUS), color=color, material="glass"),
                band,
            )
    turned = R_WV.tolist()
    looks[GROUND] = (il.visual(valleys(), AT, "#c9a06c", rotation=turned, material="wood"),)
    return looks


def _way(run: il.Result, lane: str) -> np.ndarray:
    """Way of the first marble of a lane along its valley [m]."""
    place = np.array([run[f"{lane}_0_t{axis}.q"] for axis in "xyz"])
    return np.asarray((R_WV.T @ (place - place[:, :1]))[0])


def _ways(plant: il.Plant) -> tuple[float, float]:
    run = plant.simulate(t_end=1.0, step=1e-3)
    return float(_way(run, "rolling")[-1]), float(_way(run, "sliding")[-1])


def _race(bench: Bench) -> Outcome:
    """Who is faster, and what the peers make of the inner edges."""
    run = bench.compile().simulate(t_end=bench.seconds or 6.0, step=1e-3)
    second = int(np.argmin(np.abs(run.t - 1.0)))
    known = {"rolling": ROLLS, "sliding": SLIDES}
    figures: dict[str, float | tuple[float, ...]] = {}
    for lane, a in known.items():
        figures[f"{lane}: way after 1 s [m]"] = float(_way(run, lane)[second])
        figures[f"{lane}: way after 1 s, known [m]"] = 0.5 * a
    energy = run.energy.sum(axis=1)
    figures["energy gained in a step, most [J]"] = float(max(0.0, np.diff(energy).max()))

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        for lane, a in known.items():
            above.plot(run.t, _way(run, lane), label=lane)
            t = np.linspace(0.0, 1.5, 50)
            above.plot(t, 0.5 * a * t**2, "k--", linewidth=0.8)
        above.set_ylabel("travel of the first marble [m]")
        above.legend()
        below.plot(run.t, energy - energy[-1])
        below.set_ylabel("energy left [J]")
        below.set_xlabel("t [s]")

    return Outcome(figures, draw, result=run)


EXHIBIT = Exhibit(
    name="marbles",
    title="Marbles in valleys of triangles",
    look_at="Red ones roll, blue ones slide and win; interior edges of the mesh do not "
    "make them jump.",
    make=marbles,
    start="at rest at the upper end",
    seconds=6.0,
    step=1e-3,
    method="moreau",
    view=View("xyz", (("rolling_0_tx.q", "sliding_0_tx.q"), "rolling_0_ground.force")),
    looks=_looks,
    reach=((-1.2, -0.5, -1.1), (4.1, 0.5, 1.0)),
    experiments={"race": Experiment("rolling against sliding, beside closed forms", _race)},
    references=(
        Reference(
            what="way after 1 s, rolling and sliding",
            value=(0.5 * ROLLS, 0.5 * SLIDES),
            unit="m",
            tolerance=1e-6,
            source="a = g sin α / (1 + 0.4 / cos² β) and g (sin α - μ cos α / cos β)",
            measure=_ways,
        ),
    ),
)
