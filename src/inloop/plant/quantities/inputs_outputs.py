"""Names, units and places of what goes into a plant and comes out of it, over all of its modes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from inloop.codegen.c_plant import Quantity
from inloop.plant.quantities.units import ENERGIES, cut_signals, signal_units

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant

MODE, EVENTS = "mode", "events"  # outputs of a plant with events
Plants = Mapping[str, "BarePlant"]  # of the modes by name; a plant without modes is one of its own


def input_quantities(plants: Plants) -> tuple[Quantity, ...]:
    """Efforts of all joints, then the inputs of the plants, with the values they begin with."""
    efforts = (
        Quantity(
            f"{name}.tau",
            _plain(body.joint.kind.dimension.effort),
            least=-body.joint.effort,
            most=body.joint.effort,
        )
        for plant in plants.values()
        for name, body in zip(plant.coordinates, plant.mechanism.bodies, strict=True)
    )
    others = (
        Quantity(name, _input_unit(plant, name), float(value))
        for plant in plants.values()
        for name, value in zip(plant.inputs, plant.first_inputs, strict=True)
    )
    return _unique((*efforts, *others))


def input_units(plant: BarePlant) -> dict[str, str]:
    """Units of what goes in, by name."""
    return {x.name: x.unit for x in input_quantities({plant.name: plant})}


def output_quantities(plants: Plants) -> tuple[Quantity, ...]:
    """q, then qd of all coordinates, states of laws, and signals."""
    of_joints: dict[str, dict[str, str]] = {}
    for plant in plants.values():
        for name, body in zip(plant.coordinates, plant.mechanism.bodies, strict=True):
            of_joints.setdefault(name, body.joint.kind.dimension.units)
    motion = (
        Quantity(f"{name}.{kind}", units[kind])
        for kind in ("q", "qd")
        for name, units in of_joints.items()
    )
    states = (Quantity(name) for plant in plants.values() for name in plant.mechanism.state_names)
    units = {k: v for plant in plants.values() for k, v in signal_units(plant).items()}
    names: list[str] = []
    for plant in plants.values():
        names += plant.formulation.signal_names
        names += (output.name for output in plant.mechanism.law_outputs)
        names += (signal.name for signal in plant.mechanism.sensor_signals)
    if any(plant.mechanism.events for plant in plants.values()):
        names += [MODE, EVENTS]
    signals = (Quantity(name, _plain(units.get(name, ""))) for name in names)
    return _unique((*motion, *states, *signals))


def output_units(plants: Plants) -> dict[str, str]:
    """Unit by name of all that a plant tells: time, outputs, forces of cuts, energies."""
    units = {k: v for plant in plants.values() for k, v in signal_units(plant).items()}
    outputs = (output.name for output in output_quantities(plants))
    cuts = (name for plant in plants.values() for name in cut_signals(plant))
    return {name: units.get(name, "") for name in ("t", *outputs, *cuts, *ENERGIES)}


def output_places(plant: BarePlant, outputs: Iterable[Quantity]) -> tuple[tuple[str, int], ...]:
    """Where each output is found: of what, as the runtime names it, and which entry."""
    known: dict[str, tuple[str, int]] = {MODE: ("IL_OF_MODE", 0), EVENTS: ("IL_OF_EVENTS", 0)}
    for k, name in enumerate(plant.coordinates):
        known |= {f"{name}.q": ("IL_OF_Q", k), f"{name}.qd": ("IL_OF_QD", k)}
    known |= {state.name: ("IL_OF_Z", k) for k, state in enumerate(plant.mechanism.states)}
    turning = plant.mechanism.positions[plant.n :]
    known |= {name: ("IL_OF_Q", plant.n + k) for k, name in enumerate(turning)}
    known |= {out.name: ("IL_OF_LAWS", k) for k, out in enumerate(plant.mechanism.law_outputs)}
    sensed = enumerate(plant.mechanism.sensor_signals)
    known |= {signal.name: ("IL_OF_SENSORS", k) for k, signal in sensed}
    known |= plant.formulation.signal_places
    return tuple(known.get(output.name, ("IL_NOT_THERE", 0)) for output in outputs)


def input_places(plant: BarePlant, inputs: Iterable[Quantity]) -> tuple[tuple[str, int], ...]:
    """Where each input belongs, in the same way."""
    known = {f"{c}.tau": ("IL_OF_TAU", k) for k, c in enumerate(plant.coordinates)}
    known |= {name: ("IL_OF_U", k) for k, name in enumerate(plant.inputs)}
    return tuple(known.get(item.name, ("IL_NOT_THERE", 0)) for item in inputs)


def _plain(unit: str) -> str:
    """A unit as models spell it: N*m, rad/s^2."""
    return unit.replace("·", "*").replace("²", "^2")


def _input_unit(plant: BarePlant, name: str) -> str:
    """Unit of an input of the model; components of external forces carry it in their names."""
    return next((i.unit for i in plant.mechanism.inputs if i.name == name), "")


def _unique(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """The first one of each name."""
    found: dict[str, Quantity] = {}
    for quantity in quantities:
        found.setdefault(quantity.name, quantity)
    return tuple(found.values())
