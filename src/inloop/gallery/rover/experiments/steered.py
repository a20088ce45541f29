"""Test 2 of the source: one steering axis is turned while the rover stands.

A torque of 20 µN·m turns one bracket with its wheel about the vertical. The contact point is on
the axis of the bracket and does not slide: there is no resistance, φ = τ t² / 2 I, and the rest of
the rover does not move.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.grounds import PLANE
from inloop.gallery.rover.model import RIGID

TORQUE, AXIS = 2e-5, "steer_front_left"  # [N·m]
STANDS, END, STEP = 2.0, 70.0, 5e-3  # [s]; the source stands for 50 s
INERTIA = data.STEER_INERTIA[2] + data.WHEEL_INERTIA[2]
TURNS = 2.0
KNOWN = math.sqrt(2.0 * TURNS * 2.0 * math.pi * INERTIA / TORQUE)  # [s]


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(terrain=PLANE)
    plant.parameters.update({"gain": 0.0, "stiffness": RIGID, "servo": 0.0, "mu": 0.4})
    still = plant.simulate(t_end=STANDS, step=STEP, q={"trunk_tz": 1.0})
    run = plant.simulate(
        t_end=STANDS + (bench.seconds or END),
        step=STEP,
        sample=10 * STEP,
        start=still,
        tau={AXIS: TORQUE},
    )
    turned, time = run[f"{AXIS}.q"], run.t - STANDS
    known = 0.5 * TORQUE / INERTIA * np.maximum(time, 0.0) ** 2
    moved = [float(np.ptp(run[f"trunk_t{axis}.q"][time > 0.0])) for axis in "xyz"]
    full = 2.0 * math.pi * TURNS
    figures: dict[str, float | tuple[float, ...]] = {
        "angle at the end [rad]": float(turned[-1]),
        "angle at the end, known [rad]": float(known[-1]),
        "trunk moved meanwhile [m]": max(moved),
    }
    if turned[-1] > full:
        figures["two turns after [s]"] = float(np.interp(full, turned, time))
        figures["two turns after, known [s]"] = KNOWN

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(run.t, turned / (2.0 * math.pi), label="steering axis, front left")
        above.plot(run.t, known / (2.0 * math.pi), "k--", linewidth=0.8, label="closed form")
        above.set_ylabel("turns")
        above.legend()
        below.plot(run.t, run[f"{AXIS}.qd"])
        below.set_ylabel("speed [rad/s]")
        below.set_xlabel("t [s]")

    return Outcome(figures, draw, result=run)


STEERED = Experiment("test 2: one steering axis is turned while it stands", _run)
