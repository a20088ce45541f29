"""Test 3 of the source: torques of the wheels in six phases, on a plane.

All wheels are driven forwards with 0.7 mN·m, roll freely, are stopped and driven back; there is no
resistance, so that the rover is one mass. The report says that it stands still in phase 5, which is
true if braking in phase 4 ends when it stops, as in the program of the source, not after the 25 s
of its table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.experiments.rolling import rolled
from inloop.gallery.rover.grounds import PLANE
from inloop.gallery.rover.model import RIGID

STEP, SAMPLE = 5e-3, 0.1
BEGINS = (0.0, 20.0, 40.0, 80.0, 100.0, 150.0, 200.0)  # starts of the phases, and the end [s]
TORQUES = (0.0, 7e-4, 0.0, -7e-4, 0.0, -5e-4)  # on each wheel [N·m]


def _torque(t: float, *_: float) -> float:
    return TORQUES[min(int(np.searchsorted(BEGINS, t + 1e-9)) - 1, len(TORQUES) - 1)]


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(terrain=PLANE)
    plant.parameters.update({"gain": 0.0, "stiffness": RIGID, "mu": 0.7})
    run = plant.simulate(
        t_end=BEGINS[-1],
        step=STEP,
        sample=SAMPLE,
        inputs={
            "torque": lambda t: sum(
                torque * il.where(t >= begin - 1e-9, 1.0, 0.0) * il.where(t < end - 1e-9, 1.0, 0.0)
                for torque, begin, end in zip(TORQUES, BEGINS, BEGINS[1:], strict=False)
            )
        },
    )
    known = rolled(_torque, list(BEGINS))
    rows = [int(np.argmin(np.abs(run.t - t))) for t in BEGINS]
    x, v = run["trunk_tx.q"], run["trunk_tx.qd"]
    drag = sum(run[f"{wheel}_ground.force_x"] for wheel in data.WHEELS)
    figures: dict[str, float | tuple[float, ...]] = {
        "speed after each phase [m/s]": tuple(float(v[row]) for row in rows[1:]),
        "speed after each phase, known [m/s]": tuple(speed for _, speed in known[1:]),
        "distance at the end [m]": float(x[-1] - x[0]),
        "distance at the end, known [m]": known[-1][0],
        "moved in phase 5 [m]": float(np.ptp(x[rows[4] : rows[5] + 1])),
    }

    def draw(figure: Any) -> None:
        above, middle, below = figure.subplots(3, 1, sharex=True)
        above.plot(run.t, x - x[0], label="rover")
        above.plot(BEGINS, [way for way, _ in known], "k+", label="closed form")
        above.set_ylabel("distance [m]")
        above.legend()
        middle.plot(run.t, 1e3 * v)
        middle.plot(BEGINS, [1e3 * speed for _, speed in known], "k+")
        middle.set_ylabel("speed [mm/s]")
        below.plot(run.t, 1e3 * drag)
        below.set_ylabel("force of the ground [mN]")
        below.set_xlabel("t [s]")

    return Outcome(figures, draw, size=(8.0, 8.0), result=run)


PHASES = Experiment(
    "test 3: torques in six phases, compared with one rolling mass", _run, fixed_length=True
)
