"""What is computed from the samples of a run, after it: energy, outputs of laws, reactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import read_names
from inloop.simulate.inputs import Inputs
from inloop.simulate.samples import Samples

BLOCK = 200  # samples at a time: short enough that no vector code has to be compiled
ALL = "all"


def energy(plant: BarePlant, found: Samples) -> Array:
    """Kinetic and potential energy [J], shape (N, 2)."""
    return np.concatenate([plant.energy(found.q[b], found.qd[b]) for b in _blocks(found)])


def power(plant: BarePlant, found: Samples, inputs: Inputs, tau: Array) -> Array:
    """Power of all that acts beside inertia and potential energy [W], shape (N,).

    Force laws, inputs, efforts, drives and constraints that move with time.
    """
    total = np.asarray(found.qd @ tau)
    if plant.loops is not None:
        for name in plant.loops.driven:
            column = plant.coordinates.index(name)
            # a given effort of a driven joint is part of what its drive supplies
            total += (found.signals[f"{name}.effort"] - tau[column]) * found.qd[:, column]
        total += _constraint_power(plant, found)
    if plant.mechanism.laws or plant.mechanism.flexible_links or plant.inputs:
        u = inputs.over(found.t)
        for b in _blocks(found):
            state = {"q": found.q[b], "qd": found.qd[b], "z": found.z[b], "t": found.t[b]}
            total[b] += plant.evaluate("power", u=u[b], **state)["P"][:, 0]
    return total


def _constraint_power(plant: BarePlant, found: Samples) -> Array:
    """Power of constraints that move with time: qdᵀ Jᵀ lam = -nuᵀ lam."""
    total = np.zeros(len(found.t))
    assert plant.loops is not None
    if all(block.name != "t" for block in plant.program("constraints").inputs):
        return total
    names = plant.loops.all_row_names
    lam = np.column_stack([found.signals.get(f"lam.{name}", total) for name in names])
    for b in _blocks(found):
        state = {"q": found.q[b], "qd": found.qd[b], "t": found.t[b]}
        total[b] = -np.sum(plant.evaluate("constraints", **state)["nu"] * lam[b], axis=1)
    return total


def law_outputs(plant: BarePlant, found: Samples, inputs: Inputs) -> dict[str, Array]:
    """What the force laws make known, by name."""
    u = inputs.over(found.t)
    return _joined(
        found,
        lambda b: plant.law_outputs(found.q[b], found.qd[b], found.z[b], u[b], found.t[b]),
    )


def chosen_joints(plant: BarePlant, wanted: str | Sequence[str]) -> tuple[str, ...]:
    """Names of the joints whose reactions are wanted."""
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
    plant: BarePlant, found: Samples, inputs: Inputs, tau: Array, joints: Sequence[str]
) -> dict[str, Array]:
    """Components of "<joint>.force" [N] and "<joint>.moment" [N·m] in world axes."""
    if not joints:
        return {}
    u = inputs.over(found.t)
    qdd = lam = None
    if plant.loops is not None:
        qdd = np.column_stack([found.signals[f"{name}.qdd"] for name in plant.coordinates])
        nothing = np.zeros(len(found.t))
        names = plant.loops.all_row_names
        lam = np.column_stack([found.signals.get(f"lam.{name}", nothing) for name in names])

    def at(b: slice) -> dict[str, Array]:
        state = {"q": found.q[b], "qd": found.qd[b], "z": found.z[b], "u": u[b], "t": found.t[b]}
        if qdd is None or lam is None:
            a = plant.evaluate("direct_dynamics", tau=tau, **state)["qdd"]
            return plant.evaluate("joint_reactions", qdd=a, **state)
        return plant.evaluate("joint_reactions", qdd=qdd[b], lam=lam[b], **state)

    wrenches = _joined(found, at)
    places = [(joint, plant.coordinates.index(joint)) for joint in joints]
    return {
        f"{joint}.{kind}.{axis}": wrenches[kind][:, k, i]
        for joint, k in places
        for kind in ("force", "moment")
        for i, axis in enumerate("xyz")
    }


def _blocks(found: Samples) -> Iterator[slice]:
    return (slice(k, k + BLOCK) for k in range(0, len(found.t), BLOCK))


def _joined(found: Samples, at: Callable[[slice], dict[str, Array]]) -> dict[str, Array]:
    """Arrays by name over all samples, from those of the blocks."""
    blocks = [at(b) for b in _blocks(found)]
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
