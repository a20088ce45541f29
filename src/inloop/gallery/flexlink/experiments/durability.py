"""Many moves in real time: is the last one as good as the first?

The controller runs in a separate process; the reference moves back and forth by 4 degrees every
4 s.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.flexlink.controllers.signals import UPRIGHT, Reference
from inloop.gallery.flexlink.experiments.plots import BLUE, GRAY, ORANGE, draw_reference, dress
from inloop.gallery.flexlink.experiments.rig import RATE, Reals, Trace, with_program

SECONDS = 80.5
WAVE = Reference(UPRIGHT, UPRIGHT + math.radians(4.0), at=0.5, turn=4.0)


def _run(bench: Bench) -> Outcome:
    plant, seconds = bench.compile(), bench.seconds or SECONDS
    trace = with_program(plant, "lq", ["--tuning", "1"], WAVE, seconds)
    moves = _moves(trace)
    return Outcome(
        figures={**_statistics(moves), **_deadlines(trace)},
        draw=lambda figure: _draw(figure, trace, moves),
        size=(10.0, 8.0),
        notes=(
            f"{len(moves)} moves of 4 deg, up: 90 to 94, down: 94 to 90; the first one is left out "
            "of the statistics;\ndrift: slope of a line through the figures of the moves, times "
            "their number",
            str(trace.report),
        ),
    )


def _moves(trace: Trace) -> Reals:
    """Overshoot [%], rise [s] and peak torque [N m] of each complete move, one row each."""
    count = math.floor((trace.t[-1] - WAVE.at) / WAVE.turn + 1e-6)
    if count < 2:
        raise il.InputError(
            f"{trace.t[-1]:g} s are too short for two moves",
            fix=f"Give {WAVE.at + 2 * WAVE.turn:g} s or more.",
        )
    rows = []
    for k in range(count):
        begin = WAVE.at + k * WAVE.turn
        seen = (trace.t >= begin - 1e-9) & (trace.t < begin + WAVE.turn - 1e-9)
        start, goal = (WAVE.first, WAVE.second) if k % 2 == 0 else (WAVE.second, WAVE.first)
        step = il.control.step_figures(
            trace.t[seen], trace.angle[seen], start=start, goal=goal, at=begin, band=0.1
        )
        peak = float(np.max(np.abs(trace.torque[seen])))
        rows.append((100.0 * step.overshoot, step.rise, peak))
    return np.array(rows)


def _statistics(moves: Reals) -> dict[str, float]:
    """Mean, scatter and drift of the figures, separately for each direction."""
    statistics: dict[str, float] = {"moves": float(len(moves))}
    # the first move starts from rest, the others from the end of the previous one
    for way, rows in (("up", moves[2::2]), ("down", moves[1::2])):
        for column, name in enumerate(("overshoot [%]", "rise [s]", "peak torque [N m]")):
            values = rows[:, column]
            if not len(values):
                continue
            slope = np.polyfit(np.arange(len(values)), values, 1)[0] if len(values) > 2 else 0.0
            statistics |= {
                f"{way}: {name}, mean": float(np.mean(values)),
                f"{way}: {name}, standard deviation": float(np.std(values)),
                f"{way}: {name}, worst": float(np.max(values)),
                f"{way}: {name}, drift": float(slope * len(values)),
            }
    return statistics


def _deadlines(trace: Trace) -> dict[str, float]:
    report = trace.report
    latency, age = report.times("latency"), report.times("input_age")
    return {
        "steps": float(report.steps),
        "overruns": float(report.overruns),
        "steps without a fresh command": float(report.stale_inputs),
        "wake-up latency p99.9 [us]": float(latency["p999"] or 0.0),
        "age of commands p99.9 [us]": float(age["p999"] or 0.0),
        "torque RMS [N m]": float(np.sqrt(np.mean(trace.torque**2))),
        "saturated [s]": float(np.count_nonzero(np.abs(trace.command) >= 9.99) / RATE),
    }


def _draw(figure: Any, trace: Trace, moves: Reals) -> None:
    axes = figure.subplots(3, 1, height_ratios=(2.0, 1.2, 1.2))
    _draw_moves(axes[0], trace, len(moves))
    numbers = np.arange(1, len(moves) + 1)
    for axis, column, label in (
        (axes[1], 0, "overshoot [%]"), (axes[2], 2, "peak torque [N m]"),
    ):  # fmt: skip
        for parity, color, way in ((0, BLUE, "90 to 94 deg"), (1, ORANGE, "94 to 90 deg")):
            axis.plot(numbers[parity::2], moves[parity::2, column], "o", color=color, markersize=4,
                      label=way)  # fmt: skip
        dress(axis, label)
        axis.set_xlim(0.0, len(moves) + 1)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.set_ylim(0.0, 1.25 * float(np.max(moves[:, column])))
    axes[1].legend(loc="lower right", fontsize=9, ncols=2)
    axes[2].set_xlabel("move")
    report = trace.report
    figure.suptitle(
        f"{len(moves)} moves against the clock: {report.steps} steps, {report.overruns} overruns, "
        f"{report.stale_inputs} steps without a fresh command"
    )


def _draw_moves(axis: Any, trace: Trace, count: int) -> None:
    """All moves, superimposed."""
    length = round(WAVE.turn * RATE)
    begin = round(WAVE.at * RATE)
    t = np.arange(length) / RATE
    for k in range(count):
        piece = trace.angle[begin + k * length : begin + (k + 1) * length]
        color = BLUE if k % 2 == 0 else ORANGE
        axis.plot(t[: len(piece)], np.degrees(piece), color=color, linewidth=0.6, alpha=0.5)
    draw_reference(axis, Reference(WAVE.second, WAVE.second + 1e-12, 0.0), t)
    axis.axhline(math.degrees(WAVE.first), color=GRAY, linewidth=0.8, linestyle=":")
    dress(axis, "angle [deg]")
    axis.set_xlabel("time after the step [s]")


DURABILITY = Experiment("moves back and forth in real time, with statistics", _run)
