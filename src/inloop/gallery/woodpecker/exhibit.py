"""The woodpecker as an exhibit: its cycle compared with a known one."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Exhibit, Experiment, Outcome, Reference, View
from inloop.gallery.woodpecker.looks import woodpecker_looks
from inloop.gallery.woodpecker.model import SOURCE, woodpecker

END, STEP = 1.0, 2e-5
# the cycle: time between pecks [s] and descent [m]; for small angles 0.146 and 0.0194
PERIOD, DROP = 0.1307, 0.0145


def pecks(run: il.Result) -> np.ndarray:
    """Times at which the beak hits the pole [s]."""
    hit = np.flatnonzero(run["beak.hit"] > 0.5)
    return np.asarray(run.t[hit[np.diff(hit, prepend=-1000) > 20]])


def cycle(run: il.Result) -> tuple[float, float]:
    """Time between two pecks [s] and descent per cycle [m], mean of the last cycles."""
    times = pecks(run)[-4:]
    rows = [int(np.argmin(np.abs(run.t - t))) for t in times]
    z = run["slide.q"][rows]
    return float(np.diff(times).mean()), float(-np.diff(z).mean())


def _climb(bench: Bench) -> Outcome:
    """One second of descent: the phases of a cycle."""
    run = bench.compile().simulate(t_end=bench.seconds or END, step=STEP)
    period, drop = cycle(run)
    figures: dict[str, float | tuple[float, ...]] = {
        "time between pecks [s]": period,
        "time between pecks, known [s]": PERIOD,
        "descent per cycle [m]": drop,
        "descent per cycle, known [m]": DROP,
        "number of pecks": float(len(pecks(run))),
    }

    def draw(figure: Any) -> None:
        above, middle, below = figure.subplots(3, 1, sharex=True)
        above.plot(run.t, 1e3 * run["slide.q"])
        above.set_ylabel("sleeve z [mm]")
        middle.plot(run.t, run["sleeve.q"], label="sleeve")
        middle.plot(run.t, run["sleeve.q"] + run["bird.q"], label="bird")
        for t in pecks(run):
            middle.axvline(t, color="gray", linewidth=0.6)
        middle.set_ylabel("angle [rad]")
        middle.legend()
        for name in ("lower", "upper"):
            below.plot(run.t, run[f"{name}.force"], label=f"{name} edge", linewidth=0.7)
        below.set_ylim(0.0, 2.0)
        below.set_ylabel("force of the pole [N]")
        below.set_xlabel("t [s]")
        below.legend()

    return Outcome(figures, draw, size=(8.0, 8.0), result=run)


def _cycle(plant: il.Plant) -> tuple[float, float]:
    return cycle(plant.simulate(t_end=END, step=STEP))


EXHIBIT = Exhibit(
    name="woodpecker",
    title="Woodpecker toy",
    look_at="It jams, swings, pecks and slips, driven by its weight alone. Lift it up again.",
    make=woodpecker,
    start="jammed on its pole, swinging down",
    seconds=2.0,
    step=1e-4,
    method="moreau",
    view=View("xz", ("slide.q", ("sleeve.q", "bird.q"), ("lower.force", "upper.force"))),
    looks=woodpecker_looks,
    reach=((-0.035, -0.035, -0.008), (0.05, 0.035, 0.24)),
    experiments={"climb": Experiment("one second of descent and a known cycle", _climb)},
    references=(
        Reference(
            what="time between two pecks",
            value=(PERIOD,),
            unit="s",
            tolerance=2e-4,
            source=f"Moreau's rule in NumPy, contacts by trying all modes; data of {SOURCE}",
            measure=lambda plant: _cycle(plant)[0],
        ),
        Reference(
            what="descent per cycle",
            value=(DROP,),
            unit="m",
            tolerance=1e-4,
            source="the same",
            measure=lambda plant: _cycle(plant)[1],
        ),
    ),
)
