"""Force over travel of the key front at 10 mm/s, as measured on a Renner action.

The makers of the haptic piano key of UCLouvain (Timmermans, Dehez and Fisette, Machines 8(4):76,
2020, and later) press a key with a linear motor at 10 mm/s over one dip of 9.5 mm and find four
phases: the action is lifted (A), the damper as well (B), the jack is tripped (C, between 8 and
9 mm), the key meets its bed (D). Without the damper the force is lower; a higher let-off button
makes the escapement harder; a heavier hammer increases the force up to the key bottom.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.piano.experiments.motion import (
    SETTLED,
    key_force,
    key_travel,
    moved,
    ramps,
    turned,
)

SPEED = 10e-3  # [m/s]
DIP = 9.5e-3  # [m]
PEDAL = {"damper_gap": 15e-3}
PANELS: dict[str, dict[str, dict[str, float]]] = {
    "damper": {"with damper": {}, "without damper": PEDAL},
    "let-off button": {"0.5 mm lower": {"let_off": -0.5e-3}, "normal": {},
                       "0.5 mm higher": {"let_off": 0.5e-3}},
    "hammer": {"3 g lighter": {"hammer_mass": -3e-3}, "normal": {}, "3 g heavier":
               {"hammer_mass": 3e-3}, "6 g heavier": {"hammer_mass": 6e-3}},
}  # fmt: skip
COLORS = ("#1f5fa8", "#d1651a", "#3a8f4d", "#7b4fa3")
PHASES = {"A": (0.0, 4.7), "B": (4.7, 7.4), "C": (7.4, 9.1), "D": (9.1, 9.5)}  # [mm]


class Curve:
    """Force at the key front and at the capstan over travel.

    Attributes:
        s: travel [mm].
        F: force at the key front [N].
        capstan: force at the capstan [N].
        gap: distance from hammer to string [mm].
    """

    def __init__(self, result: il.Result) -> None:
        rows = result.t > SETTLED
        self.s, self.F = key_travel(result)[rows], key_force(result)[rows]
        self.capstan = result["capstan.force"][rows]
        self.gap = 1e3 * result["string.gap"][rows]

    def mean(self, low: float, high: float) -> float:
        """Mean force at the key front between two travels [mm]."""
        return float(self.F[(self.s > low) & (self.s < high)].mean())

    @property
    def bump(self) -> tuple[float, float]:
        """Travel [mm] and force [N] of the maximum before the key meets its bed."""
        there = (self.s > 7.0) & (self.s < 9.1)
        best = int(np.argmax(self.F[there]))
        return float(self.s[there][best]), float(self.F[there][best])


def pressed(plant: il.Plant, **dials: float) -> Curve:
    """Press the key at 10 mm/s with other dials; `hammer_mass` is relative to the current one."""
    if "hammer_mass" in dials:
        dials["hammer_mass"] += plant.parameters["hammer_mass"]
    with turned(plant, **dials):
        seconds = SETTLED + DIP / SPEED
        corners = ((SETTLED, 0.0), (seconds, DIP))
        return Curve(moved(plant, lambda t: ramps(t, corners), seconds))


def weights(plant: il.Plant) -> tuple[float, float]:
    """Down-weight and up-weight [N]: mean forces between 1 and 6 mm at 5 mm/s, pedal down."""
    down, rest = 6.5e-3, 0.3
    time = down / 5e-3
    times = np.cumsum([SETTLED, time, rest, time])
    corners = tuple(zip(times, (0.0, down, down, 0.0), strict=True))
    with turned(plant, **PEDAL):
        result = moved(plant, lambda t: ramps(t, corners), float(times[-1]))
    s, F, speed = key_travel(result), key_force(result), result["key.qd"]
    inside = (s > 1.0) & (s < 6.0)
    return float(F[inside & (speed > 0.0)].mean()), float(F[inside & (speed < 0.0)].mean())


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(finger=False)
    known = functools.cache(lambda *dials: pressed(plant, **dict(dials)))
    curves = {
        panel: {name: known(*dials.items()) for name, dials in cases.items()}
        for panel, cases in PANELS.items()
    }
    normal = curves["damper"]["with damper"]
    at, high = normal.bump
    down, up = weights(plant)
    figures = {
        "escapement at [mm]": at,
        "escapement force [N]": high,
        "hammer let off below the string [mm]": float(normal.gap[normal.s < 9.1].min()),
        "down-weight [N]": down,
        "up-weight [N]": up,
        "capstan, 2 to 7 mm [N]": float(normal.capstan[(normal.s > 2.0) & (normal.s < 7.0)].mean()),
        "capstan, key down [N]": float(normal.capstan[-1]),
    }
    for panel, span in (("damper", (5.0, 7.0)), ("let-off button", (8.0, 9.0)),
                        ("hammer", (1.0, 9.0))):  # fmt: skip
        for name, curve in curves[panel].items():
            figures[f"{panel}, {name}: {span[0]:g} to {span[1]:g} mm [N]"] = curve.mean(*span)
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, curves),
        size=(12.0, 4.4),
        notes=(
            "with the button 0.5 mm higher the hammer is pressed against the string: "
            "0.5 mm at the button are 3 mm at the hammer",
        ),
    )


def _draw(figure: Any, curves: dict[str, dict[str, Curve]]) -> None:
    panels = figure.subplots(1, len(curves), sharey=True)
    for axes, (panel, cases) in zip(panels, curves.items(), strict=True):
        for color, (name, curve) in zip(COLORS, cases.items(), strict=False):
            axes.plot(curve.s, curve.F, color=color, label=name)
        for k, (phase, (low, high)) in enumerate(PHASES.items()):
            axes.axvspan(low, high, color="#f0f0f0" if k % 2 else "white", zorder=0)
            axes.text(0.5 * (low + high), 5.7, phase, ha="center", weight="bold", color="#555555")
        axes.set_title(panel, fontsize=10)
        axes.set_xlabel("travel of the key front [mm]")
        axes.set_xlim(0.0, 9.5)
        axes.set_ylim(0.0, 6.0)
        axes.legend(loc="upper left", bbox_to_anchor=(0.0, 0.93), fontsize=8)
        axes.grid(True, color="#e6e6e6", linewidth=0.6)
    panels[0].set_ylabel("force at the key front [N]")


FORCE = Experiment(
    "force over travel at 10 mm/s: damper, let-off button, hammer mass", _run, fixed_length=True
)
