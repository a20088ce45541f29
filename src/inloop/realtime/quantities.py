"""Names, units and ranges of the outputs and inputs of a plant, over all its modes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from inloop.plant import BarePlant
from inloop.plant.quantities.inputs_outputs import output_quantities
from inloop.realtime.mailboxes.layout import Quantity

Plants = Mapping[str, BarePlant]  # of the modes by name; a plant without modes is its own


def coordinates(plants: Plants) -> tuple[Quantity, ...]:
    """All coordinates [rad or m]."""
    return _unique(
        Quantity(name, body.joint.kind.dimension.unit)
        for plant in plants.values()
        for name, body in zip(plant.coordinates, plant.mechanism.bodies, strict=True)
    )


def states(plants: Plants) -> tuple[Quantity, ...]:
    """Internal states of force laws, and components of quaternions."""
    found = (name for plant in plants.values() for name in plant.mechanism.state_names)
    return _unique(map(Quantity, found))


def signals(plants: Plants) -> tuple[Quantity, ...]:
    """Outputs of the plant besides q, qd and states."""
    outputs = output_quantities(plants)
    known = 2 * len(coordinates(plants)) + len(states(plants))
    return tuple(Quantity(x.name, x.unit) for x in outputs[known:])


def parameters(plant: BarePlant) -> tuple[Quantity, ...]:
    """Live parameters with their ranges; all modes have the same."""
    found = []
    for p in plant.parameters.declared:
        least, most = p.range if p.range is not None else (-math.inf, math.inf)
        found.append(Quantity(p.name, p.unit, float(least), float(most), p.default))
    return tuple(found)


def _unique(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """The first one of each name."""
    found: dict[str, Quantity] = {}
    for quantity in quantities:
        found.setdefault(quantity.name, quantity)
    return tuple(found.values())
