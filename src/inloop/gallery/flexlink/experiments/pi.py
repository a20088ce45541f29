"""PI control of the flexible link: a step of 3 degrees, upright, as in section 4.1 of the source.

The motor supplies at most 4 N·m (10 V times 0.4 N·m/V), and the horizontal link needs 8.7 N·m: the
source must have tested near the upright position, where gravity exerts little torque but makes the
plant unstable.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.flexlink.controllers.design import KI, KP
from inloop.gallery.flexlink.controllers.signals import UPRIGHT, Reference
from inloop.gallery.flexlink.experiments.plots import (
    BLUE,
    GRAY,
    LABELS,
    ORANGE,
    draw_reference,
    draw_trace,
    dress,
)
from inloop.gallery.flexlink.experiments.twice import UNREADABLE, Twice, run_twice, twice_figures

SECONDS = 8.0
STEP = Reference(UPRIGHT, UPRIGHT + math.radians(3.0))


def _run(bench: Bench) -> Outcome:
    plant = bench.compile()
    runs = run_twice(plant, "pi", [], STEP, bench.seconds or SECONDS)
    return Outcome(
        figures=twice_figures(runs, STEP),
        draw=lambda figure: _draw(figure, runs),
        size=(8.0, 8.4),
        notes=(
            UNREADABLE,
            f"gains: {KP:g} N m/rad and {KI:g} N m/(rad s), chosen here. A PI loop around an "
            "inertia has no damping of\nits own: friction of 0.1 N m takes the energy out, 4 "
            "friction / stiffness per period",
        ),
    )


def _draw(figure: Any, runs: Twice) -> None:
    axes = figure.subplots(4, 1, sharex=True, height_ratios=(3, 2, 2, 1.3))
    draw_reference(axes[0], STEP, runs.simulated.t)
    draw_trace(axes[:3], runs.simulated, color=BLUE, linewidth=1.6, label="lock-step")
    draw_trace(axes[:3], runs.clocked, color=ORANGE, linewidth=0.9, linestyle="--",
               label="against the clock")  # fmt: skip
    draw_difference(axes[3], runs)
    for axis, label in zip(axes, (*LABELS, "difference\n[0.001 deg]"), strict=True):
        dress(axis, label)
    axes[0].legend(loc="upper right", fontsize=9)
    axes[3].legend(loc="lower right", fontsize=8, ncols=3)
    axes[3].set_xlabel("t [s]")
    figure.suptitle("PI control with gravity fed forward, step of 3 deg from upright")


def draw_difference(axis: Any, runs: Twice) -> None:
    """Differences of the angle to the run in lock-step: on the clock, and with other noise."""
    count = 1e3 * 360.0 / runs.counts
    axis.axhspan(-count, count, color=GRAY, alpha=0.18, linewidth=0, label="one count")
    for trace, color, label in (
        (runs.other_noise, BLUE, "other noise"),
        (runs.clocked, ORANGE, "clock"),
    ):
        n = min(len(trace.t), len(runs.simulated.t))
        apart = np.degrees(trace.angle[:n] - runs.simulated.angle[:n])
        axis.plot(trace.t[:n], 1e3 * apart, color=color, linewidth=0.9, label=label)


PI = Experiment("PI control with gravity fed forward: a step of 3 deg from upright", _run)
