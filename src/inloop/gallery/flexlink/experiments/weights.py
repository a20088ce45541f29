"""Weights of the LQ controller that `il.optimise` finds for a step from 90 to 94 degrees.

The source tuned its weights by hand. Here the figure of merit is ∫ |error| dt of the angle plus
a chosen factor times ∫ |strain| dt, within the limit of the command. The plant runs with friction
and sensor noise, which has the same seed in every run, so that designs are compared under the same
conditions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.flexlink.controllers.design import PERIOD, STRAIN_GAIN, Tuning, lq
from inloop.gallery.flexlink.controllers.lq import LqController
from inloop.gallery.flexlink.controllers.signals import (
    COMMAND,
    ENCODER,
    LIMIT,
    STRAIN,
    UPRIGHT,
    Reference,
)
from inloop.gallery.flexlink.experiments.plots import BLUE, ORANGE

STEP = Reference(UPRIGHT, UPRIGHT + math.radians(4.0))
SECONDS = 3.0
BOUNDS = {"angle": (1.5, 5.5), "strain": (0.0, 8.0), "integral": (0.0, 6.0)}  # powers of ten
FIRST = {"angle": 3.0, "strain": math.log10(50.0), "integral": 2.0}  # tuning 1 of the source
VIBRATION = 0.01  # ∫ |error| dt [rad s] that counts as much as 1 V s of strain
MOST = 300


def tuning_of(powers: Mapping[str, float]) -> Tuning:
    """Weights from their powers of ten."""
    return Tuning(**{name: 10.0**power for name, power in powers.items()})


def run(plant: il.Plant, tuning: Tuning) -> il.Result:
    """The step with a controller of these weights and sensor noise."""
    law, noise = LqController(lq(tuning)), np.random.default_rng(7)
    spread = {
        ENCODER: plant.parameters["encoder_noise"],
        STRAIN: plant.parameters["strain_noise"],
    }

    def controller(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        angle, strain = (
            outputs[name] + size * float(noise.normal()) for name, size in spread.items()
        )
        return {COMMAND: law.command(angle, strain, STEP(t))}

    return plant.simulate(t_end=SECONDS, step=PERIOD, controller=controller, period=PERIOD)


def merit(result: il.Result) -> float:
    """∫ |error| dt plus the weighted vibration [rad s]."""
    error = np.abs(result[ENCODER] - np.array([STEP(t) for t in result.t]))
    vibration = VIBRATION * np.abs(result[STRAIN])
    return float(np.sum(error + vibration) * PERIOD)


def optimise_weights(plant: il.Plant, most: int = MOST) -> il.Optimised:
    """Optimize the weights, starting from those of the source."""
    return il.optimise(
        lambda powers: merit(run(plant, tuning_of(powers))),
        BOUNDS,
        first=FIRST,
        method="simplex",
        most=most,
        tolerance=1e-4,
    )


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(axial=False, start=math.degrees(UPRIGHT))
    optimum = optimise_weights(plant)
    runs = {
        "tuning 1 of the source": run(plant, tuning_of(FIRST)),
        "optimised": run(plant, tuning_of(optimum.values)),
    }
    figures: dict[str, float] = {"designs": len(optimum.history), "failed": len(optimum.failed)}
    for name, result in runs.items():
        figures |= {f"{name}: {k}": value for k, value in _figures(result).items()}
    best = tuning_of(optimum.values)
    figures |= {"weight of the angle": best.angle, "of the strain": best.strain}
    figures["of the integral"] = best.integral
    return Outcome(
        figures=figures,
        draw=lambda figure: _draw(figure, runs, optimum),
        size=(10.0, 6.4),
        notes=(
            *optimum.notes,
            f"1 V s of strain counts as much as {VIBRATION:g} rad s of error; "
            f"{STRAIN_GAIN:g} V of strain are 1 rad at mid-span",
        ),
    )


def _figures(result: il.Result) -> dict[str, float]:
    after = result.t >= STEP.at
    angle = np.degrees(result[ENCODER][after])
    error = np.abs(angle - math.degrees(STEP.second))
    late = np.flatnonzero(error > 0.05 * 4.0)
    return {
        "merit": merit(result),
        "within 5 % after [s]": float(result.t[after][late[-1]] - STEP.at) if len(late) else 0.0,
        "overshoot [deg]": float(angle.max() - math.degrees(STEP.second)),
        "strain, rms [V]": float(np.sqrt(np.mean(result[STRAIN][after] ** 2))),
        "command, largest [V]": float(np.abs(result[COMMAND]).max()),
    }


def _draw(figure: Any, runs: Mapping[str, il.Result], optimum: il.Optimised) -> None:
    axes = figure.subplots(2, 2)
    for color, (name, result) in zip((ORANGE, BLUE), runs.items(), strict=True):
        axes[0, 0].plot(result.t, np.degrees(result[ENCODER]), color=color, lw=1.2, label=name)
        axes[0, 1].plot(result.t, result[STRAIN], color=color, lw=0.9)
        axes[1, 0].plot(result.t, result[COMMAND], color=color, lw=0.9)
    merits = [each.merit for each in optimum.history]
    axes[1, 1].plot(np.arange(1, len(merits) + 1), merits, ".", color=BLUE)
    axes[1, 1].set(xlabel="design", ylabel="figure of merit", yscale="log")
    labels = ("angle [deg]", "strain [V]", f"command [V], at most {LIMIT:g}")
    for axis, label in zip((axes[0, 0], axes[0, 1], axes[1, 0]), labels, strict=True):
        axis.set(xlabel="t [s]", ylabel=label)
    axes[0, 0].legend(fontsize=9, loc="lower right")
    for axis in axes.flat:
        axis.grid(color="#d8d8d8")
    figure.suptitle("weights of the LQ controller, of the source and optimised")


WEIGHTS = Experiment(
    "LQ weights found by il.optimise for a step of 90 to 94 deg", _run, fixed_length=True
)
