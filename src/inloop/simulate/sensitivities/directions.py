"""The quantities of differentiation, and derivatives of the start with respect to them.

Start values that were given or declared are kept, to the last bit, as far as loops permit; values
that follow from the loops change with parameters. Kept values are chosen as for the start itself:
drives, then names given to the run, then declared values; `loose_start.py` handles values that none
of them determines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.variation.names import varied_names
from inloop.plant.variation.varied_system import VariedSystem
from inloop.simulate.sensitivities.loose_start import LooseStart
from inloop.simulate.sensitivities.run_arguments import RunArguments, kept_values

Given = Mapping[str, float] | Array | None
DEFINITE = 1e-9  # of the largest entry: remainder of a direction that others determine


@dataclass(frozen=True)
class Directions:
    """Names of the quantities of differentiation.

    Attributes:
        names: all of them, in the requested order.
        varied: those that the equations depend on: parameters, efforts and inputs.
    """

    names: tuple[str, ...]
    varied: tuple[str, ...]

    @property
    def starts(self) -> tuple[str, ...]:
        """Those that affect only the start."""
        return tuple(name for name in self.names if name not in self.varied)

    def of_varied(self) -> Array:
        """dg, shape (varied, names)."""
        return np.array([[float(v == name) for name in self.names] for v in self.varied]).reshape(
            len(self.varied), len(self.names)
        )


def read_directions(plant: BarePlant, names: Sequence[str], states: Sequence[str]) -> Directions:
    """Separate parameters and inputs from start values.

    Args:
        plant: the compiled mechanism.
        names: the requested quantities.
        states: "<joint>.q" and "<joint>.qd" of all joints, and states of force laws.

    Raises:
        InputError: there is no such name, or none at all.
    """
    if not names or len(set(names)) != len(names):
        raise InputError(
            f"sensitivities={list(names)}", fix="Name each parameter, start value or input once."
        )
    known = varied_names(plant)
    for name in names:
        if name not in known and name not in states:
            raise InputError(
                f"model '{plant.name}' has no live parameter, input or start value '{name}'",
                fix=name_hint(name, [*known, *states])
                + " Numbers of the model are live if it is compiled with live=[...].",
            )
    varied = tuple(name for name in names if name in known)
    return Directions(tuple(names), varied)


def start_names(plant: BarePlant) -> tuple[str, ...]:
    """Names of start values: positions and velocities of joints, states of laws.

    Positions of a ball joint are small rotations of its body about its own axes.
    """
    names, laws = plant.coordinates, (state.name for state in plant.mechanism.states)
    return (*(f"{x}.q" for x in names), *(f"{x}.qd" for x in names), *laws)


def start_changes(
    system: VariedSystem,
    directions: Directions,
    at: tuple[float, Array, Array],
    state: tuple[Array, Array],
    arguments: RunArguments,
    dg: Array,
) -> Array:
    """dx at the start, shape (states, names).

    Args:
        system: the equations.
        directions: the quantities of differentiation.
        at: time [s], inputs and efforts of the start.
        state: x and the dependent coordinates there.
        arguments: arguments of the run.
        dg: directions of the varied quantities.

    Raises:
        InputError: a start value depends on others.
    """
    plant, code = system.plant, system.code
    kept = kept_values(plant, arguments)
    nx = len(code.states)
    eye, none = np.eye(nx), np.zeros((nx, len(directions.names)))
    by_state = system.observe(*at, state, eye, np.zeros((len(code.varied), nx)))[1]
    by_given = system.observe(*at, state, none, dg)[1]
    dx = none.copy()
    free = len(code.layout.qd)
    places = {name: i for i, name in enumerate(code.states)}
    first = {"q": 0, "qd": plant.n}  # rows of observed signals
    whole: dict[str, Array] | None = None  # changes of a loose start
    for kind, columns in (("q", list(range(free))), ("qd", list(range(free, 2 * free)))):
        values = kept[kind]
        held = _held(by_state[first[kind] : first[kind] + plant.n, columns], values.order)
        names = [f"{plant.coordinates[k]}.{kind}" for k in held]
        _check_starts(directions, kind, [*names, *_led(system, kind)], plant)
        target = np.array([[float(a == b) for b in directions.names] for a in names])
        target = target.reshape(len(held), dx.shape[1])
        loose = [i for i, k in enumerate(held) if k not in values.firm]
        if loose and plant.formulation.partition.rows:
            whole = whole or LooseStart(plant, arguments).changes(directions.names)
            target[loose] += whole[kind][held][loose]
        rows = [first[kind] + k for k in held]
        left = target - by_given[rows] - by_state[rows] @ dx
        if held:
            dx[columns] = np.linalg.solve(by_state[np.ix_(rows, columns)], left)
    for name in (*(s.name for s in plant.mechanism.states), *_led(system, "q")):
        if name in directions.names:
            dx[places[name], directions.names.index(name)] = 1.0
    _filtered_drives(plant, directions, places, dx)
    _turn_quaternions(system, state[0], dx)
    return dx


def _led(system: VariedSystem, kind: str) -> list[str]:
    """Positions that are free although their velocities depend on others."""
    names = system.plant.coordinates
    return [f"{names[k]}.q" for k in system.roles.led] if kind == "q" else []


def _filtered_drives(
    plant: BarePlant, directions: Directions, places: Mapping[str, int], dx: Array
) -> None:
    """A filtered drive starts at rest at its input."""
    for drive in plant.mechanism.drives:
        if drive.states and drive.inputs[0].name in directions.names:
            dx[places[drive.states[0].name], directions.names.index(drive.inputs[0].name)] = 1.0


def _turn_quaternions(system: VariedSystem, x: Array, dx: Array) -> None:
    """Quaternions turn with the coordinates of their ball joints."""
    plant, places = system.plant, system.code.layout.q
    q, motions = np.zeros(plant.nq), np.zeros((dx.shape[1], plant.n))
    for k, i in places:
        q[k] = x[i]
        if k < plant.n:
            motions[:, k] = dx[i]
    rates = plant.configuration.rates(q, motions)
    for k, i in places:
        if k >= plant.n:
            dx[i] = rates[:, k]


def _held(by_state: Array, order: Sequence[int]) -> list[int]:
    """The first coordinates that together determine the free ones."""
    held: list[int] = []
    size = np.abs(by_state).max(initial=1.0)
    rest = by_state.copy()
    for k in order:
        if len(held) == by_state.shape[1]:
            break
        # component of this row that is independent of the rows before it
        row = rest[k]
        length = float(np.linalg.norm(row))
        if length > DEFINITE * size:
            held.append(k)
            unit = row / length
            rest = rest - np.outer(rest @ unit, unit)
    return held


def _check_starts(directions: Directions, kind: str, free: Sequence[str], plant: BarePlant) -> None:
    for name in directions.starts:
        head, _, tail = name.rpartition(".")
        if tail == kind and head in plant.coordinates and name not in free:
            raise InputError(
                f"the start value '{name}' depends on others in model '{plant.name}'",
                fix=f"Independent start values of this run: {', '.join(free) or 'none'}.",
            )
