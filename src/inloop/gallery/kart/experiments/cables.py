"""The hand turns back and forth: backlash and friction of the cables between hand and wheels.

By hand: when the hand reverses, nothing happens until one cable has gone slack, the slack of both
is taken up, and the other one is stretched enough to overcome friction. Without side forces the
tension that moves the column is T = F / (1 - w), with the friction F of unloaded cables and w per
tension, and the hand turns by 2 (slack + T / k) / r.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.kart import data
from inloop.gallery.kart.experiments.plots import BLUE, GRAY, GREEN, ORANGE, dress

PERIOD, SWING = 4.0, 0.5  # of the hand [s], [rad]
SECONDS = 8.0
SETTINGS: dict[str, dict[str, float]] = {
    "as built": {},
    "no slack": {"slack": 0.0},
    "no friction": {"sheath": 0.0, "wrap": 0.0},
}


def to_and_fro(plant: il.Plant, seconds: float = SECONDS, **settings: float) -> il.Result:
    """A run with a slow oscillation of the hand; without trail, tyres do not load the column."""
    before = dict(plant.parameters)
    plant.parameters.update({"trail": 0.0, **settings})
    try:
        return plant.simulate(
            t_end=seconds, step=1e-3, method="rk4", sample=5e-3,
            inputs={"hand.q": lambda t: SWING * il.sin(2.0 * math.pi / PERIOD * t)},
        )  # fmt: skip
    finally:
        plant.parameters.update(before)


def lost_motion(run: il.Result) -> float:
    """Difference of the hand angles, turning back and forth, at wheels straight ahead [rad]."""
    hand, steer = np.asarray(run["hand.q"]), np.asarray(run["steer.q"])
    last = run.t > run.t[-1] - PERIOD
    hand, steer = hand[last], steer[last]
    crossings = np.flatnonzero(np.diff(np.sign(steer)) != 0)
    if len(crossings) < 2:
        raise il.InputError("the run is too short", fix=f"Give more than {PERIOD:g} s.")
    at = [np.interp(0.0, *_increasing(steer[k : k + 2], hand[k : k + 2])) for k in crossings[:2]]
    return float(abs(at[1] - at[0]))


def _increasing(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(x)
    return x[order], y[order]


def by_hand(slack: float, sheath: float, wrap: float, stiffness: float) -> float:
    """Lost motion of the hand [rad]; see above."""
    return 2.0 * (slack + sheath / (1.0 - wrap) / stiffness) / data.HAND_DRUM


def expected(plant: il.Plant, **settings: float) -> float:
    """Lost motion by hand for the parameters of a plant [rad]."""
    names = ("slack", "sheath", "wrap", "cable_stiffness")
    return by_hand(*({**plant.parameters, **settings}[name] for name in names))


def _run(bench: Bench) -> Outcome:
    plant, seconds = bench.compile(), bench.seconds or SECONDS
    runs = {name: to_and_fro(plant, seconds, **own) for name, own in SETTINGS.items()}
    figures: dict[str, float | tuple[float, ...]] = {}
    for name, run in runs.items():
        figures[f"{name}: lost motion of the hand [deg]"] = math.degrees(lost_motion(run))
        figures[f"{name}: by hand [deg]"] = math.degrees(expected(plant, **SETTINGS[name]))
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, runs),
        size=(9.0, 4.6),
        notes=(
            "trail 0: tyres do not load the column",
            "without friction the column coasts while the slack is taken up",
        ),
    )


def _draw(figure: Any, runs: dict[str, il.Result]) -> None:
    loops, tension = figure.subplots(1, 2)
    for (name, run), color in zip(runs.items(), (BLUE, ORANGE, GREEN), strict=True):
        last = run.t > run.t[-1] - PERIOD
        loops.plot(np.degrees(run["hand.q"][last]), np.degrees(run["steer.q"][last]), color=color,
                   label=name)  # fmt: skip
    run = runs["as built"]
    last = run.t > run.t[-1] - PERIOD
    tension.plot(run.t[last], run["cables.left"][last], color=BLUE, label="left cable")
    tension.plot(run.t[last], run["cables.right"][last], color=ORANGE, label="right cable")
    tension.axhline(0.0, color=GRAY, linewidth=0.8)
    loops.legend(fontsize=9)
    tension.legend(fontsize=9)
    dress(loops, "hand wheel [deg]", "front wheels [deg]")
    dress(tension, "t [s]", "tension [N]")


CABLES = Experiment("hand back and forth: backlash and friction of the cables", _run)
