"""LQ control of position and vibration: 90 to 94 degrees with both tunings of section 4.2."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.flexlink.controllers.design import TUNINGS
from inloop.gallery.flexlink.controllers.signals import UPRIGHT, Reference
from inloop.gallery.flexlink.experiments.pi import draw_difference
from inloop.gallery.flexlink.experiments.plots import (
    BLUE,
    LABELS,
    ORANGE,
    draw_reference,
    draw_trace,
    dress,
)
from inloop.gallery.flexlink.experiments.twice import UNREADABLE, Twice, run_twice, twice_figures

SECONDS = 8.0
STEP = Reference(UPRIGHT, UPRIGHT + math.radians(4.0))
TITLES = {
    "1": "tuning 1\n$Q_y$ = 1000, 50; $Q_w$ = 100",
    "2": "tuning 2\n$Q_y$ = 500, 100; $Q_w$ = 50",
    "1V": "tuning 1, strain in volts\n$Q_y$ = 1000, 50/V²; $Q_w$ = 100",
}


def _run(bench: Bench) -> Outcome:
    plant, seconds = bench.compile(), bench.seconds or SECONDS
    runs = {
        tuning: run_twice(plant, "lq", ["--tuning", tuning], STEP, seconds) for tuning in TUNINGS
    }
    figures: dict[str, float] = {}
    for tuning, twice in runs.items():
        figures |= {f"{tuning}: {k}": value for k, value in twice_figures(twice, STEP).items()}
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, runs),
        size=(11.0, 8.4),
        notes=(
            UNREADABLE,
            "tunings 1 and 2: weights of angle and elastic rotation in rad, as in the text of "
            "the source, torque with\nweight 1; 1V: strain in volts, as measured "
            "(200 V/rad)",
        ),
    )


def _draw(figure: Any, runs: Mapping[str, Twice]) -> None:
    axes = figure.subplots(4, len(runs), sharex=True, sharey="row", height_ratios=(3, 2, 2, 1.3))
    for column, (tuning, twice) in zip(axes.T, runs.items(), strict=True):
        column[0].set_title(TITLES[tuning], fontsize=10)
        draw_reference(column[0], STEP, twice.simulated.t)
        draw_trace(column[:3], twice.simulated, color=BLUE, linewidth=1.4, label="lock-step")
        draw_trace(column[:3], twice.clocked, color=ORANGE, linewidth=0.8, linestyle="--",
                   label="against the clock")  # fmt: skip
        draw_difference(column[3], twice)
        for axis in column:
            dress(axis)
        column[3].set_xlabel("t [s]")
    for axis, label in zip(axes[:, 0], (*LABELS, "difference\n[0.001 deg]"), strict=True):
        axis.set_ylabel(label)
    axes[0, 0].legend(loc="lower right", fontsize=9)
    axes[2, 0].legend(*axes[3, 0].get_legend_handles_labels(), title="difference:", fontsize=8,
                      title_fontsize=8, loc="lower right", ncols=3)  # fmt: skip
    figure.suptitle("LQ control with integral action and Kalman filter, 90 to 94 deg")


LQ = Experiment("LQ control of position and vibration, 90 to 94 deg, tunings of the source", _run)
