"""When the hammer meets the string against when the key meets its bed, from pp to ff.

Goebl, Bresin and Galembo (2005) measured that the hammer strikes 12 ms before the key bottom at
piano and 3 ms after it at forte, with extremes of 35 ms before and 4 ms after; Askenfelt and
Jansson that both are together at mezzo-forte. Here a finger presses the key with a constant
acceleration of its own, and the key bottom is the first touch of the front felt.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.experiment import Bench, Experiment, Outcome
from inloop.gallery.piano_motion import beginnings, played

BEGIN, DEEPEST = 0.1, 11.5e-3  # of the finger [s], [m]
DIP = 9.5e-3  # in which the finger would be down after the times below [m]
TIMES = (0.24, 0.2, 0.16, 0.13, 0.1, 0.08, 0.065, 0.05, 0.04, 0.03, 0.02)  # [s]
MEASURED = {"piano": -12.0, "mezzo-forte": 0.0, "forte": 3.0}  # [ms]
LEVELS = {"piano": 0.5, "mezzo-forte": 1.5, "forte": 2.7}  # speeds that are taken for them [m/s]


def _blow(plant: il.Plant, time: float) -> il.Result:
    """A finger with constant acceleration."""

    def wanted(t: Any) -> Any:
        share = il.max0(t - BEGIN) / time
        return il.minimum(DIP * share * share, DEEPEST)

    return played(plant, wanted, BEGIN + 2.0 * time + 0.15)


def _measure(result: il.Result) -> tuple[float, float, float]:
    """Strike speed [m/s], strike after key bottom [ms], time of the key's travel [ms]."""
    strikes, bottom = beginnings(result["string.force"]), beginnings(result["key_bed.force"])
    begin = float(result.t[int(np.argmax(result["key_front.travel"] > 1e-4))])
    if not strikes or not bottom:
        return 0.0, np.nan, np.nan
    struck, down = result.t[strikes[0]], result.t[bottom[0]]
    return (
        float(result["strike.speed"][strikes[0]]),
        float(1e3 * (struck - down)),
        float(1e3 * (down - begin)),
    )


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(finger=True)
    found = np.array([_measure(_blow(plant, time)) for time in TIMES])
    found = found[np.isfinite(found[:, 1])]
    figures = {}
    for level, speed in LEVELS.items():
        for what, column in (("strike after key bottom [ms]", 1), ("key travel [ms]", 2)):
            figures[f"{level}, {speed} m/s: {what}"] = float(
                np.interp(speed, found[:, 0], found[:, column])
            )
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, found),
        size=(7.5, 4.6),
        notes=("the finger is a spring of 3 N/mm; what pianists' fingers are is not known",),
    )


def _draw(figure: Any, found: np.ndarray) -> None:
    axes = figure.subplots()
    axes.plot(found[:, 0], found[:, 1], "o-", color="#1f5fa8", label="this model")
    axes.plot(list(LEVELS.values()), list(MEASURED.values()), "s", color="#c2410c",
              label="measured (Goebl et al. 2005; Askenfelt and Jansson)")  # fmt: skip
    for level, speed in LEVELS.items():
        axes.annotate(level, (speed, MEASURED[level]), (6, -12), textcoords="offset points",
                      fontsize=8, color="#c2410c")  # fmt: skip
    axes.axhline(0.0, color="black", linewidth=0.7)
    axes.set_xlabel("speed of the hammer at the string [m/s]")
    axes.set_ylabel("strike after key bottom [ms]")
    axes.set_title("hammer at the string against key at its bed", fontsize=10)
    axes.legend(fontsize=8)
    axes.grid(True, color="#e6e6e6", linewidth=0.6)


TIMING = Experiment("strike against key bottom from pp to ff", _run)
