"""The bouncing ball: infinitely many impacts in finite time, then rest."""

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

HEIGHT, GRAVITY, RESTITUTION = 1.0, 9.81, 0.9
IMPACTS = 20
REST = math.sqrt(2.0 * HEIGHT / GRAVITY) * (1 + RESTITUTION) / (1 - RESTITUTION)  # [s]


def bouncing_ball() -> il.Model:
    """A ball that falls on a floor, bounces, and comes to rest.

    In flight only gravity acts. At an impact the floor holds the ball for an instant: its velocity
    is reversed and multiplied by the restitution. The impacts follow each other ever faster and
    accumulate; then the ball is at rest.
    """
    m = il.Model(
        "bouncing_ball",
        gravity=lambda m: (
            0.0,
            0.0,
            -m.parameter("g", GRAVITY, unit="m/s^2", range=(0.0, 25.0), doc="gravity, along -z"),
        ),
        doc="A ball on a floor, with restitution.",
    )
    mass = m.parameter("mass", 1.0, unit="kg", range=(0.01, 10.0), doc="mass of the ball")
    e = m.parameter("e", RESTITUTION, unit="1", range=(0.0, 1.0), doc="restitution")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(HEIGHT, 0.0)), mass=mass)
    flight, rest = m.mode("flight"), m.mode("rest")
    with m.during(rest):
        m.lock(ball, name="floor")
    m.event(
        "impact",
        lambda q: q["ball"],
        mode=flight,
        impact=rest,
        restitution=e,
        settles_in=rest,
        tolerance=1e-15,
    )
    m.event("lift_off", lambda force: force["floor"], mode=rest, to=flight)
    return m


def impact_times(count: int) -> np.ndarray:
    """Times of the first impacts [s]: t₀ = √(2h/g), then flights of 2 e^k t₀."""
    first = math.sqrt(2.0 * HEIGHT / GRAVITY)
    flights = 2.0 * first * RESTITUTION ** np.arange(1, count)
    return first + np.concatenate([[0.0], np.cumsum(flights)])


def _impacts(plant: il.Plant) -> list[float]:
    events = plant.simulate(t_end=9.0, step=1e-3).events
    return [event.t for event in events[:IMPACTS]]


def _rest(plant: il.Plant) -> float:
    events = plant.simulate(t_end=9.0, step=1e-3).events
    return next(event.t for event in events if event.next_mode == "rest")


def _bounce(bench: Bench) -> Outcome:
    """All impacts up to rest, beside the closed form."""
    run = bench.compile().simulate(t_end=bench.seconds or 9.0, step=1e-3)
    times = [event.t for event in run.events][:IMPACTS]
    rests = [event.t for event in run.events if event.next_mode == "rest"]
    known = impact_times(len(times))
    figures: dict[str, float | tuple[float, ...]] = {
        "first impacts [s]": tuple(times[:4]),
        "first impacts, known [s]": tuple(known[:4].tolist()),
        f"farthest of {len(times)} impacts [s]": float(np.max(np.abs(times - known), initial=0.0)),
        "rests from [s]": tuple(rests[:1]),
        "rests from, known [s]": REST,
    }

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot(run.t, run["ball.q"])
        axes.plot(known, np.zeros(len(known)), "k+", label="impacts, known")
        axes.axvline(REST, color="k", lw=0.6, ls=":", label="rest, known")
        axes.set_ylabel("height [m]")
        axes.set_xlabel("t [s]")
        axes.legend()

    return Outcome(figures, draw, result=run)


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """A rubber ball whose lowest point is its coordinate, on a slab."""
    radius = 0.1
    return {
        GROUND: (
            il.visual(il.box((0.9, 0.5, 0.04)), (0.0, 0.0, -0.02), parts.STEEL, material="metal"),
        ),
        "ball": (
            il.visual(il.sphere(radius), (0.0, 0.0, radius), parts.RED, material="rubber"),
            il.visual(il.torus(radius - 0.002, 0.006, "z"), (0.0, 0.0, radius), parts.CREAM,
                      material="rubber"),
        ),
    }  # fmt: skip


EXHIBIT = Exhibit(
    name="bouncing_ball",
    title="Bouncing ball",
    look_at="The impacts follow each other ever faster and accumulate at a finite time; "
    "then the ball is at rest.",
    make=bouncing_ball,
    start="at rest, 1 m above the floor",
    seconds=9.0,
    view=View(
        "xz",
        ("ball.q", "ball.qd", ("energy.kinetic", "energy.potential", "energy.total")),
        times=(0.0, 0.2, 0.4),
        discs={"ball": 0.1},
    ),
    experiments={"bounce": Experiment("impacts up to rest, beside the closed form", _bounce)},
    references=(
        Reference(
            what=f"times of the first {IMPACTS} impacts",
            value=tuple(impact_times(IMPACTS)),
            unit="s",
            tolerance=1e-9,
            source="closed form: the first after √(2h/g), then flights of 2 e^k √(2h/g)",
            measure=_impacts,
        ),
        Reference(
            what="time of rest",
            value=(REST,),
            unit="s",
            tolerance=1e-6,
            source="closed form: √(2h/g) (1 + e) / (1 - e)",
            measure=_rest,
        ),
    ),
    looks=_looks,
    reach=((-0.45, -0.25, -0.04), (0.45, 0.25, 1.2)),
)
