"""Exact derivatives of predictions: the steps of each segment once more, with derivatives.

Up to eight unknowns share a pass through a segment. Entries of a segment's start are states of
these steps: their derivatives begin as columns of a unit matrix. Formulas of sensors are
differenced along the exact derivatives of the motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inloop.analysis.fitting.segments import Segment
from inloop.analysis.fitting.shooting import Shooting
from inloop.errors import BuildError, InputError, SimulationError
from inloop.plant import Array
from inloop.plant.readings import readings, sense_motion
from inloop.plant.trying import with_parameters
from inloop.plant.variation.code import LANES
from inloop.plant.variation.names import refuse_rough, roles_of
from inloop.plant.variation.varied_system import VariedSystem
from inloop.simulate.sensitivities.smooth_run import TABLEAUS

SAME = 1e-6  # of the motion: as far as the steps with derivatives may be from those without
PART = 1e-5  # of the size of an unknown, over which formulas of sensors are differenced


class NotExactError(Exception):
    """Exact derivatives are not available; the text says why."""


class ExactDerivatives:
    """Derivatives of what segments predict, from steps with derivatives."""

    def __init__(self, shooting: Shooting) -> None:
        """Derive and compile.

        Raises:
            NotExactError: such a plant, method or output has none.
        """
        plant = self._plant = shooting.plant
        self._shooting = shooting
        if plant.by_mode:
            raise NotExactError("the model has modes")
        # runs by implicit methods have the derivatives of their motion. Those of what a fit
        # predicts, their steps, may be other ones by far: 10 % where the runs are 1 % apart
        if shooting.method not in TABLEAUS or TABLEAUS[shooting.method].implicit:
            raise NotExactError(f"runs are integrated by '{shooting.method}'")
        columns = max(len(shooting.varied_columns(k)) for k in range(len(shooting.segments)))
        try:
            refuse_rough(plant)
            self._system = VariedSystem.forward(
                plant, roles_of(plant), shooting.unknowns.names, columns
            )
        except (InputError, BuildError) as error:
            raise NotExactError(error.mistakes[0].what) from None
        code = self._system.code
        if code.switches:
            raise NotExactError(f"forces of {', '.join(code.switches[:3])} may jump")
        self._sensed = {signal.name for signal in plant.mechanism.sensor_signals}
        for name in shooting.outputs:
            if name not in code.observed and name not in self._sensed:
                raise NotExactError(f"derivatives of '{name}' are not known")
        self._states = [code.states.index(name) for name in shooting.columns]

    def __call__(self, values: Array, nodes: Array) -> tuple[list[Array], Array]:
        """As of `Differences`.

        Raises:
            NotExactError: the steps with derivatives are not those of the run.
        """
        s = self._shooting
        late, count = s.delays(values), len(s.unknowns.names)
        seen, slopes = s.blank_derivatives()
        plain = s.simulate(s.runs_at(nodes, values))[0]
        q, qd = s.starts(values, nodes)
        with with_parameters(self._plant, s.unknowns.names, values[:count]):
            for k, segment in enumerate(s.segments):
                along = _Segment(self._system, s, k, (q[k], qd[k], nodes[k]), self._states)
                columns = s.varied_columns(k)
                for first in range(0, len(columns), LANES[-1]):
                    group = columns[first : first + LANES[-1]]
                    try:
                        y, dy, ends = along.vary(group)
                    except SimulationError as error:
                        raise NotExactError(error.mistakes[0].what) from None
                    _check_same(plain[k, : segment.length + 1], y)
                    for i, column in enumerate(group):
                        seen[k][:, :, column] = s.seen(dy[:, :, i], segment, late)
                        slopes[k, :, column] = ends[:, i]
        return seen, slopes


class _Segment:
    """One segment with the inputs that act in it, from its start on.

    Inputs are held for blocks of equal length, one or several in a period.
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
        self._start = system.packed(q, qd, node[2 * len(shooting.places) :])
        acting = shooting.acting[number, : self._segment.length]
        self._parts, names = acting.shape[1], shooting.inputs
        self._block = shooting.steps.per_period // self._parts  # steps of a block
        places = [names.index(name) for name in shooting.plant.inputs]
        self._u = acting.reshape(-1, len(names))[:, places]
        self._tau = shooting.efforts(number)

    def vary(self, group: Sequence[int]) -> tuple[Array, Array, Array]:
        """Outputs at the periods, their derivatives, and those of the state handed over.

        Args:
            group: columns of parameters and of entries of the start, as many as share a pass.

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
        y, dy, changes = self._run(dx, dg)
        every = slice(None, None, self._parts)
        handover = self._parts * (self._segment.handover or 0)
        u = np.vstack([self._u[:1], self._u])[every]
        read = _Read(self._system, s, y[every], dy[every], u, self._begin)
        return *read.outputs(group), changes[handover][self._states]

    def _run(self, dx: Array, dg: Array) -> tuple[Array, Array, Array]:
        """What is told of the motion at the ends of blocks, its derivatives, and those of x."""
        s, h = self._shooting, self._shooting.step_size
        tableau, steps = TABLEAUS[s.method], len(self._u) * self._block
        held = np.repeat(self._u, self._block, axis=0)[:, None, :]
        stages = np.broadcast_to(held, (steps, len(tableau.times), self._u.shape[1]))
        efforts = np.repeat(self._tau, self._block, axis=0)
        found = self._system.run(
            tableau, (self._begin, h, steps, self._block), stages, efforts, (*self._start, dx), dg
        )
        # a sample is read with the inputs that led to it
        u, tau = (np.vstack([rows[:1], rows]) for rows in (self._u, self._tau))
        t = self._begin + h * self._block * np.arange(len(self._u) + 1)
        return *self._system.tell(t, u, tau, found, dg), found.dx


class _Read:
    """Outputs of a plant from what is told of its motion."""

    def __init__(
        self, system: VariedSystem, shooting: Shooting, y: Array, dy: Array, u: Array, begin: float
    ) -> None:
        self._shooting, self._plant = shooting, shooting.plant
        self._y, self._dy, self._u = y, dy, u
        self._t = begin + shooting.period * np.arange(len(y))
        self._observed = {name: k for k, name in enumerate(system.code.observed)}
        self._rows = [name for name in system.code.observed if name.startswith("lam.")]

    def outputs(self, group: Sequence[int]) -> tuple[Array, Array]:
        """Values and derivatives, shapes (periods + 1, channels) and (..., group)."""
        names = self._shooting.outputs
        y = np.empty((len(self._y), len(names)))
        dy = np.empty((*y.shape, len(group)))
        sensors = [c for c, name in enumerate(names) if name not in self._observed]
        for c, name in enumerate(names):
            if c not in sensors:
                y[:, c], dy[:, c] = self._y[:, k := self._observed[name]], self._dy[:, k]
        if sensors:
            chosen = [names[c] for c in sensors]
            y[:, sensors] = self._sensed(chosen, self._y)
            for i, column in enumerate(group):
                dy[:, sensors, i] = self._difference(chosen, column, self._dy[:, :, i])
        return y, dy

    def _difference(self, names: Sequence[str], column: int, change: Array) -> Array:
        """Derivatives of formulas of sensors along one direction of motion and parameters."""
        s = self._shooting
        count, parameters = len(s.unknowns), s.unknowns.names
        is_start = column >= count
        width = PART * (s.sizes[column - count] if is_start else s.unknowns.scale[column])
        pair = []
        for sign in (-1.0, 1.0):
            moved = self._y + sign * width * change
            if is_start:
                pair.append(self._sensed(names, moved))
                continue
            name = parameters[column]
            value = self._plant.parameters[name] + sign * width
            with with_parameters(self._plant, [name], [value]):
                pair.append(self._sensed(names, moved))
        return np.asarray((pair[1] - pair[0]) / (2.0 * width))

    def _sensed(self, names: Sequence[str], y: Array) -> Array:
        """What sensors tell of rows of the motion."""
        plant, n = self._plant, self._plant.n
        z = [self._observed[state.name] for state in plant.mechanism.states]
        arrays: dict[str, Any] = {"q": y[:, :n], "qd": y[:, n : 2 * n], "t": self._t}
        arrays |= {"z": y[:, z]} if z else {}
        arrays |= {"u": self._u} if self._u.shape[1] else {}
        if sense_motion(plant):
            lam = y[:, [self._observed[name] for name in self._rows]]
            every = np.array([plant.formulation.on_all_rows(row) for row in lam])
            arrays |= {"qdd": y[:, 2 * n : 3 * n], "lam": every}
        found = readings(plant, **arrays)
        return np.stack([found[name] for name in names], axis=1)


def _check_same(plain: Array, y: Array) -> None:
    """The steps with derivatives must be those of the run.

    Raises:
        NotExactError: they are not.
    """
    size = np.abs(plain).max(axis=0).clip(1e-300)
    off = float((np.abs(y - plain) / size).max(initial=0.0))
    if not off <= SAME:
        raise NotExactError(f"steps with derivatives differ from the run by {off:.1e} of it")
