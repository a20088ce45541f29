"""Starts and inputs of many runs: shared values, and rows that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inloop.errors import InputError, ModelError
from inloop.native.running.many import StartRows, Starts
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name
from inloop.plant.unit import plant_unit
from inloop.simulate.controlled.compiled import inputs_led_by_plant, refuse_led
from inloop.simulate.drives import Drives
from inloop.simulate.live_drives import check_velocities
from inloop.simulate.machine_start import conditions
from inloop.simulate.many.arguments import Columns, Given, check_each, read_given
from inloop.simulate.start import CLOSE, first_internal_states, start_of
from inloop.simulate.systems import Conditions

Plants = Mapping[str, BarePlant]


@dataclass(frozen=True)
class Arguments:
    """Arguments that may differ between runs."""

    q: Given
    qd: Given
    tau: Given
    inputs: Given
    parameters: Given


def read_arguments(
    plants: Plants, q: Columns, qd: Columns, tau: Columns, inputs: Any, parameters: Columns
) -> Arguments:
    """Read and check the user's arguments."""
    first = next(iter(plants.values()))
    joints = tuple(dict.fromkeys(c for plant in plants.values() for c in plant.coordinates))
    known = tuple(dict.fromkeys(name for plant in plants.values() for name in plant.inputs))
    if inputs is not None and not isinstance(inputs, Mapping):
        raise InputError(
            "inputs are given by name", fix='Use inputs={"force": values}, for example.'
        )
    turns = {
        each.name: [first.coordinates[k] for k in each.bodies] for each in first.mechanism.attitudes
    }
    arguments = Arguments(
        _read_positions(first, q),
        read_given(qd, "qd", first.coordinates, several=turns),
        read_given(tau, "tau", joints, several=turns),
        read_given(inputs, "inputs", known, functions=True),
        read_given(parameters, "parameters", tuple(first.parameters)),
    )
    _check_efforts(plants, arguments)
    return arguments


def _check_efforts(plants: Plants, given: Arguments) -> None:
    """Refuse efforts of each run that share their place with an input of the same name.

    That is harmless only for `joint_input`, if the input is not given too.
    """
    inputs = {name for plant in plants.values() for name in plant.inputs}
    efforts = {each.name for plant in plants.values() for each in plant.mechanism.joint_inputs}
    for joint in given.tau.columns:
        name = f"{joint}.tau"
        taken = name in given.inputs.shared or name in given.inputs.columns
        if name in inputs and (taken or name not in efforts):
            raise InputError(
                f"tau of '{joint}' differs from run to run, but the model has an input '{name}'",
                fix=f'Give their sum as inputs={{"{name}": ...}} if it is the effort of the joint; '
                "otherwise give the input another name.",
            )


def _read_positions(plant: BarePlant, q: Columns) -> Given:
    """Positions; the attitude of a ball joint is a quaternion, named after its body."""
    attitudes = {each.name: each.names for each in plant.mechanism.attitudes}
    if isinstance(q, Mapping):
        for name in by_name(q, "q"):
            if name in plant.positions:
                plant.equations.places(name, plant.nq)  # rejects single components of an attitude
    return read_given(q, "q", plant.positions, several=attitudes)


def shared_conditions(plants: Plants, given: Arguments) -> dict[str, Conditions]:
    """Conditions common to all runs, with the plant's initial values where runs differ."""
    tau, inputs = given.tau.shared, given.inputs.shared
    return {name: conditions(plants, each, tau, inputs, {}) for name, each in plants.items()}


def starts_of(
    plants: Plants, given: Arguments, at: Mapping[str, Conditions], t_end: float
) -> Starts:
    """The common start of all runs, and the rows that differ from it."""
    name, plant = next(iter(plants.items()))
    signals = at[name].inputs
    check_velocities(plant, signals, 0.0, t_end, {})
    u = signals.at(0.0)
    z = first_internal_states(plant, u)
    first = start_of(plant, given.q.common, given.qd.common, at[name].drives, u, z)
    values = plant.parameters.values_array.copy()
    known = StartRows(values, _input_row(plants, at), first.q, first.qd, z)
    names = [quantity.name for quantity in plant_unit(plants).table.inputs]
    inputs = given.tau.fill(known.inputs, names, ".tau")
    rows = StartRows(
        _parameter_rows(plant, given.parameters),
        given.inputs.fill(inputs, names),
        given.q.fill(first.q, plant.positions),
        given.qd.fill(first.qd, plant.coordinates),
        _state_rows(plant, given.inputs, z),
    )
    kind = _kind(plant, given, rows)
    kept = plant.formulation.carries_dependent or bool(_declared_followers(plant, given.qd))
    if kind in ("led", "near") and kept:
        rows = _driven_from(plant, at[name].drives, u, z, rows)
        q = _kept_positions(plant, given, rows)
        return Starts(
            known, replace(rows, q=q, qd=_kept_velocities(plant, given, rows, q)), "whole"
        )
    if kind == "led" and _places_followers(plant, given.q):
        return Starts(known, replace(rows, q=_kept_positions(plant, given, rows)), "near")
    return Starts(known, rows, kind)


def _driven_from(
    plant: BarePlant, drives: Drives | None, u: Array, z: Array, rows: StartRows
) -> StartRows:
    """Initial positions and velocities of drives with the parameters of each run."""
    if drives is None:
        return rows
    values = np.atleast_2d(rows.parameters)
    motions = np.array([drives.at(plant, 0.0, u, z, row) for row in values])
    runs = max(len(values), len(np.atleast_2d(rows.q)), len(np.atleast_2d(rows.qd)))
    q, qd = (np.array(np.broadcast_to(a, (runs, a.shape[-1]))) for a in (rows.q, rows.qd))
    places = list(plant.formulation.driven_indices)
    q[:, places], qd[:, places] = motions[:, 0], motions[:, 1]
    return replace(rows, q=q, qd=qd)


def moved_starts(plants: Plants, given: Arguments, starts: Starts) -> tuple[str, ...]:
    """Joints that cannot start as declared with the parameters of some runs, in words."""
    plant, rows = next(iter(plants.values())), starts.rows.q
    if starts.kind != "whole" or given.q.common is not None or given.q.columns:
        return ()
    declared = [k for k in plant.formulation.positions.declared if k < plant.n]
    free = [k for k in declared if k not in plant.formulation.driven_indices]
    first, units = plant.mechanism.first_q, plant.coordinate_sizes
    notes = []
    for k in free:
        elsewhere = np.flatnonzero(np.abs(rows[:, k] - first[k]) > CLOSE * units[k])
        if len(elsewhere):
            run = int(elsewhere[0])
            notes.append(
                f"{len(elsewhere)} of {len(rows)} runs start '{plant.coordinates[k]}' elsewhere "
                f"than declared, as loops cannot close there: run {run} at {rows[run, k]:.6g}, "
                f"declared {first[k]:.6g}"
            )
    return tuple(notes)


def _parameter_rows(plant: BarePlant, given: Given) -> Array:
    """Values of all parameters: one row for all runs, or one for each."""
    values = np.array(list({**plant.parameters, **given.shared}.values()), dtype=np.float64)
    return given.fill(values, list(plant.parameters))


def check_values(plants: Plants, given: Arguments) -> None:
    """Refuse inputs that the plant controls itself, and parameters out of range.

    Raises:
        InputError: names the input, or the run and the parameter.
    """
    efforts, others = ((*each.shared, *each.columns) for each in (given.tau, given.inputs))
    refuse_led(inputs_led_by_plant(plants), [*(f"{name}.tau" for name in efforts), *others])
    check_each(given.parameters, next(iter(plants.values())).parameters.check_one)


def check_formulas(plants: Plants, given: Given) -> None:
    """Refuse parameters with which a formula of them exceeds its bound.

    Raises:
        InputError: names the first such run and the formula.
    """
    rows = np.atleast_2d(_parameter_rows(next(iter(plants.values())), given))
    for plant in plants.values():
        broken = plant.equations.kept.broken(rows)
        if broken is not None:
            run, what = broken
            raise InputError(
                f"run {run}: {what}, which it is not with these parameters",
                fix="Choose other values, or truncate their distributions.",
            )


def _places_followers(plant: BarePlant, given: Given) -> bool:
    """Whether coordinates that are dependent during a run have free or given initial positions."""
    names = {plant.coordinates[k] for k in plant.formulation.placed_positions}
    given_names = names & {*given.shared, *given.columns}
    return bool(plant.formulation.led_positions or given_names)


def _kept_positions(plant: BarePlant, given: Arguments, rows: StartRows) -> Array:
    """Closed positions of all runs of a mechanism that cannot be closed by independent velocities.

    It has more free positions than velocities, declares velocities of coordinates that depend on
    others, or its runs integrate all coordinates.

    Raises:
        InputError: a run cannot start there.
    """
    leading = {item.name for drive in plant.mechanism.drives for item in drive.inputs}
    if leading & set(given.inputs.columns):
        raise InputError(
            f"the drives of model '{plant.name}' start elsewhere in each run, and its positions do "
            "not follow from them alone",
            fix="Give q as an array with a row for each run.",
        )
    named = [plant.coordinates.index(name) for name in (*given.q.shared, *given.q.columns)]
    named = [] if given.q.is_whole else named
    fixed = [*plant.formulation.driven_indices, *named]
    count = max(len(a) for a in (rows.q, rows.parameters) if a.ndim == 2)
    targets = np.broadcast_to(rows.q, (count, rows.q.shape[-1]))
    values = np.broadcast_to(rows.parameters, (count, rows.parameters.shape[-1]))
    positions = []
    for run in range(count):
        try:
            positions.append(_kept_position(plant, targets[run], fixed, values[run]))
        except ModelError as error:
            mistake = error.mistakes[0]
            raise InputError(f"run {run}: {mistake.what}", mistake.where, mistake.fix) from error
    return np.array(positions)


def _kept_position(plant: BarePlant, target: Array, fixed: Sequence[int], values: Array) -> Array:
    positions = plant.formulation.positions
    near = positions.lead(target, fixed, values)
    return positions.keep(target, fixed, None, values, near).found.q


def _kept_velocities(plant: BarePlant, given: Arguments, rows: StartRows, q: Array) -> Array:
    """Velocities of all runs: given or declared ones, and those that follow from them.

    Raises:
        InputError: a run cannot start with them.
    """
    fixed_indices = [
        plant.coordinates.index(name) for name in (*given.qd.shared, *given.qd.columns)
    ]
    fixed_indices += [*_declared_followers(plant, given.qd), *plant.formulation.driven_indices]
    targets = np.broadcast_to(rows.qd, (len(q), plant.n))
    free = [k for k in plant.formulation.partition.independent if k not in fixed_indices]
    names = ", ".join(plant.formulation.independent)
    values = np.broadcast_to(rows.parameters, (len(q), rows.parameters.shape[-1]))
    velocities = []
    for run, at in enumerate(q):
        fixed = {k: float(targets[run, k]) for k in fixed_indices}
        preferred = {k: float(targets[run, k]) for k in free}
        kept = plant.formulation.keep_velocities(at, fixed, preferred, values[run])
        for k in kept.contradicted:
            raise InputError(
                f"run {run}: '{plant.coordinates[k]}' cannot start with velocity {fixed[k]:g}, the "
                f"loops leave it {kept.qd[k]:g}",
                fix=f"Give qd of independent coordinates: {names}.",
            )
        velocities.append(kept.qd)
    return np.array(velocities)


def _input_row(plants: Plants, at: Mapping[str, Conditions]) -> Array:
    """All inputs of a plant, in the order of its table."""
    values: dict[str, float] = {}
    for name, plant in plants.items():
        efforts = zip((f"{c}.tau" for c in plant.coordinates), at[name].tau, strict=True)
        inputs = zip(plant.inputs, at[name].inputs.at(0.0), strict=True)
        for key, value in (*efforts, *inputs):
            values.setdefault(key, float(value))
    return np.array([values[quantity.name] for quantity in plant_unit(plants).table.inputs])


def _state_rows(plant: BarePlant, inputs: Given, z: Array) -> Array:
    """States of laws at the start; a filtered drive is at rest at its input."""
    index = {state.name: k for k, state in enumerate(plant.mechanism.states)}
    rows = z
    for drive in plant.mechanism.drives:
        if drive.states and drive.inputs[0].name in inputs.columns:
            column = inputs.columns[drive.inputs[0].name]
            rows = np.tile(z, (len(column), 1)) if rows.ndim == 1 else rows
            rows[:, index[drive.states[0].name]] = column
    return rows


def _kind(plant: BarePlant, given: Arguments, rows: StartRows) -> str:
    """How the loops of the runs are closed at the start."""
    if plant.formulation.unconstrained:
        return "closed"
    if given.q.is_whole:
        _check_independent(plant, given.qd, allow_whole=True)
        return "whole" if given.qd.is_whole else "near"
    leading = {item.name for drive in plant.mechanism.drives for item in drive.inputs}
    moved = rows.q.ndim == 2 or given.parameters.shared or given.parameters.columns
    if not (moved or given.qd.columns or leading & set(given.inputs.columns)):
        return "closed"
    for each in (given.q, given.qd):
        _check_independent(plant, each)
    return "led" if moved or leading & set(given.inputs.columns) else "closed"


def _check_independent(plant: BarePlant, given: Given, allow_whole: bool = False) -> None:
    """Check that runs differ only in independent coordinates.

    Raises:
        InputError: others were given.
    """
    led = plant.formulation.placed_positions if given.what == "q" else ()
    free = (*plant.formulation.independent, *(plant.coordinates[k] for k in led))
    fix = f"Give independent coordinates by name: {', '.join(free)}."
    if allow_whole and given.is_whole:
        return
    if given.is_whole or given.vector is not None:
        raise InputError(
            f"{given.what} of model '{plant.name}' is a whole vector, but its loops are "
            "closed separately in each run",
            fix=fix,
        )
    for name in (*given.shared, *given.columns):
        if name not in free:
            raise InputError(
                f"{given.what} of '{name}' follows from the loops of model '{plant.name}' in each "
                "run",
                fix=fix,
            )


def _declared_followers(plant: BarePlant, given: Given) -> list[int]:
    """Dependent coordinates whose declared velocity applies.

    A drive determines its joint, and given velocities all coordinates, regardless of declarations.
    """
    if plant.formulation.unconstrained or given.common is not None or given.columns:
        return []
    joints = [body.joint for body in plant.mechanism.bodies]
    known = {*plant.formulation.independent, *plant.formulation.driven}
    moving = {k for k, joint in enumerate(joints) if joint.declared[1] and joint.initial[1] != 0.0}
    if not any(joints[k].name not in known for k in moving):
        return []
    return [k for k in moving if joints[k].name not in plant.formulation.driven]
