"""Backwards through equal steps of a run.

Stages of all steps are kept where they fit into memory; of a longer way states are kept as
checkpoints, and each piece between two of them is run once more when its turn comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from inloop.plant import Array
from inloop.plant.variation.backward_system import BackwardSystem
from inloop.plant.variation.varied_system import Tableau
from inloop.simulate.inputs import Inputs
from inloop.simulate.sensitivities.smooth_run import Leg

MOST_KEPT = 4_000_000  # numbers of stages that are in memory at a time

Passed = Sequence[tuple[list[int], Array]]


@dataclass(frozen=True)
class Owed:
    """Derivatives of the figure of a run, collected on the way back.

    Attributes:
        state: by the state where the way back has come to.
        varied: by what is varied.
    """

    state: Array
    varied: Array


class WayBack:
    """Through legs of a run in one mode, each from its end to its start.

    Attributes:
        passed: rows of samples that were passed, and their x, piece by piece.
    """

    def __init__(
        self, system: BackwardSystem, tableau: Tableau, inputs: Inputs, tau: Array, table: Array
    ) -> None:
        """See what was run, and what is to be differentiated.

        Args:
            system: the equations.
            tableau: the method.
            inputs: over time.
            tau: efforts of the joints.
            table: weights of the signals that the system knows, shape (samples, signals).
        """
        self._system, self._tableau = system, tableau
        self._inputs, self._tau, self._table = inputs, tau, table
        self.passed: list[tuple[list[int], Array]] = []
        per_step = len(tableau.times) * max(1, len(system.code.states))
        self._block = max(1, MOST_KEPT // per_step)

    def nothing(self) -> Owed:
        """What is owed at the end of a run, before its last sample."""
        code = self._system.code
        return Owed(np.zeros(len(code.states)), np.zeros(len(code.varied)))

    def leg(
        self, leg: Leg, start: tuple[Array, Array], samples: Mapping[int, int], owed: Owed
    ) -> Owed:
        """From after some steps to before them.

        Args:
            leg: the steps.
            start: x and dependent coordinates before them.
            samples: by number of a step, the row of the sample after it.
            owed: after the steps, without their samples.
        """
        edges = [*range(0, leg.steps, self._block), leg.steps]
        begins = self._checkpoints(leg, start, edges)
        pieces = [(*edge, begin) for edge, begin in zip(pairwise(edges), begins, strict=True)]
        for first, last, begin in reversed(pieces):
            times = (leg.t + first * leg.h, leg.h, last - first)
            u = self._inputs_of(times)
            passed = self._system.stages_of(self._tableau, times, u, self._tau, begin)
            here = {k - first: row for k, row in samples.items() if first < k <= last}
            told, more = self._told(times, here, passed[1])
            state, found = self._system.back(
                self._tableau, times, u, self._tau, passed, told, owed.state
            )
            owed = Owed(state, owed.varied + found + more)
        return owed

    def sample(self, t: float, state: tuple[Array, Array], row: int, owed: Owed) -> Owed:
        """With what a sample at a state adds, that of the start of a run."""
        told, more = self._told((t, 0.0, 0), {0: row}, (state[0][None], state[1][None]))
        return Owed(owed.state + told[0], owed.varied + more)

    def _checkpoints(
        self, leg: Leg, start: tuple[Array, Array], edges: Sequence[int]
    ) -> list[tuple[Array, Array]]:
        """States at the begin of each piece."""
        found = [start]
        for first, last in pairwise(edges[:-1]):
            times = (leg.t + first * leg.h, leg.h, last - first)
            x, dep = self._system.states_of(
                self._tableau, (*times, last - first), self._inputs_of(times), self._tau, found[-1]
            )
            found.append((x[-1], dep[-1]))
        return found

    def _inputs_of(self, times: tuple[float, float, int]) -> Array:
        if self._inputs.function is None:
            return self._inputs.constant
        begin, h, steps = times
        when = begin + h * (np.arange(steps)[:, None] + self._tableau.times)
        return self._inputs.over(when.ravel()).reshape(*when.shape, -1)

    def _told(
        self, times: tuple[float, float, int], samples: Mapping[int, int],
        states: tuple[Array, Array],
    ) -> tuple[Array, Array]:  # fmt: skip
        """Weights that samples bring in, by state, and what is owed at once by what is varied."""
        code = self._system.code
        told, none = np.zeros((times[2] + 1, len(code.states))), np.zeros(len(code.varied))
        places, rows = list(samples), list(samples.values())
        self.passed.append((rows, states[0][places]))
        if not samples or not self._table.shape[1]:
            return told, none
        t = times[0] + times[1] * np.array(places, dtype=np.float64)
        constant = self._inputs.function is None
        u = self._inputs.constant if constant else self._inputs.over(t)
        here = states[0][places], states[1][places]
        found, owed = self._system.pull_signals(t, u, self._tau, here, self._table[rows])
        told[places] = found
        return told, owed
