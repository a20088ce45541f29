"""LQ control of a flexible link that differs from the model of the design.

The controllers are designed on the nominal model; the plant has another mass, stiffness or length,
a payload, more noise, or delayed measurements. Steps of 4 degrees as in `lq`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.flexlink.controllers.design import TUNINGS, lq
from inloop.gallery.flexlink.controllers.lq import LqController
from inloop.gallery.flexlink.experiments.lq import STEP
from inloop.gallery.flexlink.experiments.plots import (
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    RED,
    draw_reference,
    dress,
)
from inloop.gallery.flexlink.experiments.rig import Trace, in_lock_step

SECONDS = 4.0
CONTROLLERS = ("1", "1V")
COLORS = {"1": BLUE, "1V": ORANGE}
COLUMNS = ("overshoot [%]", "error after 2 s [deg]", "peak torque [N m]", "vibration [V]")


@dataclass(frozen=True)
class Mismatch:
    """A plant that differs from the nominal one.

    Attributes:
        kind: panel of the figure.
        scales: factors of parameters.
        adds: offsets of parameters.
        late: delay of the measurements [s].
        known: the design takes the delay into account.
    """

    kind: str
    scales: Mapping[str, float] = field(default_factory=dict)
    adds: Mapping[str, float] = field(default_factory=dict)
    late: float = 0.0
    known: bool = False


MISMATCHES = {
    "nominal": Mismatch(""),
    "mass -20 %": Mismatch("mass", {"mass_per_length": 0.8}),
    "mass +20 %": Mismatch("mass", {"mass_per_length": 1.2}),
    "stiffness -30 %": Mismatch("stiffness", {"E": 0.7}),
    "stiffness +30 %": Mismatch("stiffness", {"E": 1.3}),
    "length 1.39 m": Mismatch("length", {"length": 1.39 / 1.5}),
    "length 1.60 m": Mismatch("length", {"length": 1.60 / 1.5}),
    "payload 0.1 kg": Mismatch("payload", adds={"payload": 0.1}),
    "payload 0.3 kg": Mismatch("payload", adds={"payload": 0.3}),
    "noise x 5": Mismatch("noise", {"strain_noise": 5.0, "encoder_noise": 5.0}),
    "noise x 20": Mismatch("noise", {"strain_noise": 20.0, "encoder_noise": 20.0}),
    "late by 10 ms": Mismatch("delay", late=10e-3),
    "late by 30 ms": Mismatch("delay", late=30e-3),
    "30 ms, known": Mismatch("delay", late=30e-3, known=True),
}


def _run(bench: Bench) -> Outcome:
    plant, seconds = bench.compile(axial=False), bench.seconds or SECONDS
    nominal = dict(plant.parameters)
    traces: dict[str, dict[str, Trace]] = {}
    for name, mismatch in MISMATCHES.items():
        plant.parameters.update(_changed(nominal, mismatch))
        traces[name] = {c: _step(plant, c, mismatch, seconds) for c in CONTROLLERS}
    figures = {
        f"{name}, {controller}: {what}": value
        for name, runs in traces.items()
        for controller, trace in runs.items()
        for what, value in _measures(trace).items()
    }
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, traces),
        size=(11.0, 8.4),
        table=_table(traces),
        notes=(
            "overshoot in %, error in deg, peak torque in N m; vibration: RMS of the fast part of "
            "the strain in the last\nsecond, in V; 1, 1V: tunings as in experiment lq; 30 ms, "
            "known: the design takes the delay into account",
        ),
    )


def _changed(nominal: Mapping[str, float], mismatch: Mismatch) -> dict[str, float]:
    return {
        name: value * mismatch.scales.get(name, 1.0) + mismatch.adds.get(name, 0.0)
        for name, value in nominal.items()
    }


def _step(plant: il.Plant, controller: str, mismatch: Mismatch, seconds: float) -> Trace:
    delay = mismatch.late if mismatch.known else 0.0
    law = LqController(lq(TUNINGS[controller], delay=delay))
    faults = [f"delay:outputs={mismatch.late}"] if mismatch.late else []
    return in_lock_step(plant, law, STEP, seconds, faults)


def _measures(trace: Trace) -> dict[str, float]:
    step = trace.figures(STEP)
    return {
        "overshoot [%]": 100.0 * step.overshoot,
        "settling [s]": step.settling,
        "error after 2 s [deg]": _error(trace),
        "peak torque [N m]": float(np.max(np.abs(trace.torque))),
        "vibration [V]": _vibration(trace),
        "stable": float(_is_stable(trace)),
    }


def _error(trace: Trace) -> float:
    """Error 2 s after the step, or at the end [deg]."""
    seen = trace.t <= STEP.at + 2.0
    return float(np.degrees(np.abs(trace.angle[seen][-1] - STEP.second)))


def _vibration(trace: Trace) -> float:
    """RMS of a quarter of the second difference of the strain over 20 ms, in the last second."""
    last = trace.strain[trace.t >= trace.t[-1] - 1.0]
    lag = 20
    fast = (last[2 * lag :] - 2.0 * last[lag:-lag] + last[: -2 * lag]) / 4.0
    return float(np.sqrt(np.mean(fast**2)))


def _is_stable(trace: Trace) -> bool:
    """Whether the link stands, and the motor is not at its limit at the end."""
    last = trace.t >= trace.t[-1] - 0.5
    return not trace.fell and float(np.max(np.abs(trace.command[last]))) < 9.9


def _table(traces: Mapping[str, Mapping[str, Trace]]) -> str:
    head = ("", *(f"{c.partition(' [')[0]} {k}" for c in COLUMNS for k in CONTROLLERS))
    rows = [head]
    for name, runs in traces.items():
        measures = {k: _measures(trace) for k, trace in runs.items()}
        cells = [_cell(measures[k], c) for c in COLUMNS for k in CONTROLLERS]
        rows.append((name, *cells))
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    return "\n".join(
        "  ".join(f"{cell:<{w}}" if k == 0 else f"{cell:>{w}}" for k, (cell, w) in
                  enumerate(zip(row, widths, strict=True)))
        for row in rows
    )  # fmt: skip


def _cell(measures: Mapping[str, float], column: str) -> str:
    if not measures["stable"]:
        return "unstable"
    return f"{measures[column]:.3g}"


def _draw(figure: Any, traces: Mapping[str, Mapping[str, Trace]]) -> None:
    upper, lower = figure.subfigures(2, 1, height_ratios=(1.55, 1.0))
    kinds = list(dict.fromkeys(m.kind for m in MISMATCHES.values() if m.kind))
    axes = upper.subplots(2, 3, sharex=True)
    for axis, kind in zip(axes.flat, kinds, strict=True):
        _draw_kind(axis, kind, traces)
    for axis in axes[1]:
        axis.set_xlabel("t [s]")
    upper.suptitle("Controllers designed on the nominal model (solid: tuning 1, dashed: 1V)")
    _draw_dots(lower, traces)


def _draw_kind(axis: Any, kind: str, traces: Mapping[str, Mapping[str, Trace]]) -> None:
    """Plot angles; for noise, the torque, where its effect is visible."""
    colors = iter((BLUE, ORANGE, GREEN))
    chosen = {"nominal": GRAY} | {
        name: next(colors) for name, m in MISMATCHES.items() if m.kind == kind
    }
    for order, (name, color) in enumerate(chosen.items()):
        for controller, style in zip(CONTROLLERS, ("-", "--"), strict=True):
            trace = traces[name][controller].standing
            values = trace.torque if kind == "noise" else np.degrees(trace.angle)
            label = name if controller == "1" else None
            axis.plot(trace.t, values, style, color=color, linewidth=1.0, label=label,
                      zorder=5 - order)  # fmt: skip
    if kind == "noise":
        dress(axis, "torque [N m]")
    else:
        draw_reference(axis, STEP, traces["nominal"]["1"].t)
        dress(axis, "angle [deg]")
        axis.set_ylim(89.3, 95.6)
    axis.legend(loc="upper right" if kind == "noise" else "lower right", fontsize=8)


def _draw_dots(figure: Any, traces: Mapping[str, Mapping[str, Trace]]) -> None:
    names, places = list(traces), np.arange(len(traces))[::-1]
    axes = figure.subplots(1, len(COLUMNS), sharey=True)
    for controller, shift in zip(CONTROLLERS, (0.15, -0.15), strict=True):
        measures = [_measures(traces[name][controller]) for name in names]
        for axis, column in zip(axes, COLUMNS, strict=True):
            values = np.array([f[column] if f["stable"] else math.nan for f in measures])
            axis.plot(values, places + shift, "o", color=COLORS[controller], markersize=5,
                      label=f"tuning {controller}")  # fmt: skip
        for place, f in zip(places, measures, strict=True):
            if not f["stable"]:
                axes[0].text(16.0, place + shift, f"{controller}: unstable", color=RED, fontsize=8,
                             va="center")  # fmt: skip
    for axis, column in zip(axes, COLUMNS, strict=True):
        axis.set_xlabel(column)
        axis.grid(True, alpha=0.3)
        if column == "vibration [V]":
            axis.set_xscale("log")
        else:
            axis.set_xlim(left=0.0)
    axes[0].set_yticks(places, names, fontsize=8)
    axes[1].legend(loc="upper right", fontsize=8)


ROBUSTNESS = Experiment("LQ control of links that differ from the model of the design", _run)
