"""A plant made ready for the loop: its state, where inputs go and where outputs are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.native import FixedSteps, MachineSnapshot, Method, Mode
from inloop.native.library import Reals
from inloop.native.machine_memory import MachineMemory
from inloop.native.mailbox_structure import (
    AspectStructure,
    LiveDriveStructure,
    TargetStructure,
)
from inloop.plant import BarePlant
from inloop.realtime import quantities
from inloop.realtime.aspects import EVENTS, MODE, Aspect
from inloop.realtime.layout import Layout
from inloop.realtime.quantities import Plants
from inloop.realtime.reads import Reads, first_inputs, live_drives, reads_of, targets
from inloop.simulate.faces import Face
from inloop.simulate.start import Given, first_internal_states, start_of
from inloop.simulate.systems import ClosedSystem, Prepared, TreeSystem

MOST_EVENTS = 16  # in one sub-step
HISTORY = 6  # numbers of an il_history

Systems = Mapping[str, TreeSystem | ClosedSystem]


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
        drives: inputs of driven joints whose positions must not move without their velocities.
        gaps: numbers of the outputs that are gaps of contacts.
        prepared: what follows from parameters.
        has_loops: there are loops to close in each step.
        notes: what differs at the start from the initial values of the model, in words.
        keep: what must stay alive.
    """

    layout: Layout
    machine: MachineMemory
    aspects: tuple[AspectStructure, ...]
    start: Reals
    told: Reals
    targets: tuple[TargetStructure, ...]
    drives: tuple[LiveDriveStructure, ...]
    gaps: tuple[int, ...]
    prepared: tuple[Prepared, ...]
    has_loops: bool
    notes: tuple[str, ...]
    keep: object


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
    plants: Plants = plant.by_mode or {plant.name: plant}
    values = first_inputs(plant, plants, tau, inputs)
    reads = {name: reads_of(each, values, motions, method, step) for name, each in plants.items()}
    systems = {name: reads[name].system(each) for name, each in plants.items()}
    modes, read_by_events = _modes(plants, systems)
    eventful = any(mode.transitions for mode in modes)
    first, have = next(iter(plants.values())), next(iter(reads.values()))
    chooses = not eventful and first.loops is not None and bool(first.loops.partition.dependent)
    u = have.u[:-1]
    z = first_internal_states(first, u)
    begin = start_of(first, q, qd, have.drives, u, z)
    x = next(iter(systems.values())).start(0.0, begin.q, begin.qd, z, guarded=chooses)
    schedule = FixedSteps(method, step, 1)
    machine = MachineMemory(modes, MachineSnapshot(0, x), schedule, MOST_EVENTS)
    machine.machine.complete = 0  # there is no log: events are counted
    aspects = [Aspect(each, systems[name], machine.x, chooses) for name, each in plants.items()]
    if chooses:
        aspects += _other_choices(first, have, machine.x)
    signals = [name for aspect in aspects for name in aspect.signals]
    start, told = _stored(machine, aspects[0]), np.zeros(2)
    layout = Layout(
        plant.name.removesuffix(f"_{next(iter(plants))}") if plant.by_mode else plant.name,
        quantities.coordinates(plants),
        quantities.states(plants),
        quantities.signals(plants, [*signals, *((MODE, EVENTS) if eventful else ())]),
        tuple(values.values()),
        quantities.parameters(plant),
        len(start),
        period,
    )
    return Wiring(
        layout,
        machine,
        tuple(aspect.structure(layout, aspect.sources(layout, told)) for aspect in aspects),
        start,
        told,
        targets(plants, reads, list(values)),
        live_drives(plants, list(values), motions),
        _gaps(plants, layout),
        (*read_by_events, *(found for aspect in aspects for found in aspect.prepared)),
        any(each.loops is not None for each in plants.values()),
        begin.notes,
        (plant, aspects, modes),
    )


def _modes(plants: Plants, systems: Systems) -> tuple[tuple[Mode, ...], tuple[Prepared, ...]]:
    """What the machine steps, and what its events read that follows from parameters."""
    for name, plant in plants.items():
        # without a choice of coordinates: go on as long as Newton converges
        at = plant.loops.home() if plant.loops is not None else np.zeros(plant.n)
        systems[name].start(0.0, at, np.zeros(plant.n), plant.first_states, guarded=False)
    if not any(plant.mechanism.events for plant in plants.values()):
        return tuple(Mode(system.system) for system in systems.values()), ()
    faces = {name: Face(name, plant, systems[name]) for name, plant in plants.items()}
    modes = tuple(face.mode(faces) for face in faces.values())
    return modes, tuple(face.prepared for face in faces.values())


def _gaps(plants: Plants, layout: Layout) -> tuple[int, ...]:
    """Numbers of the outputs that are gaps of contacts."""
    laws = [law for plant in plants.values() for law in plant.mechanism.frame_forces]
    known = layout.index
    gaps = dict.fromkeys(f"{law.name}.gap" for law in laws if law.contact)
    return tuple(known[gap] for gap in gaps if gap in known)


def _other_choices(plant: BarePlant, reads: Reads, x: Reals) -> list[Aspect]:
    """All choices of independent coordinates that have been built so far, but the first."""
    assert plant.loops is not None
    found = []
    for partition in plant.loops.known[1:]:
        loops = plant.loops.with_partition(partition)
        found.append(Aspect(plant, reads.system(plant, loops), x, True))
    return found


def _stored(machine: MachineMemory, first: Aspect) -> Reals:
    """The state at the start as il_state.c stores it: nothing entered, armed or fired yet."""
    sizes, guard = machine.table.sizes, first.guard
    events = 2 + sizes.armed + HISTORY * sizes.transitions if sizes.transitions else 0
    guarded = [] if guard is None else [0.0, *guard]
    return np.concatenate([machine.x, np.zeros(events), guarded])
