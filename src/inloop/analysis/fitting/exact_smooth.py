"""Segments of a plant without modes, integrated again with derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.analysis.fitting.exact_reading import Reading
from inloop.analysis.fitting.not_exact import NotExactError
from inloop.analysis.fitting.segments import Segment
from inloop.analysis.fitting.shooting import Shooting
from inloop.plant import Array
from inloop.plant.variation.code import VariationCode
from inloop.plant.variation.names import refuse_rough, roles_of
from inloop.plant.variation.varied_system import VariedSystem
from inloop.simulate.sensitivities.smooth_run import TABLEAUS

Start = tuple[Array, Array, Array]  # q, qd, and the state of the node


class SmoothSegments:
    """All segments of a shooting."""

    def __init__(self, shooting: Shooting, directions: int) -> None:
        """Derive and compile the sensitivities.

        Args:
            shooting: the segments.
            directions: maximum number of columns of derivatives in one pass.

        Raises:
            NotExactError: exact derivatives are not available.
            InputError, BuildError: likewise.
        """
        plant = shooting.plant
        refuse_rough(plant)
        self._shooting = shooting
        self._system = VariedSystem.forward(
            plant, roles_of(plant), shooting.unknowns.names, directions
        )
        refuse_jumps(self._system.code)
        self._states = [self._system.code.states.index(name) for name in shooting.columns]
        self.observed = self._system.code.observed

    def at(self, number: int, start: Start) -> SmoothSegment:
        """One segment, from its initial state."""
        return SmoothSegment(self._system, self._shooting, number, start, self._states)


def refuse_jumps(code: VariationCode) -> None:
    """Reject forces that may jump: they have no derivatives.

    Raises:
        NotExactError: a force may jump.
    """
    if code.switches:
        raise NotExactError(f"forces of {', '.join(code.switches[:3])} may jump")


class SmoothSegment:
    """One segment with its inputs, from its initial state.

    Inputs are constant over blocks of equal length, one or several per period.
    """

    def __init__(
        self,
        system: VariedSystem,
        shooting: Shooting,
        number: int,
        start: tuple[Array, Array, Array],
        states: Sequence[int],
    ) -> None:
        self._system, self._shooting, self._states = system, shooting, states
        self._segment: Segment = shooting.segments[number]
        self._begin = shooting.step_size * float(shooting.begins[number])
        q, qd, node = start
        self._origin, self._node = shooting.origins[number], node
        self._start = system.packed(q, qd, node[2 * len(shooting.places) :])
        acting = shooting.acting[number, : self._segment.length]
        self._parts, names = acting.shape[1], shooting.inputs
        self._block = shooting.steps.per_period // self._parts  # steps per block
        places = [names.index(name) for name in shooting.plant.inputs]
        self._u = acting.reshape(-1, len(names))[:, places]
        self._tau = shooting.efforts(number)

    def vary(self, group: Sequence[int]) -> tuple[Array, Array, Array]:
        """Outputs at the periods, their derivatives, and those of the state at the handover.

        Args:
            group: columns of parameters and entries of the initial state that share a pass.

        Returns:
            Shapes (periods + 1, channels), (periods + 1, channels, group), (state size, group).
        """
        s = self._shooting
        count, parameters = len(s.unknowns), len(s.unknowns.names)
        dg, dx = np.zeros((parameters, len(group))), np.zeros((len(self._start[0]), len(group)))
        for i, column in enumerate(group):
            if column < count:
                dg[column, i] = 1.0
            else:
                dx[self._states[column - count], i] = 1.0
        self._turn(dx)
        y, dy, changes = self._run(dx, dg)
        every = slice(None, None, self._parts)
        handover = self._parts * (self._segment.handover or 0)
        u = np.vstack([self._u[:1], self._u])[every]
        t = np.asarray(self._begin + s.period * np.arange(len(u)), np.float64)
        read = Reading(self._system, s, t, (y[every], dy[every]), u)
        return *read.outputs(group), changes[handover][self._states]

    def _turn(self, dx: Array) -> None:
        """Turn quaternions, the last states, by the initial coordinates of their ball joints.

        In the run itself these coordinates count turns, from 0.
        """
        plant, n = self._system.plant, self._system.plant.n
        if plant.nq == n:
            return
        motions = dx[self._states[:n]].T
        rates = plant.configuration.placed_rates(self._origin, self._node[:n], motions)
        dx[len(dx) + n - plant.nq :] = rates[:, n:].T
        for each in plant.mechanism.attitudes:
            dx[[self._states[k] for k in each.bodies]] = 0.0

    def _run(self, dx: Array, dg: Array) -> tuple[Array, Array, Array]:
        """Observed signals at the ends of blocks, their derivatives, and those of x."""
        s, h = self._shooting, self._shooting.step_size
        tableau, steps = TABLEAUS[s.method], len(self._u) * self._block
        held = np.repeat(self._u, self._block, axis=0)[:, None, :]
        stages = np.broadcast_to(held, (steps, len(tableau.times), self._u.shape[1]))
        efforts = np.repeat(self._tau, self._block, axis=0)
        states = self._system.run(
            tableau, (self._begin, h, steps, self._block), stages, efforts, (*self._start, dx), dg
        )
        # a sample is read with the inputs that led to it
        u, tau = (np.vstack([rows[:1], rows]) for rows in (self._u, self._tau))
        t = self._begin + h * self._block * np.arange(len(self._u) + 1)
        return *self._system.observe_samples(t, u, tau, states, dg), states.dx
