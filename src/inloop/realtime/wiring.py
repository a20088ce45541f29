"""A plant made ready for the loop: its state, where inputs go and where outputs are found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.native import FixedSteps, MachineSnapshot, Method, Mode
from inloop.native.library import Reals
from inloop.native.machine_memory import MachineMemory
from inloop.native.mailbox_structure import AspectStructure, TargetStructure
from inloop.plant import BarePlant
from inloop.realtime.aspects import EVENTS, MODE, Aspect, address
from inloop.realtime.layout import Layout, Quantity
from inloop.simulate.faces import Face
from inloop.simulate.start import Given, first_internal_states, first_state, vector
from inloop.simulate.systems import ClosedSystem, Prepared, TreeSystem

MOST_EVENTS, SETTLE_TIME = 16, 1e-9  # in one sub-step; [s], as in `simulate`
HISTORY = 6  # numbers of an il_history


@dataclass(frozen=True)
class Wiring:
    """What the loop reads and writes.

    Attributes:
        layout: names and sizes.
        machine: what is stepped, and its memory.
        aspects: the plant in each of its modes, or with each choice of independent coordinates.
        start: stored state at the start, see il_state.c.
        told: number of the mode and of events, written by the loop.
        targets: where inputs go.
        prepared: what follows from parameters.
        has_loops: there are loops to close in each step.
        keep: what must stay alive.
    """

    layout: Layout
    machine: MachineMemory
    aspects: tuple[AspectStructure, ...]
    start: Reals
    told: Reals
    targets: tuple[TargetStructure, ...]
    prepared: tuple[Prepared, ...]
    has_loops: bool
    keep: object


@dataclass(frozen=True)
class _Reads:
    """What the equations of one mode read: efforts, inputs, motions of drives; the method."""

    tau: Reals
    u: Reals
    drives: str | None
    method: Method

    def system(self, plant: BarePlant) -> TreeSystem | ClosedSystem:
        """What is integrated, for the present choice of independent coordinates."""
        if plant.loops is None:
            return TreeSystem(plant, self.tau, self.u, None, self.method)
        loops = plant.loops
        return ClosedSystem(plant, loops, self.tau, self.u, self.drives, None, self.method)


def wire(
    plant: BarePlant,
    *,
    period: float,
    step: float,
    method: Method,
    q: Given,
    qd: Given,
    tau: Given,
    inputs: Mapping[str, float],
    motions: Mapping[str, Callable[[Any], Any]],
) -> Wiring:
    """Connect a plant; what is given for tau and inputs holds until a controller writes.

    Args:
        plant: the compiled mechanism; of one with modes, the plant of the first one.
        period: simulated time between two outputs [s].
        step: of the integrator [s].
        method: the integrator.
        q: coordinates at the start.
        qd: velocities at the start.
        tau: efforts at the start.
        inputs: other inputs at the start.
        motions: functions of time for driven joints.
    """
    plants = plant.by_mode or {plant.name: plant}
    for each in plants.values():
        if each.loops is not None:
            each.loops.use(each.loops.first)
    values = _first_inputs(plant, plants, tau, inputs)
    reads = {name: _reads(each, values, motions, method) for name, each in plants.items()}
    first, have = next(iter(plants.values())), next(iter(reads.values()))
    z = first_internal_states(first, have.u[:-1])
    at = first_state(first, q, qd, have.drives, have.u[:-1], z)
    systems = {name: reads[name].system(each) for name, each in plants.items()}
    eventful = any(each.mechanism.events for each in plants.values())
    chooses = not eventful and first.loops is not None and bool(first.loops.partition.dependent)
    prepared: list[Prepared] = []
    if eventful:
        faces = {name: Face(name, each, systems[name]) for name, each in plants.items()}
        modes = tuple(face.mode(faces) for face in faces.values())
        prepared += [face.prepared for face in faces.values()]
    else:
        modes = tuple(Mode(system.system) for system in systems.values())
    for name, each in plants.items():
        # without a choice: go on as long as Newton converges
        systems[name].start(0.0, *_rest(each), guarded=False)
    x = next(iter(systems.values())).start(0.0, *at, z, guarded=chooses)
    schedule = FixedSteps(method, step, 1)
    machine = MachineMemory(modes, MachineSnapshot(0, x), schedule, MOST_EVENTS, SETTLE_TIME)
    machine.machine.complete = 0  # there is no log: events are counted
    aspects = [Aspect(each, systems[name], machine.x, chooses) for name, each in plants.items()]
    if chooses:
        aspects += _other_choices(first, have, machine.x)
    told = np.zeros(2)
    listed = [name for aspect in aspects for name in aspect.signals]
    layout = Layout(
        plant.name.removesuffix(f"_{next(iter(plants))}") if plant.by_mode else plant.name,
        _unique(quantity for each in plants.values() for quantity in _coordinates(each)),
        _unique(Quantity(s.name) for each in plants.values() for s in each.mechanism.states),
        _unique(Quantity(name) for name in (*listed, *((MODE, EVENTS) if eventful else ()))),
        tuple(values.values()),
        _parameters(plant),
        len(start := _stored(machine, aspects[0])),
        period,
    )
    structures = tuple(aspect.structure(aspect.sources(layout, told)) for aspect in aspects)
    prepared += [found for aspect in aspects for found in aspect.prepared]
    return Wiring(
        layout,
        machine,
        structures,
        start,
        told,
        _targets(plants, reads, list(values)),
        tuple(prepared),
        any(each.loops is not None for each in plants.values()),
        (plant, aspects, modes),
    )


def _reads(
    plant: BarePlant,
    values: Mapping[str, Quantity],
    motions: Mapping[str, Callable[[Any], Any]],
    method: Method,
) -> _Reads:
    tau = np.array([values[f"{c}.tau"].default for c in plant.coordinates])
    # one more: there is always an address
    u = np.array([*(values[name].default for name in plant.inputs), 0.0])
    driven = plant.loops.driven if plant.loops is not None else ()
    wanted = motions
    if plant.by_mode:
        wanted = {joint: motion for joint, motion in motions.items() if joint in driven}
    return _Reads(tau, u, plant.drive_function(wanted), method)


def _rest(plant: BarePlant) -> tuple[Reals, Reals, Reals]:
    """A position that fits the loops, no velocities, states of laws."""
    at = plant.loops.position.q if plant.loops is not None else np.zeros(plant.n)
    return at, np.zeros(plant.n), plant.first_states


def _other_choices(plant: BarePlant, reads: _Reads, x: Reals) -> list[Aspect]:
    """All choices of independent coordinates that have been built so far, but the first."""
    assert plant.loops is not None
    found = []
    for partition in plant.loops.known[1:]:
        plant.loops.use(partition)
        found.append(Aspect(plant, reads.system(plant), x, True))
    plant.loops.use(plant.loops.first)
    return found


def _stored(machine: MachineMemory, first: Aspect) -> Reals:
    """The state at the start as il_state.c stores it: nothing entered, armed or fired yet."""
    sizes, guard = machine.table.sizes, first.guard
    events = 2 + sizes.armed + HISTORY * sizes.transitions if sizes.transitions else 0
    guarded = [] if guard is None else [0.0, *guard]
    return np.concatenate([machine.x, np.zeros(events), guarded])


def _first_inputs(
    plant: BarePlant, plants: Mapping[str, BarePlant], tau: Given, inputs: Mapping[str, float]
) -> dict[str, Quantity]:
    """All inputs by name, with the values they have until somebody writes them."""
    units = {"m": "N", "rad": "N*m"}
    listed = _unique(
        Quantity(f"{c.name}.tau", units[c.unit])
        for each in plants.values()
        for c in _coordinates(each)
    ) + _unique(
        Quantity(name, _unit(each, name), default=float(value))
        for each in plants.values()
        for name, value in zip(each.inputs, each.first_inputs, strict=True)
    )
    found = {quantity.name: quantity for quantity in listed}
    given = dict(inputs)
    if isinstance(tau, Mapping) and plant.by_mode:
        given |= {f"{name}.tau": value for name, value in tau.items()}
    elif tau is not None:
        efforts = vector(plant, tau, [0.0] * plant.n, "tau")
        both = zip(plant.coordinates, efforts, strict=True)
        given = {f"{name}.tau": float(value) for name, value in both} | given
    for name, value in given.items():
        if name not in found:
            shown = ", ".join(list(found)[:12])
            raise InputError(
                f"plant '{plant.name}' has no input '{name}'", fix=f"Names are: {shown}."
            )
        if not math.isfinite(value):
            raise InputError(f"input '{name}' is {value}", fix="Give a finite number.")
        known = found[name]
        found[name] = Quantity(name, known.unit, known.least, known.most, float(value))
    return found


def _targets(
    plants: Mapping[str, BarePlant], reads: Mapping[str, _Reads], names: list[str]
) -> tuple[TargetStructure, ...]:
    """Where inputs go: to each mode that knows them."""
    found: list[TargetStructure] = []
    for mode, plant in plants.items():
        read = reads[mode]
        efforts = [f"{c}.tau" for c in plant.coordinates]
        for array, wanted in ((read.tau, efforts), (read.u, plant.inputs)):
            found += [
                TargetStructure(names.index(name), address(array, k))
                for k, name in enumerate(wanted)
            ]
    return tuple(found)


def _unique(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """The first one of each name."""
    found: dict[str, Quantity] = {}
    for quantity in quantities:
        found.setdefault(quantity.name, quantity)
    return tuple(found.values())


def _coordinates(plant: BarePlant) -> tuple[Quantity, ...]:
    units = {"prismatic": "m"}
    pairs = zip(plant.coordinates, plant.mechanism.bodies, strict=True)
    return tuple(Quantity(name, units.get(body.joint.kind, "rad")) for name, body in pairs)


def _unit(plant: BarePlant, name: str) -> str:
    """Unit of an input of the model; components of external forces carry it in their names."""
    return next((i.unit for i in plant.mechanism.inputs if i.name == name), "")


def _parameters(plant: BarePlant) -> tuple[Quantity, ...]:
    """Live parameters with their ranges."""
    found = []
    for p in plant.parameters.declared:
        least, most = p.range if p.range is not None else (-np.inf, np.inf)
        found.append(Quantity(p.name, p.unit, float(least), float(most), p.default))
    return tuple(found)
