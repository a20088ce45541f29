"""A slider-crank with clearance of 1 mm between slider and guide: impacts and friction."""

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
    parts,
)

CRANK, ROD = 0.153, 0.306  # lengths [m]
HALF_LENGTH, HALF_HEIGHT, CLEARANCE = 0.05, 0.025, 0.001  # of the slider [m]
RESTITUTION, FRICTION = 0.4, 0.01
STEP = 1e-5
AXIS = (0.0, -1.0, 0.0)  # positive rotation raises the x axis
END = 0.02  # when the state is known [s]
ANGLES, SPEEDS_AT_END = (1.613208419, -0.5199068535), (71.67350101, 1.378111903)  # crank and rod
SPEEDS = (150.0, -75.0, -0.01)  # initial, of crank, rod and slider, absolute [rad/s]
CORNERS = {
    "upper_left": (-1, 1), "upper_right": (1, 1), "lower_left": (-1, -1), "lower_right": (1, -1),
}  # fmt: skip
UPSIDE_DOWN = ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))


def slider_clearance() -> il.Model:
    """Crank, rod and slider in the x-z plane; hard contacts of the slider's four corners."""
    m = il.Model(
        "slider_clearance",
        gravity=lambda m: (
            0.0,
            0.0,
            -m.parameter("g", 9.81, unit="m/s^2", range=(0.0, 25.0), doc="gravity, along -z"),
        ),
        doc="A slider-crank with clearance between slider and guide.",
    )
    e = m.parameter("e", RESTITUTION, unit="1", range=(0.0, 1.0), doc="restitution of the guide")
    mu = m.parameter("mu", FRICTION, unit="1", range=(0.0, 1.0), doc="friction of the guide")
    crank_speed, rod_speed, slider_speed = SPEEDS
    turn = il.revolute(AXIS, initial=(0.0, crank_speed))
    crank = m.body(
        "crank", on=m.ground, joint=turn, mass=0.038, com=(CRANK / 2, 0, 0), inertia=(7.4e-5,) * 3
    )
    pin = crank.point("pin", (CRANK, 0.0, 0.0))
    turn = il.revolute(AXIS, initial=(0.0, rod_speed - crank_speed))
    rod = m.body("rod", on=pin, joint=turn, mass=0.038, com=(ROD / 2, 0, 0), inertia=(5.9e-4,) * 3)
    end = rod.point("pin", (ROD, 0.0, 0.0))
    turn = il.revolute(AXIS, initial=(0.0, slider_speed - rod_speed))
    slider = m.body("slider", on=end, joint=turn, mass=0.076, inertia=(2.7e-6,) * 3)
    wall = HALF_HEIGHT + CLEARANCE
    walls = {
        1: m.ground.frame("upper", (0.0, 0.0, wall), rotation=UPSIDE_DOWN),
        -1: m.ground.frame("lower", (0.0, 0.0, -wall)),
    }
    for name, (side, level) in CORNERS.items():
        corner = slider.point(name, (side * HALF_LENGTH, 0.0, level * HALF_HEIGHT))
        law = il.hard(restitution=e, friction=mu)
        m.contact(walls[level], il.plane(), corner, il.point(), law=law, name=name)
    return m


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Two rods, a block, and the two rails of the guide."""
    depth, rail, length = 0.04, 0.006, 2.0 * (CRANK + HALF_LENGTH)
    block = il.box((2 * HALF_LENGTH, depth, 2 * HALF_HEIGHT))
    wall = HALF_HEIGHT + CLEARANCE + 0.5 * rail
    rails = (
        il.visual(il.box((length, depth, rail)), (ROD, 0.0, side * wall), parts.STEEL)
        for side in (-1.0, 1.0)
    )
    return {
        "crank": (il.rod((0.0, 0.0, 0.0), "pin", 0.006, parts.STEEL, material="metal"),),
        "rod": (il.rod((0.0, 0.0, 0.0), "pin", 0.005, "#b08968"),),
        "slider": (il.visual(block, color=parts.CREAM),),
        GROUND: tuple(rails),
    }


def _end(plant: il.Plant) -> list[float]:
    """Angles of crank and rod after 20 ms [rad]."""
    run = plant.simulate(t_end=END, step=STEP)
    crank, rod = run["crank.q"][-1], run["rod.q"][-1]
    return [float(crank), float(crank + rod)]


def _speeds(plant: il.Plant) -> list[float]:
    """Speeds of crank and rod after 20 ms [rad/s]."""
    run = plant.simulate(t_end=END, step=STEP)
    return [float(x) for x in np.cumsum(run.qd[-1])[:2]]


def _rattle(bench: Bench) -> Outcome:
    """One turn with its impacts, beside what is known after 20 ms."""
    run = bench.compile().simulate(t_end=bench.seconds or 0.04, step=STEP)
    last = int(np.argmin(np.abs(run.t - END)))
    hits = {name: run[f"{name}.hit"] > 0.0 for name in CORNERS}
    figures: dict[str, float | tuple[float, ...]] = {
        "angles of crank and rod after 20 ms [rad]": tuple(np.cumsum(run.q[last])[:2].tolist()),
        "angles of crank and rod after 20 ms, known [rad]": ANGLES,
        "their speeds then [rad/s]": tuple(np.cumsum(run.qd[last])[:2].tolist()),
        "their speeds then, known [rad/s]": SPEEDS_AT_END,
        "steps with impacts up to then": float(
            sum(int(hit[: last + 1].sum()) for hit in hits.values())
        ),
    }

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        for name, hit in hits.items():
            (line,) = above.plot(run.t, 1e3 * run[f"{name}.gap"], lw=0.8, label=name)
            above.plot(run.t[hit], 1e3 * run[f"{name}.gap"][hit], ".", color=line.get_color())
        above.set_ylabel("gap [mm], impacts as dots")
        above.legend()
        below.plot(run.t, run["crank.qd"], label="crank")
        below.plot(END, SPEEDS_AT_END[0], "k+", label="known")
        below.set_ylabel("speed [rad/s]")
        below.set_xlabel("t [s]")
        below.legend()

    return Outcome(figures, draw, result=run)


_SOURCE = (
    "event-driven solution of the problem of Flores, Leine and Glocker 2010, "
    "doi:10.1007/s11044-009-9178-y: modes fixed between events, DOP853 at 1e-12"
)

EXHIBIT = Exhibit(
    name="slider_clearance",
    title="Slider with clearance",
    look_at="It spins at 24 turns per second: slow down the time to see the slider rattle.",
    make=slider_clearance,
    start="stretched out, the crank at 150 rad/s",
    seconds=0.5,
    step=1e-4,
    method="moreau",
    view=View("xz", ("slider.q", "crank.qd", ("upper_left.gap", "lower_left.gap"))),
    looks=_looks,
    reach=((-0.16, -0.03, -0.16), (0.52, 0.03, 0.16)),
    experiments={"rattle": Experiment("impacts in the guide, beside published digits", _rattle)},
    references=(
        Reference(
            what="angles of crank and rod after 20 ms and 38 impacts",
            value=ANGLES,
            unit="rad",
            tolerance=1e-3,
            source=_SOURCE,
            measure=_end,
        ),
        Reference(
            what="speeds of crank and rod after 20 ms",
            value=SPEEDS_AT_END,
            unit="rad/s",
            tolerance=6e-2,
            source=_SOURCE,
            measure=_speeds,
        ),
    ),
)
