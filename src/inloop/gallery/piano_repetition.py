"""Repetition from a key that is only half released: the double escapement.

A firm blow, then the key is let up to some height and pressed again. Once the key has come up so
far that the check lets the hammer go, the lever lifts the hammer, the jack slips back under the
knuckle, and the note sounds again, long before the key is up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.experiment import Bench, Experiment, Outcome
from inloop.gallery.piano_motion import DOWN, beginnings, blow, key_travel, moved, release

HALF = 4.75e-3  # [m]
STROKE = 0.05  # [s]
AGAIN = 0.45  # second stroke [s]
HEIGHTS = np.arange(0.0, 8.51e-3, 0.5e-3)  # to which the key is let up, below its rest [m]
SECONDS = 0.8


def _repeated(plant: il.Plant, height: float) -> il.Result:
    """A blow, the key let up to a travel, a second blow of the same time."""
    back = DOWN - height

    def travel(t: Any) -> Any:
        return blow(t, 0.1, STROKE) + release(t, 0.25, 0.1, back) + blow(t, AGAIN, STROKE, back)

    return moved(plant, travel, SECONDS)


def _second(result: il.Result) -> float:
    """Speed of the second strike, 0 if there is none [m/s]."""
    late = [row for row in beginnings(result["string.force"]) if result.t[row] > AGAIN]
    return float(result["strike.speed"][late[0]]) if late else 0.0


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(finger=False)
    shown = _repeated(plant, HALF)
    speeds = np.array([_second(_repeated(plant, float(height))) for height in HEIGHTS])
    strikes = beginnings(shown["string.force"])
    sounding = HEIGHTS[speeds > 0.3]
    figures = {
        "first strike [m/s]": float(shown["strike.speed"][strikes[0]]) if strikes else 0.0,
        "second strike, from half travel [m/s]": _second(shown),
        "hammer at the string when struck again [mm below]": float(
            1e3 * np.interp(AGAIN, shown.t, shown["string.gap"])
        ),
        "repeats from travels up to [mm]": float(1e3 * sounding.max()) if len(sounding) else 0.0,
    }
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, shown, speeds),
        size=(11.0, 6.0),
        result=shown,
    )


def _draw(figure: Any, shown: il.Result, speeds: np.ndarray) -> None:
    left, right = figure.subfigures(1, 2, width_ratios=(1.5, 1.0))
    key, hammer, parts = left.subplots(3, 1, sharex=True)
    key.plot(shown.t, key_travel(shown), color="#7a7a7a")
    key.axhline(1e3 * HALF, color="black", linewidth=0.7, linestyle=":")
    key.set_ylabel("key front [mm]")
    key.invert_yaxis()
    hammer.plot(shown.t, 1e3 * shown["string.gap"], color="#c2410c")
    hammer.set_ylabel("hammer below\nthe string [mm]")
    hammer.invert_yaxis()
    for name, color in (("jack", "#7b4fa3"), ("lever", "#3a8f4d")):
        parts.plot(shown.t, np.degrees(shown[f"{name}.q"]), color=color, label=name)
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


REPETITION = Experiment("the note again from a half-released key", _run)
