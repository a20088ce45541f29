"""Repetition from a key that is only half released: the double escapement.

A firm blow, then the key is released to some height and pressed again. Once the key has risen far
enough for the check to release the hammer, the lever lifts the hammer, the jack slips back under
the knuckle, and the note sounds again, long before the key is up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.piano.experiments.motion import (
    DOWN,
    beginnings,
    blow,
    key_travel,
    moved,
    release,
)

HEIGHTS = np.arange(0.0, 8.51e-3, 0.5e-3)  # to which the key is released, below its rest [m]
LOUD = 0.3  # minimum speed of an audible strike [m/s]
HALF = 9  # index of the height that is drawn: 4.5 mm
STROKE = 0.05  # [s]
CYCLE, AGAIN = 1.2, 0.45  # duration for one height, start of its second stroke [s]


def _travel(t: Any) -> Any:
    """For each height: a blow, a release to this height, a second blow, a full release."""
    travel = 0.0 * t
    for k, height in enumerate(HEIGHTS):
        back, x = DOWN - float(height), t - k * CYCLE
        travel = travel + blow(x, 0.1, STROKE) + release(x, 0.25, 0.1, back)
        travel = travel + blow(x, AGAIN, STROKE, back) + release(x, 0.65, 0.15)
    return travel


def _speeds(result: il.Result) -> np.ndarray:
    """Speed of the first and second strike for each height, 0 if there is none [m/s]."""
    speeds = np.zeros((len(HEIGHTS), 2))
    for row in reversed(beginnings(result["string.force"])):
        cycle, time = divmod(float(result.t[row]), CYCLE)
        speeds[int(cycle), int(time > AGAIN)] = result["strike.speed"][row]
    return speeds


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(finger=False)
    result = moved(plant, _travel, CYCLE * len(HEIGHTS))
    speeds = _speeds(result)
    sounding = HEIGHTS[speeds[:, 1] > LOUD]
    again = np.argmin(np.abs(result.t - HALF * CYCLE - AGAIN))
    figures = {
        "first strike [m/s]": float(speeds[HALF, 0]),
        "second strike, from half travel [m/s]": float(speeds[HALF, 1]),
        "hammer below the string when struck again [mm]": float(1e3 * result["string.gap"][again]),
        "repeats from travels up to [mm]": float(1e3 * sounding.max()) if len(sounding) else 0.0,
    }
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, result, speeds[:, 1]),
        size=(11.0, 6.0),
        result=result,
    )


def _draw(figure: Any, result: il.Result, speeds: np.ndarray) -> None:
    rows = (result.t >= HALF * CYCLE) & (result.t < HALF * CYCLE + 1.0)
    t = result.t[rows] - HALF * CYCLE
    left, right = figure.subfigures(1, 2, width_ratios=(1.5, 1.0))
    key, hammer, parts = left.subplots(3, 1, sharex=True)
    key.plot(t, key_travel(result)[rows], color="#7a7a7a")
    key.axhline(1e3 * HEIGHTS[HALF], color="black", linewidth=0.7, linestyle=":")
    key.set_ylabel("key front [mm]")
    key.invert_yaxis()
    hammer.plot(t, 1e3 * result["string.gap"][rows], color="#c2410c")
    hammer.set_ylabel("hammer below\nthe string [mm]")
    hammer.invert_yaxis()
    for name, color in (("jack", "#7b4fa3"), ("lever", "#3a8f4d")):
        parts.plot(t, np.degrees(result[f"{name}.q"][rows]), color=color, label=name)
    parts.set_ylabel("on the whippen\n[degrees]")
    parts.set_xlabel("t [s]")
    parts.legend(fontsize=8)
    key.set_title("let up to half travel, struck again", fontsize=10)
    axes = right.subplots()
    axes.plot(1e3 * HEIGHTS, speeds, "o-", color="#1f5fa8", markersize=4)
    axes.set_xlabel("travel to which the key was let up [mm]")
    axes.set_ylabel("second strike [m/s]")
    axes.set_title("from how far up the note repeats", fontsize=10)
    for each in (key, hammer, parts, axes):
        each.grid(True, color="#e6e6e6", linewidth=0.6)


REPETITION = Experiment("the note again from a half-released key", _run, fixed_length=True)
