"""Drawings of a blow: six instants from rest to the return of the jack under the knuckle."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome, draw_looks
from inloop.gallery.piano.experiments.motion import DOWN, beginnings, blow, moved, release
from inloop.gallery.piano.looks import piano_looks

SECONDS = 0.7
SHOWN = (0.045, 0.245, 0.038, 0.212)  # range of the drawing: x, x, z, z [m]


def _travel(t: Any) -> Any:
    """A firm blow, held, then released to half travel."""
    return blow(t, 0.1, 0.05) + release(t, 0.4, 0.15, 0.5 * DOWN)


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(finger=False)
    result = moved(plant, _travel, SECONDS)
    rows = _instants(result)
    return Outcome(
        figures={f"{name} [s]": float(result.t[row]) for name, row in rows.items()},
        draw=lambda figure: _draw(figure, plant, result, rows),
        size=(13.0, 8.0),
        result=result,
    )


def _instants(result: il.Result) -> dict[str, int]:
    """Rows of the instants, by title."""
    strike = beginnings(result["string.force"])[0]
    tripped = result["let_off_button.force"] > 0.0
    freed = np.flatnonzero(result["back_check.force"] > 0.0)[-1]
    # the jack is back on its stop for the rest of the run
    returned = np.flatnonzero(result["jack_stop.force"] <= 0.0)[-1] + 1
    return {
        "at rest": 0,
        "button touches the jack": int(np.argmax(tripped)),
        "hammer at the string": strike,
        "hammer in the check": int(np.argmin(np.abs(result.t - 0.38))),
        "check lets go, lever lifts": int(freed),
        "jack under the knuckle again": int(min(returned, len(result.t) - 1)),
    }


def _draw(figure: Any, plant: il.Plant, result: il.Result, rows: dict[str, int]) -> None:
    for axes, (name, row) in zip(figure.subplots(2, 3).flat, rows.items(), strict=True):
        draw_looks(axes, "xz", piano_looks(), plant, result.q[row])
        axes.set_axis_off()
        axes.set_xlim(*SHOWN[:2])
        axes.set_ylim(*SHOWN[2:])
        axes.set_title(f"{name}, {1e3 * result.t[row]:.1f} ms", fontsize=10)


PHASES = Experiment(
    "drawings of a blow: trip, strike, check, lift, return", _run, fixed_length=True
)
