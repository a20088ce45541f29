"""Test 1 of the source: dropped on a plane, with and without restitution; loads of wheels.

It lands on all six wheels at once, like one body: it falls for √(2 h / g), stops without
restitution, and with restitution rises again at e times the speed. The load of the rear pair
follows from the center of mass, (64.6 kg) x = 0.3225 kg·m; single wheels are not determined.
"""

from __future__ import annotations

import math
from typing import Any

from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.grounds import PLANE
from inloop.gallery.rover.model import RIGID

HEIGHT, BOUNCE = 2.0, 0.2  # [m], restitution
END, STEP = 1.2, 1e-3
REAR, ALL = 91.11108, 238.374  # [N], of the rear pair and of all wheels
# normal impulses in a step of 5 ms at the end, as unique sums [N·s]: rear pair, others
PUBLISHED_STEP, PUBLISHED = 5e-3, (0.2290875 + 0.2264679, 2 * 0.1834237 + 0.1847336 + 0.1847335)


def bounced(t: float) -> float:
    """Height of the trunk after the first impact, in closed form [m]."""
    hit = math.sqrt(2.0 * (HEIGHT - data.REST_HEIGHT) / data.GRAVITY)
    speed = BOUNCE * data.GRAVITY * hit
    return data.REST_HEIGHT + speed * (t - hit) - 0.5 * data.GRAVITY * (t - hit) ** 2


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(terrain=PLANE)
    plant.parameters.update({"gain": 0.0, "stiffness": RIGID})
    runs = {}
    for e in (0.0, BOUNCE):
        plant.parameters["e"] = e
        runs[e] = plant.simulate(t_end=bench.seconds or END, step=STEP, q={"trunk_tz": HEIGHT})
    still, again = runs[0.0], runs[BOUNCE]
    loads = {wheel: float(still[f"{wheel}_ground.force"][-1]) for wheel in data.WHEELS}
    rear = sum(load for wheel, load in loads.items() if wheel.startswith("rear"))
    figures: dict[str, float | tuple[float, ...]] = {
        "height at rest [m]": float(still["trunk_tz.q"][-1]),
        "height at rest, known [m]": data.REST_HEIGHT,
        "height after the bounce [m]": float(again["trunk_tz.q"][-1]),
        "height after the bounce, known [m]": bounced(float(again.t[-1])),
        "rear pair [N]": rear,
        "rear pair, known [N]": REAR,
        "all wheels [N]": sum(loads.values()),
        "all wheels, known [N]": ALL,
        "impulses in 5 ms, rear and others [N·s]": (
            PUBLISHED_STEP * rear,
            PUBLISHED_STEP * (sum(loads.values()) - rear),
        ),
        "impulses in 5 ms, rear and others, known [N·s]": PUBLISHED,
    }

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        for e, run in runs.items():
            above.plot(run.t, run["trunk_tz.q"], label=f"e = {e:g}")
            carried = sum(run[f"{wheel}_ground.force"] for wheel in data.WHEELS)
            below.plot(run.t, carried, label=f"e = {e:g}")
        above.set_ylabel("trunk z [m]")
        above.legend()
        below.set_ylabel("ground [N]")
        below.set_ylim(-20.0, 3.0 * ALL)
        below.axhline(ALL, color="gray", linewidth=0.8)
        below.set_xlabel("t [s]")

    return Outcome(figures, draw, result=again)


DROP = Experiment("test 1: dropped on a plane, with and without restitution", _run)
