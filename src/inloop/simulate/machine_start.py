"""Initial state of a run with modes, and the conditions of each mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from inloop.errors import InputError, name_hint
from inloop.native import MachineSnapshot
from inloop.plant import Array, BarePlant, Formulation, Signal
from inloop.plant.arguments import one_name
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import read_inputs
from inloop.simulate.start import first_internal_states, start_of, vector
from inloop.simulate.systems import Conditions, make_systems

Given = Mapping[str, float] | Array | None


def conditions(
    plants: Mapping[str, BarePlant],
    plant: BarePlant,
    tau: Mapping[str, float],
    inputs: Mapping[str, float | Signal],
    motions: Mapping[str, Signal],
) -> Conditions:
    """Efforts, inputs and motions of one mode, from names known to any of the modes."""
    kinds: list[tuple[str, Mapping[str, Any], Callable[[BarePlant], tuple[str, ...]]]] = [
        ("coordinate", tau, lambda p: p.coordinates),
        ("input", inputs, lambda p: p.inputs),
        ("driven joint", motions, lambda p: p.formulation.driven),
    ]
    for what, given, names in kinds:
        known = dict.fromkeys(name for p in plants.values() for name in names(p))
        for name in given:
            if name not in known:
                raise InputError(
                    f"model '{plant.name}' has no {what} '{name}' in any of its modes",
                    fix=name_hint(name, known),
                )
    mine = {name: value for name, value in tau.items() if name in plant.coordinates}
    given = {name: value for name, value in inputs.items() if name in plant.inputs}
    driven = plant.formulation.driven
    drives = read_drives(plant, {n: motion for n, motion in motions.items() if n in driven})
    efforts = vector(plant, mine, [0.0] * plant.n, "tau")
    return Conditions(efforts, read_inputs(plant, given), drives)


@dataclass(frozen=True)
class MachineStart:
    """Initial state of a hybrid run.

    Attributes:
        snapshot: mode and state.
        formulations: formulation of each mode, with its independent coordinates.
        notes: differences from the declared values, as text.
    """

    snapshot: MachineSnapshot
    formulations: Mapping[str, Formulation]
    notes: tuple[str, ...] = ()


def first_snapshot(
    plants: Mapping[str, BarePlant],
    mode: str | None,
    at: Mapping[str, Conditions],
    q: Given,
    qd: Given,
) -> MachineStart:
    """Initial state of a hybrid run, at t = 0."""
    name = next(iter(plants)) if mode is None else one_name(mode, "mode")
    if name not in plants:
        raise InputError(f"there is no mode '{name}'", fix=f"Modes are: {', '.join(plants)}.")
    plant, conditions = plants[name], at[name]
    u = conditions.inputs.at(0.0)
    z = first_internal_states(plant, u)
    start = start_of(plant, q, qd, conditions.drives, u, z)
    good = plant.formulation.good_at(start.q)
    chosen = {**{n: each.formulation for n, each in plants.items()}, name: good}
    number = list(plants).index(name)
    x = make_systems(plants, at, None, chosen)[number].start(0.0, start.q, start.qd, z)
    return MachineStart(MachineSnapshot(number, x), chosen, start.notes)
