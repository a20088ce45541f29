"""Unknowns of an equilibrium: coordinates, efforts, inputs, parameters, states of laws."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from inloop.analysis.reduction import Reduction
from inloop.errors import InputError
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import name_list, one_name

Kind = Literal["coordinate", "effort", "input", "parameter", "state"]


@dataclass
class Setting:
    """The quantities that determine the forces at rest.

    Attributes:
        q: coordinates [rad or m].
        tau: joint efforts [N·m or N].
        u: inputs.
        z: states of force laws.
        t: time [s].
    """

    q: Array
    tau: Array
    u: Array
    z: Array
    t: float = 0.0

    def copy(self) -> Setting:
        """A deep copy."""
        return Setting(self.q.copy(), self.tau.copy(), self.u.copy(), self.z.copy(), self.t)


@dataclass(frozen=True)
class Unknown:
    """An entry of a setting, or a parameter of the plant."""

    name: str
    kind: Kind
    index: int = -1

    def size(self, reduction: Reduction) -> float:
        """Its natural size if known, else 1."""
        if self.kind == "coordinate":
            return float(reduction.sizes[self.index])
        if self.kind == "parameter":
            return abs(reduction.plant.parameters[self.name]) or 1.0
        return 1.0

    def read(self, plant: BarePlant, setting: Setting) -> float:
        """Its value."""
        if self.kind == "parameter":
            return plant.parameters[self.name]
        return float(self._array(setting)[self.index])

    def write(self, plant: BarePlant, setting: Setting, value: float) -> None:
        """Set its value."""
        if self.kind == "parameter":
            plant.parameters[self.name] = value
        else:
            self._array(setting)[self.index] = value

    def _array(self, setting: Setting) -> Array:
        return {
            "coordinate": setting.q,
            "effort": setting.tau,
            "input": setting.u,
            "state": setting.z,
        }[self.kind]


def find_unknown(reduction: Reduction, name: str) -> Unknown:
    """Look up a name: coordinate, "<joint>.effort", input or parameter."""
    plant, name = reduction.plant, one_name(name, "a quantity")
    if name in plant.coordinates:
        return Unknown(name, "coordinate", plant.coordinates.index(name))
    if name in plant.inputs:
        _refuse_leading(plant, name)
        return Unknown(name, "input", plant.inputs.index(name))
    if name in plant.parameters:
        return Unknown(name, "parameter")
    joint, _, kind = name.rpartition(".")
    if joint in plant.coordinates and kind == "effort":
        return Unknown(name, "effort", plant.coordinates.index(joint))
    known = (*plant.coordinates[:8], *plant.inputs[:4], *list(plant.parameters)[:8])
    raise InputError(
        f"model '{plant.name}' has no coordinate, effort, input or parameter '{name}'",
        fix=f"Names are: {', '.join(known)}; an effort is '<joint>.effort'.",
    )


def _refuse_leading(plant: BarePlant, name: str) -> None:
    for drive in plant.mechanism.drives:
        if name in {signal.name for signal in drive.inputs}:
            joint = plant.coordinates[drive.body]
            raise InputError(
                f"input '{name}' leads the driven joint '{joint}', which rests here",
                fix=f"Sweep over '{joint}' itself; an equilibrium takes its position from q.",
            )


def find_unknowns(
    reduction: Reduction, names: Sequence[str], held: Collection[int]
) -> list[Unknown]:
    """Unknowns by name, then all states of force laws, whose values at rest are always unknown.

    Coordinates among them must be free to move.
    """
    found = [find_unknown(reduction, name) for name in name_list(names, "unknowns")]
    found += [Unknown(name, "state", k) for k, name in enumerate(reduction.states)]
    for unknown in found:
        if unknown.kind == "coordinate" and independent(reduction, unknown.name) in held:
            raise InputError(
                f"coordinate '{unknown.name}' is both unknown and fixed", fix="Choose one."
            )
    return found


def independent(reduction: Reduction, name: str) -> int:
    """Index of an independent coordinate."""
    names = reduction.plant.coordinates
    if name not in names:
        raise InputError(
            f"model '{reduction.plant.name}' has no coordinate '{name}'",
            fix=f"Independent coordinates are: {', '.join(reduction.names[:20])}.",
        )
    index = names.index(name)
    if index not in reduction.independent:
        raise InputError(
            f"coordinate '{name}' is {reduction.role(index)}, not independent",
            fix=f"Use one of {', '.join(reduction.names[:20]) or 'none'}, or choose others in "
            "the model with m.independent(...).",
        )
    return index
