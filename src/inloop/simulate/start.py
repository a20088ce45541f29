"""Where a run starts: coordinates and velocities that fit the loops."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name, reals

CLOSE = 1e-6  # difference between two positions that are meant to be one [rad or m]
Given = Mapping[str, float] | Array | None


def vector(plant: BarePlant, given: Given, default: list[float], name: str) -> Array:
    """A coordinate vector from names, from an array, or by default."""
    if given is None:
        result = np.array(default, dtype=np.float64)
    elif isinstance(given, Mapping):
        result = np.array(default, dtype=np.float64)
        named = plant.vector(**by_name(given, name))
        for key in given:
            k = plant.coordinates.index(key)
            result[k] = named[k]
    else:
        result = reals(given, name).copy()
        if result.shape != (plant.n,):
            raise plant._wrong_size(name, result.shape, plant.n)
    if not np.all(np.isfinite(result)):
        raise InputError(f"{name} holds NaN or infinity", fix="Give finite numbers.")
    return result


def first_internal_states(plant: BarePlant, u: Array) -> Array:
    """States of laws and drives at t = 0; a filtered drive rests where its input is."""
    z = plant.first_states
    index = {state.name: k for k, state in enumerate(plant.mechanism.states)}
    for drive in plant.mechanism.drives:
        if drive.states:
            z[index[drive.states[0].name]] = u[plant.inputs.index(drive.inputs[0].name)]
    return z


def first_state(
    plant: BarePlant,
    q: Given,
    qd: Given,
    drives: str | None,
    u: Array | None = None,
    z: Array | None = None,
) -> tuple[Array, Array]:
    """Coordinates and velocities at t = 0; those of a closed mechanism fit its loops.

    Args:
        plant: the compiled mechanism.
        q: coordinates, by name or as a vector, or None.
        qd: velocities.
        drives: name of the function of the drives, which decides about driven joints.
        u: inputs.
        z: states of laws and drives.
    """
    bodies = plant.mechanism.bodies
    rest = [b.joint.initial[1] for b in bodies]
    if plant.loops is None:
        at = vector(plant, q, [b.joint.initial[0] for b in bodies], "q")
        return at, vector(plant, qd, rest, "qd")
    at = vector(plant, q, list(plant.loops.position.q), "q")
    given = [plant.coordinates.index(name) for name in q] if isinstance(q, Mapping) else []
    driven = list(plant.loops.partition.driven)
    speeds = vector(plant, qd, rest, "qd")
    if drives is not None:
        motion = plant.evaluate(drives, t=0.0, u=u, z=z)
        _check_driven(plant, q, motion["qs"])
        at[driven], speeds[driven] = motion["qs"], motion["qds"]
    at = plant.loops.assemble(at, [*driven, *(k for k in given if k not in driven)]).q
    return at, _fitting_velocities(plant, at, speeds, qd, driven)


def _check_driven(plant: BarePlant, q: Given, first: Array) -> None:
    """What is said by name about a driven joint must agree with its drive."""
    assert plant.loops is not None
    for name, position in zip(plant.loops.driven, first, strict=True):
        if isinstance(q, Mapping) and abs(q.get(name, position) - position) > CLOSE:
            raise InputError(
                f"q starts '{name}' at {q[name]:g}, its drive at {position:g}",
                fix="Leave it out of q: a driven joint is where its drive or its input puts it.",
            )


def _fitting_velocities(
    plant: BarePlant, q: Array, speeds: Array, qd: Given, driven: list[int]
) -> Array:
    """Velocities that satisfy the loops and agree with those that were given."""
    loops = plant.loops
    assert loops is not None
    found = plant.evaluate("constraints", q=q, qd=np.zeros(plant.n), t=0.0)
    J, nu = found["J"], found["nu"]
    if isinstance(qd, Mapping):
        fixed = [plant.coordinates.index(name) for name in qd]
    elif qd is not None:
        fixed = list(range(plant.n))
    else:
        fixed = list(loops.partition.independent)
    fixed = [*driven, *(k for k in fixed if k not in driven)]
    A = np.vstack([J, np.eye(plant.n)[fixed]])
    b = np.concatenate([-nu, speeds[fixed]])
    # the smallest velocities that do it, where that leaves a choice
    result = np.linalg.lstsq(A, b, rcond=1e-12)[0]
    miss = float(np.abs(A @ result - b).max(initial=0.0))
    if miss > 1e-8 * (1.0 + float(np.abs(b).max(initial=0.0))):
        raise InputError(
            f"the given velocities contradict the loops by {miss:.3g}",
            fix=f"Give velocities of independent coordinates only: {', '.join(loops.independent)}.",
        )
    return np.asarray(result)
