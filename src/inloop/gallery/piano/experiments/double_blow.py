"""Slow and fast double blow: angle of the hammer and force at the capstan.

For the haptic piano key of UCLouvain a motor struck the key of a Renner action twice: slowly, with
strokes at 0.3 and 1.5 s and releases at 0.9 and 2.1 s, and fast, with strokes at 0.1 and 0.5 s. The
force at the capstan rises, reaches a quasi-steady value close to 3 N while the key is held, and has
peaks when the hammer falls back. The measured motion of the key is not published; here it has
constant acceleration until its bed stops it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.piano.experiments.motion import beginnings, blow, key_travel, moved, release


@dataclass(frozen=True)
class DoubleBlow:
    """Two strokes and their releases.

    Attributes:
        begins: start times of the strokes [s].
        held: time from the start of a stroke to its release [s].
        time: duration of a stroke [s]; releases take 1.5 times as long.
        seconds: length of the run [s].
    """

    begins: tuple[float, float]
    held: float
    time: float
    seconds: float

    def travel(self, t: Any) -> Any:
        """Travel of the key front [m]."""
        return sum(
            (
                blow(t, begin, self.time) + release(t, begin + self.held, 1.5 * self.time)
                for begin in self.begins
            ),
            0.0 * t,
        )


RUNS = {
    "slow double blow": DoubleBlow((0.3, 1.5), 0.6, 0.16, 2.6),
    "fast double blow": DoubleBlow((0.1, 0.5), 0.2, 0.06, 1.0),
}
KEY, HAMMER, CAPSTAN = "#7a7a7a", "#c2410c", "#1f5fa8"


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(finger=False)
    runs = {name: moved(plant, run.travel, run.seconds) for name, run in RUNS.items()}
    figures: dict[str, float] = {}
    for name, result in runs.items():
        word = name.split()[0]
        for k, row in enumerate(beginnings(result["string.force"]), 1):
            figures[f"{word}: strike {k} at [s]"] = float(result.t[row])
            figures[f"{word}: strike {k} [m/s]"] = float(result["strike.speed"][row])
        figures[f"{word}: capstan while held [N]"] = _held(result, RUNS[name])
        figures[f"{word}: highest at the capstan [N]"] = float(result["capstan.force"].max())
    return Outcome(figures=figures, draw=lambda figure: _draw(figure, runs), size=(11.0, 7.0))


def _held(result: il.Result, run: DoubleBlow) -> float:
    """Mean force at the capstan in the last third of the time while the key is down [N]."""
    begin = run.begins[0] + run.held - (run.held - run.time) / 3.0
    rows = (result.t > begin) & (result.t < run.begins[0] + run.held)
    return float(result["capstan.force"][rows].mean())


def _draw(figure: Any, runs: dict[str, il.Result]) -> None:
    columns = figure.subplots(3, len(runs), sharex="col").T
    for (key, angle, force), (name, result) in zip(columns, runs.items(), strict=True):
        key.plot(result.t, key_travel(result), color=KEY)
        key.set_title(name, fontsize=10)
        key.set_ylabel("key front [mm]")
        angle.plot(result.t, np.degrees(result["hammer.q"]), color=HAMMER)
        for row in beginnings(result["string.force"]):
            angle.axvline(result.t[row], color="black", linewidth=0.7, linestyle=":")
        angle.set_ylabel("hammer [degrees]")
        force.plot(result.t, result["capstan.force"], color=CAPSTAN, linewidth=0.9)
        force.set_ylim(0.0, 22.0)
        force.set_ylabel("capstan [N]")
        force.set_xlabel("t [s]")
        for axes in (key, angle, force):
            axes.grid(True, color="#e6e6e6", linewidth=0.6)
            axes.margins(x=0.0)


DOUBLE_BLOW = Experiment(
    "slow and fast double blow: hammer angle and capstan force", _run, fixed_length=True
)
