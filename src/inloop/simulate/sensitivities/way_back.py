"""Backward pass through equal steps of a run.

Stages of all steps are kept if they fit into memory; for longer runs, states are kept as
checkpoints, and each piece between two of them is repeated when it is needed.
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

MOST_KEPT = 4_000_000  # numbers in the stages kept in memory at a time

Passed = Sequence[tuple[list[int], Array]]


@dataclass(frozen=True)
class Owed:
    """Adjoints: derivatives of the figure of a run, accumulated in the backward pass.

    Attributes:
        state: by the state that the pass has reached.
        varied: by the varied quantities.
    """

    state: Array
    varied: Array


class WayBack:
    """Backward pass through legs of a run in one mode, each from its end to its start.

    Attributes:
        passed: rows of the samples passed, and their x, piece by piece.
    """

    def __init__(
        self, system: BackwardSystem, tableau: Tableau, inputs: Inputs, tau: Array, table: Array
    ) -> None:
        """Prepare a backward pass.

        Args:
            system: the equations.
            tableau: the method.
            inputs: over time.
            tau: efforts of the joints.
            table: weights of the signals of the system, shape (samples, signals).
        """
        self._system, self._tableau = system, tableau
        self._inputs, self._tau, self._table = inputs, tau, table
        self.passed: list[tuple[list[int], Array]] = []
        per_step = len(tableau.times) * max(1, len(system.code.states))
        self._block = max(1, MOST_KEPT // per_step)

    def nothing(self) -> Owed:
        """Adjoints at the end of a run, without its last sample: zero."""
        code = self._system.code
        return Owed(np.zeros(len(code.states)), np.zeros(len(code.varied)))

    def leg(
        self, leg: Leg, start: tuple[Array, Array], samples: Mapping[int, int], owed: Owed
    ) -> Owed:
        """Adjoints before the steps of a leg.

        Args:
            leg: the steps.
            start: x and dependent coordinates before them.
            samples: row of the sample after a step, by number of the step.
            owed: adjoints after the steps, without their samples.
        """
        edges = [*range(0, leg.steps, self._block), leg.steps]
        begins = self._checkpoints(leg, start, edges)
        pieces = [(*edge, begin) for edge, begin in zip(pairwise(edges), begins, strict=True)]
        for first, last, begin in reversed(pieces):
            times = (leg.t + first * leg.h, leg.h, last - first)
            u = self._inputs_of(times)
            passed = self._system.stages_of(self._tableau, times, u, self._tau, begin)
            here = {k - first: row for k, row in samples.items() if first < k <= last}
            by_state, more = self._sample_adjoints(times, here, passed[1])
            state, by_varied = self._system.back(
                self._tableau, times, u, self._tau, passed, by_state, owed.state
            )
            owed = Owed(state, owed.varied + by_varied + more)
        return owed

    def sample(self, t: float, state: tuple[Array, Array], row: int, owed: Owed) -> Owed:
        """Adjoints with the contribution of a sample at a state, such as the start of a run."""
        by_state, more = self._sample_adjoints(
            (t, 0.0, 0), {0: row}, (state[0][None], state[1][None])
        )
        return Owed(owed.state + by_state[0], owed.varied + more)

    def _checkpoints(
        self, leg: Leg, start: tuple[Array, Array], edges: Sequence[int]
    ) -> list[tuple[Array, Array]]:
        """States at the start of each piece."""
        states = [start]
        for first, last in pairwise(edges[:-1]):
            times = (leg.t + first * leg.h, leg.h, last - first)
            x, dep = self._system.states_of(
                self._tableau, (*times, last - first), self._inputs_of(times), self._tau, states[-1]
            )
            states.append((x[-1], dep[-1]))
        return states

    def _inputs_of(self, times: tuple[float, float, int]) -> Array:
        if self._inputs.function is None:
            return self._inputs.constant
        begin, h, steps = times
        when = begin + h * (np.arange(steps)[:, None] + self._tableau.times)
        return self._inputs.over(when.ravel()).reshape(*when.shape, -1)

    def _sample_adjoints(
        self, times: tuple[float, float, int], samples: Mapping[int, int],
        states: tuple[Array, Array],
    ) -> tuple[Array, Array]:  # fmt: skip
        """Contributions of samples to adjoints: states, shape (steps + 1, states), and varied."""
        code = self._system.code
        by_state, none = np.zeros((times[2] + 1, len(code.states))), np.zeros(len(code.varied))
        places, rows = list(samples), list(samples.values())
        self.passed.append((rows, states[0][places]))
        if not samples or not self._table.shape[1]:
            return by_state, none
        t = times[0] + times[1] * np.array(places, dtype=np.float64)
        constant = self._inputs.function is None
        u = self._inputs.constant if constant else self._inputs.over(t)
        here = states[0][places], states[1][places]
        pulled, owed = self._system.pull_signals(t, u, self._tau, here, self._table[rows])
        by_state[places] = pulled
        return by_state, owed
