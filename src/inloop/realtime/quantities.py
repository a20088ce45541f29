"""Names, units and ranges of what a plant tells and takes, over all of its modes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from inloop.plant import BarePlant
from inloop.realtime.layout import Quantity
from inloop.plant.units import OF_JOINTS, signal_units

Plants = Mapping[str, BarePlant]  # of the modes by name; a plant without modes is one of its own


def coordinates(plants: Plants) -> tuple[Quantity, ...]:
    """All coordinates [rad or m]."""
    return _unique(
        Quantity(name, OF_JOINTS[body.joint.kind]["q"])
        for plant in plants.values()
        for name, body in zip(plant.coordinates, plant.mechanism.bodies, strict=True)
    )


def states(plants: Plants) -> tuple[Quantity, ...]:
    """Internal states of force laws."""
    found = (state.name for plant in plants.values() for state in plant.mechanism.states)
    return _unique(map(Quantity, found))


def signals(plants: Plants, names: Iterable[str]) -> tuple[Quantity, ...]:
    """Signals by name, with the units that the modes know."""
    units = {k: v for plant in plants.values() for k, v in signal_units(plant).items()}
    return _unique(Quantity(name, _plain(units.get(name, ""))) for name in names)


def inputs(plants: Plants) -> tuple[Quantity, ...]:
    """Efforts of all joints, then the inputs of the plants, with the values they begin with."""
    efforts = (
        Quantity(f"{name}.tau", _plain(OF_JOINTS[body.joint.kind]["effort"]))
        for plant in plants.values()
        for name, body in zip(plant.coordinates, plant.mechanism.bodies, strict=True)
    )
    others = (
        Quantity(name, _unit(plant, name), default=float(value))
        for plant in plants.values()
        for name, value in zip(plant.inputs, plant.first_inputs, strict=True)
    )
    return _unique((*efforts, *others))


def parameters(plant: BarePlant) -> tuple[Quantity, ...]:
    """Live parameters with their ranges; all modes have the same."""
    found = []
    for p in plant.parameters.declared:
        least, most = p.range if p.range is not None else (-math.inf, math.inf)
        found.append(Quantity(p.name, p.unit, float(least), float(most), p.default))
    return tuple(found)


def _plain(unit: str) -> str:
    """A unit as models spell it: N*m, rad/s^2."""
    return unit.replace("·", "*").replace("²", "^2")


def _unit(plant: BarePlant, name: str) -> str:
    """Unit of an input of the model; components of external forces carry it in their names."""
    return next((i.unit for i in plant.mechanism.inputs if i.name == name), "")


def _unique(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """The first one of each name."""
    found: dict[str, Quantity] = {}
    for quantity in quantities:
        found.setdefault(quantity.name, quantity)
    return tuple(found.values())
