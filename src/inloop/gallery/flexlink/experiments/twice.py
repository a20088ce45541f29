"""A controller run in lock-step and in real time, and the difference of both runs.

In the source, the same controller drives the real mechanism and the simulator. Here the same
program drives the plant in lock-step, where nothing is ever late, and in real time. A second run in
lock-step, with other noise of the same size, shows the effect of noise alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import inloop as il
from inloop.gallery.flexlink.controllers.signals import Reference
from inloop.gallery.flexlink.experiments.rig import Trace, figures_of, with_program

UNREADABLE = (
    "the source gives the steps (3 deg; 90 to 94 deg), the weights and the data of the plant; "
    "overshoot,\nsettling time and peak torque are in its figures only, of which the text at hand "
    "has the captions"
)


@dataclass(frozen=True)
class Twice:
    """Runs of one controller.

    Attributes:
        simulated: in lock-step.
        other_noise: in lock-step, with other noise.
        clocked: in real time.
        counts: of the encoder per turn.
    """

    simulated: Trace
    other_noise: Trace
    clocked: Trace
    counts: float

    @property
    def difference(self) -> float:
        """RMS difference of the angle between real time and lock-step [deg]."""
        return _difference(self.simulated, self.clocked)

    @property
    def noise(self) -> float:
        """RMS difference of the angle by noise alone [deg]."""
        return _difference(self.simulated, self.other_noise)


def _difference(a: Trace, b: Trace) -> float:
    n = min(len(a.t), len(b.t))
    return float(np.degrees(np.sqrt(np.mean((a.angle[:n] - b.angle[:n]) ** 2))))


def run_twice(
    plant: il.Plant, module: str, words: Sequence[str], reference: Reference, seconds: float
) -> Twice:
    """Run a controller of `inloop.gallery.flexlink.controllers` three times, see `Twice`."""
    simulated, other = (
        with_program(plant, module, [*words, "--seed", seed], reference, seconds, "lock-step")
        for seed in ("1", "2")
    )
    clocked = with_program(plant, module, words, reference, seconds)
    return Twice(simulated, other, clocked, plant.parameters["encoder_counts"])


def twice_figures(runs: Twice, reference: Reference) -> dict[str, float]:
    """Figures of the runs by name."""
    figures = dict(figures_of(runs.simulated, reference))
    clocked = figures_of(runs.clocked, reference)
    figures |= {f"clock: {name}": value for name, value in clocked.items()}
    report = runs.clocked.report
    return {
        **figures,
        "difference clock - lock-step, RMS [deg]": runs.difference,
        "difference by noise alone, RMS [deg]": runs.noise,
        "one count of the encoder [deg]": 360.0 / runs.counts,
        "overruns of the clock": float(report.overruns),
        "steps without a fresh command": float(report.stale_inputs),
    }
