"""Time from key bottom to hammer strike, from pp to ff.

Goebl, Bresin and Galembo (2005) measured that the hammer strikes 12 ms before the key bottom at
piano and 3 ms after it at forte, with extremes of 35 ms before and 4 ms after; Askenfelt and
Jansson blows both simultaneous at mezzo-forte. Here a finger with constant acceleration presses
the key, and the key bottom is the first contact with the front felt.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.piano.experiments.motion import beginnings, played

DEEPEST = 11.5e-3  # maximum travel of the finger [m]
DIP = 9.5e-3  # travel of the finger after the times below [m]
TIMES = (0.24, 0.2, 0.16, 0.13, 0.1, 0.08, 0.065, 0.05, 0.04, 0.03, 0.02)  # [s]
CYCLE, BEGIN, END = 1.3, 0.1, 0.6  # duration for one blow, its start and its end [s]
MEASURED = {"piano": -12.0, "mezzo-forte": 0.0, "forte": 3.0}  # [ms]
LEVELS = {"piano": 0.5, "mezzo-forte": 1.5, "forte": 2.7}  # assumed hammer speeds [m/s]


def _wanted(t: Any) -> Any:
    """Successive blows: constant acceleration, held, released in 0.1 s."""
    wanted = 0.0 * t
    for k, time in enumerate(TIMES):
        x = t - k * CYCLE
        share = il.max0(x - BEGIN) / time
        let_go = il.minimum(il.max0((x - END) / 0.1), 1.0)
        wanted = wanted + il.minimum(DIP * share * share, DEEPEST) - DEEPEST * let_go
    return wanted


def _measure(result: il.Result, begin: float) -> tuple[float, float, float]:
    """Strike speed [m/s], strike after key bottom [ms], duration of the key travel [ms]."""
    rows = (result.t >= begin) & (result.t < begin + END)
    t, travel = result.t[rows], result["key_front.travel"][rows]
    strikes = beginnings(result["string.force"][rows])
    bottom = beginnings(result["key_bed.force"][rows])
    if not strikes or not bottom:
        return 0.0, np.nan, np.nan
    struck, down = t[strikes[0]], t[bottom[0]]
    started = t[int(np.argmax((travel > 1e-4) & (t > begin + 0.5 * BEGIN)))]
    speed = float(result["strike.speed"][rows][strikes[0]])
    return speed, float(1e3 * (struck - down)), float(1e3 * (down - started))


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(finger=True)
    result = played(plant, _wanted, CYCLE * len(TIMES))
    blows = np.array([_measure(result, k * CYCLE) for k in range(len(TIMES))])
    blows = blows[np.isfinite(blows[:, 1])]
    figures = {}
    for level, speed in LEVELS.items():
        for what, column in (("strike after key bottom [ms]", 1), ("key travel [ms]", 2)):
            figures[f"{level}, {speed} m/s: {what}"] = float(
                np.interp(speed, blows[:, 0], blows[:, column])
            )
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, blows),
        size=(7.5, 4.6),
        result=result,
        notes=("the finger is a spring of 3 N/mm; that of pianists' fingers is not known",),
    )


def _draw(figure: Any, blows: np.ndarray) -> None:
    axes = figure.subplots()
    axes.plot(blows[:, 0], blows[:, 1], "o-", color="#1f5fa8", label="this model")
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


TIMING = Experiment("strike against key bottom from pp to ff", _run, fixed_length=True)
