"""Faults while the flexible link is controlled: a lost gauge, a stuck encoder, a weak motor.

The reference steps through 90, 94, 90, 94 degrees; the fault lasts from 2 to 4 s, during which the
reference steps back. The same faults can be given by name in real time:

    inloop run flexlink --rate 1000 --controller flexlink_lq --fault stuck:encoder@2-4
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.flexlink.controllers.design import TUNINGS, lq
from inloop.gallery.flexlink.controllers.lq import LqController
from inloop.gallery.flexlink.controllers.signals import UPRIGHT, Reference
from inloop.gallery.flexlink.experiments.plots import (
    BLUE,
    GRAY,
    LABELS,
    ORANGE,
    RED,
    draw_reference,
    draw_trace,
    dress,
)
from inloop.gallery.flexlink.experiments.rig import Trace, in_lock_step

SECONDS = 7.0
BEGIN, END = 2.0, 4.0  # of the faults [s]
WAVE = Reference(UPRIGHT, UPRIGHT + math.radians(4.0), at=0.5, turn=2.0)
DURING = f"@{BEGIN:g}-{END:g}"
FAULTS_TRIED = {
    "none": (),
    "strain gauge lost": (f"lost:strain{DURING}",),
    "encoder stuck": (f"stuck:encoder{DURING}",),
    "motor saturated": (f"limit:motor.command=2{DURING}",),
}
CONTROLLERS = {"1": BLUE, "1V": ORANGE}
SHOWN = 8.0  # range of the plot beyond the reference [deg]


def _run(bench: Bench) -> Outcome:
    plant, seconds = bench.compile(axial=False), bench.seconds or SECONDS
    traces = {
        name: {
            controller: in_lock_step(
                plant, LqController(lq(TUNINGS[controller])), WAVE, seconds, faults
            )
            for controller in CONTROLLERS
        }
        for name, faults in FAULTS_TRIED.items()
    }
    figures = {
        f"{name}, {controller}: {what}": value
        for name, runs in traces.items()
        for controller, trace in runs.items()
        for what, value in _measures(trace, traces["none"][controller]).items()
    }
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, traces),
        size=(12.0, 7.2),
        notes=(
            "away: largest distance from the run without fault; back after: time from the end of "
            "the fault until\nit stays within 0.2 deg of that run; motor saturated: commands cut "
            "off at 2 V, 0.8 N m",
        ),
    )


def _measures(trace: Trace, healthy: Trace) -> dict[str, float]:
    apart = np.abs(trace.angle - healthy.angle)
    late = np.flatnonzero((trace.t > END) & (apart > math.radians(0.2)))
    back = 0.0 if not len(late) else float(trace.t[late[-1]] - END)
    if len(late) and late[-1] == len(apart) - 1:
        back = math.nan
    return {
        "away [deg]": float(np.degrees(np.max(apart))),
        "back after [s]": back,
        "peak torque [N m]": float(np.max(np.abs(trace.torque))),
        "fell over": float(trace.fell),
    }


def _draw(figure: Any, traces: Mapping[str, Mapping[str, Trace]]) -> None:
    shown = [name for name in traces if name != "none"]
    axes = figure.subplots(3, len(shown), sharex=True, sharey="row", height_ratios=(2, 1.2, 1.2))
    for column, name in zip(axes.T, shown, strict=True):
        draw_reference(column[0], WAVE, traces[name]["1"].t)
        for controller, color in CONTROLLERS.items():
            trace, healthy = traces[name][controller], traces["none"][controller]
            draw_trace(column, healthy, color=GRAY, linewidth=0.8)
            draw_trace(
                column, trace.standing, color=color, linewidth=1.2, label=f"tuning {controller}"
            )
        _draw_end(column[0], traces[name])
        for axis in column:
            axis.axvspan(BEGIN, END, color=RED, alpha=0.08, linewidth=0)
            dress(axis)
        column[0].set_title(name, fontsize=11)
        column[2].set_xlabel("t [s]")
    first, second = math.degrees(WAVE.first), math.degrees(WAVE.second)
    axes[0, 0].set_ylim(first - SHOWN, second + SHOWN)
    axes[1, 0].set_ylim(-4.3, 4.3)
    axes[2, 0].set_ylim(-2.8, 2.8)
    for axis, label in zip(axes[:, 0], LABELS, strict=True):
        axis.set_ylabel(label)
    axes[0, 0].legend(loc="upper left", fontsize=9)
    figure.suptitle("LQ control with faults from 2 to 4 s (gray: without fault)")


def _draw_end(axis: Any, runs: Mapping[str, Trace]) -> None:
    """List the controllers whose link fell over."""
    fallen = [f"tuning {name}" for name, trace in runs.items() if trace.fell]
    if fallen:
        axis.text(0.98, 0.95, f"fell over: {', '.join(fallen)}", transform=axis.transAxes,
                  ha="right", va="top", color=RED, fontsize=9)  # fmt: skip


FAULTS = Experiment("LQ control with a lost gauge, a stuck encoder, a saturated motor", _run)
