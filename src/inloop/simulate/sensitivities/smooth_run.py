"""Derivatives of a run without events: its steps are repeated with their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import SimulationError
from inloop.plant import Array
from inloop.plant.variation.varied_system import Tableau, VariedSamples, VariedSystem
from inloop.simulate.inputs import Inputs

AT_ONCE = 4096  # steps whose inputs are in memory at a time


def _tableau(a: Sequence[Sequence[float]], b: Sequence[float], c: Sequence[float]) -> Tableau:
    whole = np.zeros((len(b), len(b)))
    for i, row in enumerate(a):
        whole[i, : len(row)] = row
    return Tableau(whole, np.array(b, float), np.array(c, float))


ROOT = np.sqrt(6.0)
# order 5, also for stiff systems: Hairer & Wanner, Solving Ordinary Differential Equations II, IV.5
RADAU = Tableau(
    np.array(
        [
            [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
            [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
            [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
        ]
    ),
    np.array([(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9]),
    np.array([(4 - ROOT) / 10, (4 + ROOT) / 10, 1.0]),
    implicit=True,
)

# weights as in il_rk4.c and il_dopri.c; linearly implicit steps are repeated by Radau's method
TABLEAUS = {
    "euler": _tableau((), (), ()),
    "rk4": _tableau(
        [[], [0.5], [0.0, 0.5], [0.0, 0.0, 1.0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6], [0, 0.5, 0.5, 1]
    ),
    "dopri": _tableau(
        [
            [],
            [1 / 5],
            [3 / 40, 9 / 40],
            [44 / 45, -56 / 15, 32 / 9],
            [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
            [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        ],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
        [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1],
    ),
    "rodas": RADAU,
    "implicit": RADAU,
}


@dataclass(frozen=True)
class Leg:
    """Equal steps of a run.

    Attributes:
        t: start [s].
        h: step [s].
        steps: number of steps.
        stride: steps between samples; the first state is one.
    """

    t: float
    h: float
    steps: int
    stride: int = 1

    @property
    def times(self) -> Array:
        """Times of the samples [s]."""
        return np.asarray(self.t + self.h * np.arange(0, self.steps + 1, self.stride))


@dataclass(frozen=True)
class Given:
    """What acts on a plant in a run.

    Attributes:
        inputs: over time.
        tau: efforts of the joints.
        dg: directions of the varied quantities, shape (varied, directions).
    """

    inputs: Inputs
    tau: Array
    dg: Array


def run_leg(
    system: VariedSystem,
    tableau: Tableau,
    leg: Leg,
    given: Given,
    start: tuple[Array, Array, Array],
) -> VariedSamples:
    """Samples of a leg, including the start.

    Args:
        system: the equations.
        tableau: the method.
        leg: its steps.
        given: what acts on the plant.
        start: x, dependent coordinates and dx.
    """
    parts: list[VariedSamples] = []
    now, done = start, 0
    # whole strides, so that samples lie at the ends of blocks
    block = max(1, AT_ONCE // leg.stride) * leg.stride
    while done < leg.steps or not parts:
        steps = min(block, leg.steps - done)
        begin = leg.t + done * leg.h
        u: Array = given.inputs.constant
        if given.inputs.function is not None:
            times = begin + leg.h * (np.arange(steps)[:, None] + tableau.times)
            u = given.inputs.over(times.ravel()).reshape(*times.shape, -1)
        samples = system.run(
            tableau, (begin, leg.h, steps, leg.stride), u, given.tau, now, given.dg
        )
        parts.append(samples if not parts else _from(samples, 1))
        now, done = (samples.x[-1], samples.dep[-1], samples.dx[-1]), done + steps
        if steps == 0:
            break
    if not np.all(np.isfinite(parts[-1].dx)):
        raise SimulationError(
            f"derivatives of model '{system.plant.name}' are not finite at t = {leg.times[-1]:g} s",
            fix="Use a shorter step or a shorter run.",
        )
    if len(parts) == 1:
        return parts[0]
    return VariedSamples(
        np.concatenate([p.x for p in parts]),
        np.concatenate([p.dep for p in parts]),
        np.concatenate([p.dx for p in parts]),
    )


def _from(samples: VariedSamples, first: int) -> VariedSamples:
    return VariedSamples(samples.x[first:], samples.dep[first:], samples.dx[first:])
