"""Quantities computed from the samples after a run: energy, law outputs, reactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from inloop.errors import InputError
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import read_names
from inloop.plant.readings import readings, sense_motion
from inloop.simulate.inputs import InputsOverTime
from inloop.simulate.results.samples import Samples

BLOCK = 2000  # samples at a time, to limit memory for intermediate results
ALL = "all"


def energy(plant: BarePlant, found: Samples) -> Array:
    """Kinetic and potential energy [J], shape (N, 2)."""
    return plant.evaluate("energy", ready=True, q=found.q, qd=found.qd, lanes=False)["E"]


def power(plant: BarePlant, found: Samples, inputs: InputsOverTime, tau: Array) -> Array:
    """Power of everything except inertia and potential energy [W], shape (N,).

    Includes force laws, inputs, efforts, drives and time-dependent constraints.
    """
    return drive_power(plant, found, tau) + law_power(plant, found, inputs, slice(None))


def drive_power(plant: BarePlant, found: Samples, tau: Array) -> Array:
    """Power of efforts, drives and time-dependent constraints [W], shape (N,)."""
    total = np.asarray(found.qd @ tau)
    for name in plant.formulation.driven:
        column = plant.coordinates.index(name)
        # the drive supplies the given effort of a driven joint as well
        total += (found.signals[f"{name}.effort"] - tau[column]) * found.qd[:, column]
    return total + _constraint_power(plant, found)


def law_power(
    plant: BarePlant, found: Samples, inputs: InputsOverTime, rows: slice | NDArray[np.intp]
) -> Array:
    """Power of force laws and inputs at some of the samples [W]."""
    t = found.t[rows]
    if not (plant.mechanism.laws or plant.mechanism.flexible_links or plant.inputs):
        return np.zeros(len(t))
    state = {"q": found.q[rows], "qd": found.qd[rows], "z": found.z[rows], "t": t}
    u = inputs.over(t)
    return np.asarray(plant.evaluate("power", ready=True, u=u, lanes=False, **state)["P"][:, 0])


def _constraint_power(plant: BarePlant, found: Samples) -> Array:
    """Power of time-dependent constraints: qdᵀ Jᵀ lam = -nuᵀ lam."""
    total = np.zeros(len(found.t))
    rows = plant.formulation.rows
    if not rows.moves_with_time:
        return total
    lam = _multipliers(plant, found)
    for b in _blocks(found):
        nu = rows.constraints(found.q[b], found.qd[b], found.t[b], lanes=False)["nu"]
        total[b] = -np.sum(nu * lam[b], axis=1)
    return total


def law_outputs(plant: BarePlant, found: Samples, inputs: InputsOverTime) -> dict[str, Array]:
    """Outputs of the force laws, by name."""
    outputs = plant.mechanism.law_outputs
    if not outputs:
        return {}
    u = inputs.over(found.t)

    def at(b: slice) -> dict[str, Array]:
        state = {"q": found.q[b], "qd": found.qd[b], "z": found.z[b], "t": found.t[b]}
        return plant.evaluate("law_outputs", u=u[b], lanes=False, **state)

    y = _joined(found, at)["y"]
    return {output.name: y[:, k] for k, output in enumerate(outputs)}


def sensor_outputs(plant: BarePlant, found: Samples, u: Array, tau: Array) -> dict[str, Array]:
    """Sensor readings, by name.

    Args:
        plant: the compiled mechanism.
        found: the samples.
        u: inputs at the samples, shape (N, inputs).
        tau: efforts of the joints.
    """
    if not plant.mechanism.sensors:
        return {}
    lam, motion = _multipliers(plant, found), sense_motion(plant)

    def at(b: slice) -> dict[str, Array]:
        state = {"q": found.q[b], "qd": found.qd[b], "z": found.z[b], "u": u[b], "t": found.t[b]}
        more = {"qdd": _accelerations(plant, found, b, state, tau), "lam": lam[b]} if motion else {}
        return readings(plant, lanes=False, **state, **more)

    return _joined(found, at)


def _accelerations(
    plant: BarePlant, found: Samples, rows: slice, state: dict[str, Array], tau: Array
) -> Array:
    """Accelerations at some samples; evaluated if the run did not store them."""
    if found.qdd is not None:
        return found.qdd[rows]
    return plant.formulation.motion_at(tau=tau, lanes=False, **state)["a"]


def chosen_joints(plant: BarePlant, wanted: str | Sequence[str]) -> tuple[str, ...]:
    """Names of the joints whose reactions are requested."""
    wanted = read_names(wanted, "reactions")
    if isinstance(wanted, str):
        wanted = plant.coordinates if wanted == ALL else (wanted,)
    for name in wanted:
        if name not in plant.coordinates:
            raise InputError(
                f"reactions: model '{plant.name}' has no joint '{name}'",
                fix=f'Use "all" or names among: {", ".join(plant.coordinates[:12])}.',
            )
    return tuple(wanted)


def reactions(
    plant: BarePlant, found: Samples, inputs: InputsOverTime, tau: Array, joints: Sequence[str]
) -> dict[str, Array]:
    """Components of "<joint>.force" [N] and "<joint>.moment" [N·m] in world axes."""
    if not joints:
        return {}
    u = inputs.over(found.t)
    lam = _multipliers(plant, found)

    def at(b: slice) -> dict[str, Array]:
        state = {"q": found.q[b], "qd": found.qd[b], "z": found.z[b], "u": u[b], "t": found.t[b]}
        state |= {"qdd": _accelerations(plant, found, b, state, tau), "lam": lam[b]}
        return plant.evaluate("joint_reactions", ready=True, lanes=False, **state)

    wrenches = _joined(found, at)
    places = [(joint, plant.coordinates.index(joint)) for joint in joints]
    return {
        f"{joint}.{kind}.{axis}": wrenches[kind][:, k, i]
        for joint, k in places
        for kind in ("force", "moment")
        for i, axis in enumerate("xyz")
    }


def _multipliers(plant: BarePlant, found: Samples) -> Array:
    """Multipliers of all rows at the samples, shape (N, rows); 0 where a row is inactive."""
    nothing = np.zeros(len(found.t))
    names = plant.formulation.rows.names
    columns = [found.signals.get(f"lam.{name}", nothing) for name in names]
    return np.column_stack(columns) if columns else np.zeros((len(found.t), 0))


def _blocks(found: Samples) -> Iterator[slice]:
    return (slice(k, k + BLOCK) for k in range(0, len(found.t), BLOCK))


def _joined(found: Samples, at: Callable[[slice], dict[str, Array]]) -> dict[str, Array]:
    """Arrays by name over all samples, evaluated block by block."""
    blocks = [at(b) for b in _blocks(found)]
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
