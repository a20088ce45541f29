"""Keys with other hammers, regulated until they feel like the key in the middle.

Hammers are heavier in the bass than in the treble: keys feel uneven unless each is regulated.
`il.optimise` adjusts what a technician adjusts: lead in the key, the let-off button, the spring of
the repetition lever. A key feels right if its down-weight and up-weight, and travel and force of
its escapement, are those of the key in the middle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.piano.experiments.force import Curve, pressed, weights
from inloop.gallery.piano.experiments.motion import turned

# mass of the hammer relative to that in the middle [kg]
KEYS = {"bass": 2e-3, "tenor": 1e-3, "alto": -1e-3, "treble": -2e-3}
DIALS = {"key_lead": (0.03, 0.1), "let_off": (-1.2e-3, 1.2e-3), "repetition_spring": (0.035, 0.07)}
# barely noticeable differences: weights [N], travel [mm] and force [N] of the escapement
NOTICED = np.array([0.01, 0.01, 0.05, 0.05])
COLORS = ("#1f5fa8", "#d1651a", "#3a8f4d", "#7b4fa3")
MOST = 30  # designs per key


@dataclass(frozen=True)
class Regulated:
    """A key before and after regulation.

    Attributes:
        found: optimized dials.
        before, after: force over travel.
        uneven: largest difference from the middle before and after, in units of `NOTICED`.
    """

    found: il.Optimised
    before: Curve
    after: Curve
    uneven: tuple[float, float]


def feel(plant: il.Plant) -> np.ndarray:
    """Down-weight and up-weight [N], travel [mm] and force [N] of the escapement."""
    return np.array([*weights(plant), *pressed(plant).bump])


def regulate(plant: il.Plant, hammer: float, wanted: np.ndarray, most: int = MOST) -> Regulated:
    """Regulate one key.

    Args:
        plant: the action without a finger.
        hammer: mass of its hammer relative to that in the middle [kg].
        wanted: desired `feel`.
        most: maximum number of designs.
    """
    mass = plant.parameters["hammer_mass"] + hammer

    def difference(key: il.Plant) -> np.ndarray:
        return np.asarray((feel(key) - wanted) / NOTICED)

    with turned(plant, hammer_mass=mass):
        before, first = pressed(plant), difference(plant)
        found = il.optimise(difference, DIALS, plant=plant, most=most, tolerance=1e-3)
        with turned(plant, **found.values):
            after, last = pressed(plant), difference(plant)
    return Regulated(found, before, after, (np.abs(first).max(), np.abs(last).max()))


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(finger=False)
    middle, wanted = pressed(plant), feel(plant)
    keys = {name: regulate(plant, mass, wanted) for name, mass in KEYS.items()}
    figures: dict[str, float] = {}
    for name, key in keys.items():
        figures[f"{name}: uneven before"], figures[f"{name}: after"] = key.uneven
        for dial, value in key.found.values.items():
            figures[f"{name}: {dial}"] = value
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, middle, keys),
        size=(10.0, 4.6),
        notes=(
            "uneven: the largest difference from the key in the middle; 1 is one of 0.01 N in "
            "weights, 0.05 mm or 0.05 N at the escapement",
        ),
    )


def _draw(figure: Any, middle: Curve, keys: Mapping[str, Regulated]) -> None:
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    for axis, moment in zip(axes, ("before", "after"), strict=True):
        axis.plot(middle.s, middle.F, color="#333333", lw=2.0, label="middle")
        for color, (name, key) in zip(COLORS, keys.items(), strict=True):
            curve = getattr(key, moment)
            axis.plot(curve.s, curve.F, color=color, lw=1.0, label=name)
        axis.set(title=moment, xlabel="travel of the key front [mm]", ylim=(0.0, 3.0))
        axis.grid(color="#d8d8d8")
    axes[0].set_ylabel("force [N]")
    axes[0].legend(fontsize=9)
    figure.suptitle("keys with hammers of other weights, regulated to feel alike")


REGULATION = Experiment(
    "keys with other hammers, regulated by il.optimise to feel alike", _run, fixed_length=True
)
