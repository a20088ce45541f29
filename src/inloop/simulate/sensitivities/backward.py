"""`plant.gradient`: derivatives of one figure of a run with respect to any number of quantities.

The run is repeated once, then traversed backwards through its steps and events: the cost does not
depend on the number of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import real, reals
from inloop.plant.variation.backward_system import BackwardSystem
from inloop.plant.variation.code import LANES
from inloop.plant.variation.names import refuse_rough, roles_of
from inloop.plant.variation.varied_system import VariedSystem
from inloop.simulate.inputs import read_inputs
from inloop.simulate.results.result import Result
from inloop.simulate.schedules import fixed
from inloop.simulate.sensitivities.corner_notes import (
    PassedCorner,
    corner_notes,
    corners_passed_back,
)
from inloop.simulate.sensitivities.directions import (
    Directions,
    read_directions,
    start_changes,
    start_names,
)
from inloop.simulate.sensitivities.event_changes import VariedMode
from inloop.simulate.sensitivities.forward import with_notes, with_sensitivities
from inloop.simulate.sensitivities.moded_run import Crossing, ModedRun, crossing_slopes
from inloop.simulate.sensitivities.moded_start import moded_start
from inloop.simulate.sensitivities.run_arguments import (
    Apart,
    RunArguments,
    check_same,
    refuse_steps,
)
from inloop.simulate.sensitivities.smooth_run import TABLEAUS, Leg
from inloop.simulate.sensitivities.touching.repeated import has_known_contacts
from inloop.simulate.sensitivities.way_back import Owed, Passed, WayBack
from inloop.simulate.start import first_internal_states, vector

Weights = Mapping[str, Array]
Loss = Weights | Callable[[Result], tuple[float, Weights]]


@dataclass(frozen=True)
class Gradient:
    """A figure of a run, and its derivatives.

    Attributes:
        value: the figure.
        by: names of the quantities.
        values: its derivatives, in this order.
        result: the run.
    """

    value: float
    by: tuple[str, ...]
    values: Array
    result: Result

    def __getitem__(self, name: str) -> float:
        """The derivative with respect to one quantity."""
        if name not in self.by:
            raise InputError(
                f"there is no derivative with respect to '{name}'", fix=name_hint(name, self.by)
            )
        return float(self.values[self.by.index(name)])


def squared_error(result: Result, recorded: Weights) -> tuple[float, dict[str, Array]]:
    """Σ (signal - recorded)² over all samples, and its derivatives with respect to the samples.

    Raises:
        InputError: a recording has another number of samples, or a mode lacks the signal.
    """
    total, weights = 0.0, {}
    for name, given in recorded.items():
        signal, recording = result[name], reals(given, f"the recording of '{name}'")
        if signal.shape != recording.shape:
            raise InputError(
                f"'{name}' has {len(signal)} samples, its recording shape {recording.shape}",
                fix="Give one number for each sample of the run; see sample=.",
            )
        if not np.all(np.isfinite(recording)):
            first = int(np.flatnonzero(~np.isfinite(recording))[0])
            raise InputError(
                f"the recording of '{name}' is {recording[first]} at t = {result.t[first]:g} s",
                fix="Give finite numbers, or a function of the result whose derivatives are 0 at "
                "such samples.",
            )
        if not np.all(np.isfinite(signal)):
            mode = result.modes[int(np.flatnonzero(~np.isfinite(signal))[0])]
            raise InputError(
                f"'{name}' is compared at samples in mode '{mode}', which does not have it",
                fix="Give a function of the result whose derivatives are 0 at these samples.",
            )
        total += float(np.sum((signal - recording) ** 2))
        weights[name] = 2.0 * (signal - recording)
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
        loss: recorded samples by signal, for the sum of squared errors; or a function of the result
            that returns the figure and, by signal, its derivatives with respect to the samples.
        names: quantities to differentiate with respect to, as for `sensitivities`.
        arguments: arguments of the run.
    """
    if has_known_contacts(plant):
        return _over_contacts(plant, result, loss, names, arguments)
    modes: Mapping[str, BarePlant] = plant.by_mode or {plant.name: plant}
    for each in modes.values():
        refuse_rough(each)
    refuse_steps(plant, result, arguments)
    first = modes[result.modes[0]] if plant.by_mode else plant
    directions = read_directions(first, names, start_names(first))
    value, weights = _figure(result, loss)
    weighted = _Weighted(tuple(weights), _weights_of(result, weights))
    pass_back = (
        _back_over_events(modes, result, directions, arguments, weighted)
        if plant.by_mode
        else _back(plant, result, directions, arguments, weighted)
    )
    slopes = pass_back.start.T @ pass_back.owed.state
    for k, name in enumerate(directions.varied):
        slopes[directions.names.index(name)] += pass_back.owed.varied[k]
    noted = replace(result, notes=(*result.notes, *corner_notes(pass_back.corners)))
    return Gradient(
        float(value),
        directions.names,
        slopes,
        with_notes(noted, pass_back.switches, pass_back.apart),
    )


def _over_contacts(
    plant: BarePlant,
    result: Result,
    loss: Loss,
    names: Sequence[str],
    arguments: RunArguments,
) -> Gradient:
    """The same with hard contacts, from forward derivatives of all samples."""
    value, weights = _figure(result, loss)
    table = _weights_of(result, weights)
    derived = with_sensitivities(plant, result, names, arguments)
    assert derived.sensitivities is not None
    columns = [derived.sensitivities[name] for name in weights]
    slopes = sum((w @ column for w, column in zip(table.T, columns, strict=True)), np.zeros(1))
    return Gradient(
        float(value), derived.sensitivities.by, slopes, replace(derived, sensitivities=None)
    )


@dataclass(frozen=True)
class _Weighted:
    """Weights of the samples of signals, shape (samples, signals)."""

    signals: tuple[str, ...]
    table: Array


@dataclass(frozen=True)
class _PassBack:
    """Results of the backward pass.

    Attributes:
        owed: adjoints at the start of the run.
        start: derivatives of the first state by all quantities, shape (states, names).
        switches: laws that compare numbers.
        apart: difference between the run and its repetition.
        corners: relevant corners of laws that were passed.
    """

    owed: Owed
    start: Array
    switches: tuple[str, ...]
    apart: Apart
    corners: Sequence[PassedCorner]


def _figure(result: Result, loss: Loss) -> tuple[float, Weights]:
    """The figure, and its derivatives with respect to the samples of signals.

    Raises:
        InputError: the loss function returns something else.
    """
    if isinstance(loss, Mapping):
        return squared_error(result, loss)
    fix = (
        "Return (value, {signal: derivatives of the value with respect to its samples}), or "
        "give recorded samples by signal instead of a function."
    )
    if not callable(loss):
        raise InputError(f"the loss is of type {type(loss).__name__}, not a function", fix=fix)
    returned: Any = loss(result)
    good = isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping)
    if not good:
        raise InputError(
            f"the loss returns {type(returned).__name__}, not a value and its derivatives", fix=fix
        )
    figure = real(returned[0], "the value of the loss")
    if not np.isfinite(figure):
        raise InputError(f"the value of the loss is {figure}", fix="Return a finite number.")
    return figure, returned[1]


def _weights_of(result: Result, weights: Weights) -> Array:
    """Weights of all signals of the loss, shape (samples, signals)."""
    columns = []
    for name, values in weights.items():
        column = reals(values, f"derivatives by '{name}'")
        if column.shape != result.t.shape or not np.all(np.isfinite(column)):
            raise InputError(
                f"the loss gives derivatives by '{name}' of shape {column.shape}",
                fix=f"Give one finite number for each of the {len(result.t)} samples.",
            )
        columns.append(column)
    if not columns:
        raise InputError("the loss uses no signal", fix="Give at least one.")
    return np.column_stack(columns)


def _back(
    plant: BarePlant, result: Result, directions: Directions, arguments: RunArguments,
    weighted: _Weighted,
) -> _PassBack:  # fmt: skip
    """Backward pass through a run without events."""
    roles = roles_of(plant, result.partitions[0] if result.partitions else None)
    tableau = TABLEAUS[result.method]
    system = BackwardSystem.backward(
        plant, roles, directions.varied, weighted.signals, tableau.implicit
    )
    inputs = read_inputs(plant, arguments.inputs or {})
    tau = vector(plant, arguments.tau, [0.0] * plant.n, "tau")
    u = inputs.at(0.0)
    start = system.packed(result.q[0], result.qd[0], first_internal_states(plant, u))
    schedule = fixed(arguments.t_end, arguments.step, result.method, arguments.sample)
    samples = {
        k: min(-(-k // schedule.stride), len(result.t) - 1)
        for k in range(1, schedule.steps + 1)
        if k % schedule.stride == 0 or k == schedule.steps
    }
    way = WayBack(system, tableau, inputs, tau, weighted.table)
    owed = way.leg(Leg(0.0, schedule.step, schedule.steps), start, samples, way.nothing())
    owed = way.sample(0.0, start, 0, owed)
    apart = _check_states(plant.name, result, [(system, way.passed)])
    varied = VariedSystem.forward(plant, roles, directions.varied, LANES[-1], tableau.implicit)
    dx = start_changes(varied, directions, (0.0, u, tau), start, arguments, directions.of_varied())
    return _PassBack(owed, dx, system.code.switches, apart, corners_passed_back(system))


def _back_over_events(
    plants: Mapping[str, BarePlant], result: Result, directions: Directions,
    arguments: RunArguments, weighted: _Weighted,
) -> _PassBack:  # fmt: skip
    """Backward pass through a run with events, after repeating it without derivatives."""
    begin = moded_start(plants, result, directions, arguments)
    around = begin.around.with_directions(begin.around.dg[:, :0])
    _check_known(result, weighted, begin.modes)
    backward, ways, tableau = {}, {}, TABLEAUS[result.method]
    for mode, varied in begin.modes.items():
        known = [name for name in weighted.signals if name in varied.system.code.observed]
        columns = [weighted.signals.index(name) for name in known]
        backward[mode] = BackwardSystem.backward(
            plants[mode], varied.system.roles, directions.varied, known, tableau.implicit
        )
        ways[mode] = WayBack(
            backward[mode], tableau, around.given[mode], around.tau[mode],
            weighted.table[:, columns],
        )  # fmt: skip
    schedule = fixed(arguments.t_end, arguments.step, result.method, arguments.sample)
    run = ModedRun(begin.modes, result.method, result.events, schedule, around, backward)
    run.go(begin.mode, replace(begin.at, dx=begin.at.dx[:, :0]))
    owed = ways[run.pieces[-1].mode].nothing()
    for part in reversed(run.way):
        if isinstance(part, Crossing):
            slopes, states = crossing_slopes(begin.modes, part, around), len(part.at.x)
            back = slopes.T @ owed.state
            owed = Owed(back[:states], owed.varied + back[states:])
        else:
            start = part.start.x, part.start.dep
            owed = ways[part.mode].leg(part.leg, start, part.samples, owed)
    owed = ways[begin.mode].sample(0.0, (begin.at.x, begin.at.dep), 0, owed)
    apart = _check_states(result.name, result, [(backward[m], w.passed) for m, w in ways.items()])
    switches = tuple(name for s in backward.values() for name in s.code.switches)
    corners = [corner for s in backward.values() for corner in corners_passed_back(s)]
    return _PassBack(owed, begin.at.dx, switches, apart, corners)


def _check_known(result: Result, weighted: _Weighted, modes: Mapping[str, VariedMode]) -> None:
    """Check that signals have no weight in modes that lack them."""
    for mode, varied in modes.items():
        rows = [k for k, name in enumerate(result.modes) if name == mode]
        for k, name in enumerate(weighted.signals):
            if name not in varied.system.code.observed and np.any(weighted.table[rows, k]):
                raise InputError(
                    f"the loss weighs '{name}' at samples in mode '{mode}', which does not have it",
                    fix="Give a function of the result whose derivatives are 0 at these samples.",
                )


def _check_states(
    model: str, result: Result, passes: Sequence[tuple[BackwardSystem, Passed]]
) -> Apart:
    """Check that the steps of the backward pass are those of the run."""
    repeated: dict[str, Array] = {}
    for system, passed in passes:
        layout, names = system.code.layout, system.plant.coordinates
        for kind, places in (("q", layout.q), ("qd", layout.qd)):
            for k, i in (place for place in places if place[0] < system.plant.n):
                column = getattr(result, kind)[:, result.coordinates.index(names[k])]
                mine = repeated.setdefault(f"{names[k]}.{kind}", column.copy())
                for rows, x in passed:
                    mine[rows] = x[:, i]
    return check_same(model, result, repeated)
