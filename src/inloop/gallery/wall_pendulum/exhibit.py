"""The pendulum at the wall as an exhibit: impacts compared with an event-driven solution."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Exhibit, Experiment, Outcome, Reference, View, parts
from inloop.gallery.wall_pendulum.looks import wall_pendulum_looks
from inloop.gallery.wall_pendulum.model import wall_pendulum

END, STEP = 4.0, 2e-4
SOURCE = "event-driven: Lagrange's equations of two point masses, DOP853 at 1e-12, impacts at roots"
# times of the impacts in the first four seconds [s]; final angles from the vertical [rad]
HITS = {
    "elbow": (0.5079543102, 1.5064760666, 3.6072787578),
    "tip": (0.5037836557, 1.5145626336, 2.5508343971, 3.7391140903),
}
LAST = (-0.2670082971, 0.0129003489)


def impacts(run: il.Result, name: str) -> np.ndarray:
    """Times of the steps in which a ball hits the wall [s]."""
    return np.asarray(run.t[run[f"{name}_wall.hit"] > 0.5])


def _bounce(bench: Bench) -> Outcome:
    """Impacts and angles, compared with the event-driven solution."""
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
    figures["largest energy gain in a step [J]"] = float(max(0.0, np.diff(energy).max()))

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
    looks=wall_pendulum_looks,
    reach=((-0.85, -0.22, -1.06), (0.32, 0.22, 0.2)),
    experiments={"bounce": Experiment("impacts against an event-driven solution", _bounce)},
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
