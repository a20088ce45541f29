"""`plant.gradient`: derivatives of one figure of a run by any number of quantities.

The run once, then backwards through its steps: the cost does not depend on how many parameters
there are. Stages of all steps are kept where they fit into memory; of a longer run states are kept
as checkpoints, and each piece between two of them is run once more when its turn comes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.variation.backward_system import BackwardSystem
from inloop.plant.variation.code import LANES
from inloop.plant.variation.names import refuse_rough, roles_of
from inloop.plant.variation.varied_system import Tableau, VariedSystem
from inloop.simulate.inputs import Inputs, read_inputs
from inloop.simulate.results.result import Result
from inloop.simulate.schedules import fixed
from inloop.simulate.sensitivities.directions import (
    Directions,
    read_directions,
    start_changes,
    start_names,
)
from inloop.simulate.sensitivities.forward import (
    RunArguments,
    groups,
    kept_values,
    refuse_steps,
    with_note,
)
from inloop.simulate.sensitivities.smooth_run import TABLEAUS
from inloop.simulate.start import first_internal_states, vector

MOST_KEPT = 4_000_000  # numbers of stages that are in memory at a time

Weights = Mapping[str, Array]
Loss = Weights | Callable[[Result], tuple[float, Weights]]


@dataclass(frozen=True)
class Gradient:
    """A figure of a run, and its derivatives.

    Attributes:
        value: the figure.
        by: what it was differentiated by.
        values: its derivatives, in this order.
        result: the run.
    """

    value: float
    by: tuple[str, ...]
    values: Array
    result: Result

    def __getitem__(self, name: str) -> float:
        """The derivative by one quantity."""
        if name not in self.by:
            raise InputError(f"there is no derivative by '{name}'", fix=name_hint(name, self.by))
        return float(self.values[self.by.index(name)])


def squared_error(result: Result, recorded: Weights) -> tuple[float, dict[str, Array]]:
    """Σ (signal - recorded)² over all samples, and its derivatives by the samples of the signals.

    Raises:
        InputError: a recording has another number of samples.
    """
    total, weights = 0.0, {}
    for name, wanted in recorded.items():
        signal, told = result[name], np.asarray(wanted, dtype=np.float64)
        if signal.shape != told.shape or not np.all(np.isfinite(told)):
            raise InputError(
                f"'{name}' has {len(signal)} samples, its recording shape {told.shape}",
                fix="Give one finite number for each sample of the run; see sample=.",
            )
        total += float(np.sum((signal - told) ** 2))
        weights[name] = 2.0 * (signal - told)
    return total, weights


def gradient_of(
    plant: BarePlant,
    result: Result,
    loss: Loss,
    names: Sequence[str],
    arguments: RunArguments,
) -> Gradient:
    """Derivatives of a figure of a run.

    Args:
        plant: the compiled mechanism.
        result: of the run.
        loss: by signal, recorded samples: the figure is the sum of squares of what differs; or a
            function of the result that returns the figure and, by signal, its derivatives by the
            samples.
        names: what to differentiate by, as for `sensitivities`.
        arguments: what the run was given.
    """
    _refuse(plant)
    refuse_steps(plant, result, arguments)
    directions = read_directions(plant, names, start_names(plant))
    value, weights = loss(result) if callable(loss) else squared_error(result, loss)
    table = _weights_of(result, weights)
    roles = roles_of(plant, result.partitions[0] if result.partitions else None)
    system = BackwardSystem.backward(plant, roles, directions.varied, list(weights))
    inputs = read_inputs(plant, arguments.inputs or {})
    tau = vector(plant, arguments.tau, [0.0] * plant.n, "tau")
    z = first_internal_states(plant, inputs.at(0.0))
    start = system.packed(result.q[0], result.qd[0], z)
    back = _WayBack(system, result.method, arguments, inputs, tau)
    owed_by_start, owed = back.go(start, table)
    found = np.zeros(len(directions.names))
    for k, name in enumerate(directions.varied):
        found[directions.names.index(name)] = owed[k]
    found += _start_slopes(plant, result, directions, arguments, (inputs, tau), start).T @ (
        owed_by_start
    )
    told = with_note(result, system.code.switches)
    return Gradient(float(value), directions.names, found, told)


def _refuse(plant: BarePlant) -> None:
    refuse_rough(plant)
    why = "has modes" if plant.by_mode else "has ball joints" if plant.mechanism.attitudes else ""
    if why:
        raise InputError(
            f"model '{plant.name}' {why}: a gradient backwards through its run is not available",
            fix="Use simulate(..., sensitivities=[...]), which goes forwards.",
        )


def _weights_of(result: Result, weights: Weights) -> Array:
    """Weights of all signals of the loss, shape (samples, signals)."""
    columns = []
    for name, told in weights.items():
        column = np.asarray(told, dtype=np.float64)
        if column.shape != result.t.shape or not np.all(np.isfinite(column)):
            raise InputError(
                f"the loss gives derivatives by '{name}' of shape {column.shape}",
                fix=f"Give one finite number for each of the {len(result.t)} samples.",
            )
        columns.append(column)
    if not columns:
        raise InputError("the loss reads no signal", fix="Give at least one.")
    return np.column_stack(columns)


def _start_slopes(
    plant: BarePlant, result: Result, directions: Directions, arguments: RunArguments,
    given: tuple[Inputs, Array], start: tuple[Array, Array],
) -> Array:  # fmt: skip
    """dx at the start by all quantities, shape (states, names)."""
    inputs, tau = given
    at, kept = (0.0, inputs.at(0.0), tau), kept_values(plant, arguments)
    roles = roles_of(plant, result.partitions[0] if result.partitions else None)
    columns = []
    for group in groups(directions, LANES[-1]):
        system = VariedSystem.forward(plant, roles, group.varied, len(group.names))
        columns.append(start_changes(system, group, at, start, kept, group.of_varied()))
    return np.concatenate(columns, axis=1)


class _WayBack:
    """Through the steps of a run, from its end to its start."""

    def __init__(
        self, system: BackwardSystem, method: str, arguments: RunArguments, inputs: Inputs,
        tau: Array,
    ) -> None:  # fmt: skip
        self._system, self._inputs, self._tau = system, inputs, tau
        self._tableau: Tableau = TABLEAUS[method]
        self._schedule = fixed(arguments.t_end, arguments.step, method, arguments.sample)
        per_step = len(self._tableau.times) * max(1, len(system.code.states))
        self._block = max(1, MOST_KEPT // per_step)

    def go(self, start: tuple[Array, Array], table: Array) -> tuple[Array, Array]:
        """What the loss owes to the state at the start, and to what is varied."""
        steps, h = self._schedule.steps, self._schedule.step
        edges = [*range(0, steps, self._block), steps]
        begins = self._checkpoints(start, edges)
        pieces = [(*edge, begin) for edge, begin in zip(pairwise(edges), begins, strict=True)]
        weights = np.zeros(len(self._system.code.states))
        owed = np.zeros(len(self._system.code.varied))
        for first, last, begin in reversed(pieces):
            times = (first * h, h, last - first)
            u = self._inputs_of(times)
            stages, states = self._system.stages_of(self._tableau, times, u, self._tau, begin)
            told, more = self._told(first, last, states, table)
            weights, found = self._system.back(
                self._tableau, times, u, self._tau, stages, told, weights
            )
            owed += found + more
            if first == 0:
                weights = weights + told[0]
        return weights, owed

    def _checkpoints(
        self, start: tuple[Array, Array], edges: Sequence[int]
    ) -> list[tuple[Array, Array]]:
        """States at the begin of each piece."""
        found, h = [start], self._schedule.step
        for first, last in pairwise(edges[:-1]):
            times = (first * h, h, last - first)
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
        self, first: int, last: int, states: tuple[Array, Array], table: Array
    ) -> tuple[Array, Array]:
        """Weights that the samples of a piece bring in, by state, and what is owed at once."""
        stride, steps, h = self._schedule.stride, self._schedule.steps, self._schedule.step
        told = np.zeros((last - first + 1, len(self._system.code.states)))
        # a sample at an edge belongs to the piece before it, but for that of the start
        numbers = [k for k in range(first, last + 1) if k % stride == 0 or k == steps]
        numbers = [k for k in numbers if k > first or k == 0]
        rows = [k // stride if k % stride == 0 else len(table) - 1 for k in numbers]
        if not numbers:
            return told, np.zeros(len(self._system.code.varied))
        places = [k - first for k in numbers]
        t = h * np.array(numbers, dtype=np.float64)
        constant = self._inputs.function is None
        u = self._inputs.constant if constant else self._inputs.over(t)
        here = states[0][places], states[1][places]
        found, owed = self._system.pull_signals(t, u, self._tau, here, table[rows])
        told[places] = found
        return told, owed
