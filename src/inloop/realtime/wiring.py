"""Prepare a plant for the loop: an instance at its start, and its inputs and outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.native import Method
from inloop.native.library import Reals
from inloop.native.running.follower import NativeFollower
from inloop.native.running.instance import Instance
from inloop.plant import BarePlant
from inloop.plant.quantities.inputs_outputs import input_quantities
from inloop.plant.reach import Reach, reach_of
from inloop.plant.unit import common_name
from inloop.realtime import quantities
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.realtime.quantities import Plants
from inloop.simulate.controlled.compiled import inputs_led_by_plant, refuse_led
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import Inputs
from inloop.simulate.live_drives import drive_inputs
from inloop.simulate.start import Given, first_internal_states, start_of, vector
from inloop.simulate.systems import Conditions, System, make_systems


@dataclass(frozen=True)
class Wiring:
    """Inputs and outputs of the loop.

    Attributes:
        layout: names and sizes.
        instance: the instance to step.
        systems: its modes.
        start: its snapshot at the start.
        has_loops: whether there are loops to close in each step.
        drives: indices of the position and velocity inputs of driven joints, which must be
            consistent.
        gaps: indices of the outputs that are gaps of contacts.
        reach: kinematics for pulls on its bodies.
        notes: differences between the start and the initial values of the model, in words.
        follower: an observer inside the loop.
        first: another snapshot to begin with, and its step number.
    """

    layout: Layout
    instance: Instance
    systems: tuple[System, ...]
    start: Reals
    has_loops: bool
    drives: tuple[tuple[int, int], ...]
    gaps: tuple[int, ...]
    reach: Reach
    notes: tuple[str, ...]
    follower: NativeFollower | None = None
    first: Reals | None = None

    @property
    def closes_loops(self) -> bool:
        """Whether loops are closed in chosen coordinates, not within the steps."""
        return self.has_loops and all(system.newton is None for system in self.systems)


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
    states: Mapping[str, float] | None = None,
    t: float = 0.0,
) -> Wiring:
    """Connect a plant; given tau and inputs hold until a controller writes.

    Args:
        plant: the compiled mechanism; for one with modes, the plant of the first one.
        period: simulated time between two outputs [s].
        step: of the integrator [s].
        method: the integrator.
        q: initial coordinates.
        qd: initial velocities.
        tau: initial efforts.
        inputs: other initial inputs.
        motions: functions of time for driven joints.
        states: initial internal states of laws, by name; default: as declared.
        t: initial simulated time [s].
    """
    plants: Plants = plant.by_mode or {plant.name: plant}
    values = first_inputs(plant, plants, tau, inputs)
    at = {name: _conditions(each, values, motions) for name, each in plants.items()}
    first, conditions = next(iter(plants.values())), next(iter(at.values()))
    u = conditions.inputs.constant
    z = first_internal_states(first, u)
    for k, state in enumerate(first.mechanism.states):
        z[k] = (states or {}).get(state.name, z[k])
    begin = start_of(first, q, qd, conditions.drives, u, z)
    chosen = {next(iter(plants)): first.formulation.good_at(begin.q)}
    systems = make_systems(plants, at, method, chosen, step)
    for system in systems:
        system.watch_from_home()
    instance = systems[0].instance
    instance.begin(0, systems[0].start(t, begin.q, begin.qd, z))
    start = instance.snapshot()
    reach = reach_of(plants)
    layout = Layout(
        common_name(plants),
        quantities.coordinates(plants),
        quantities.states(plants),
        quantities.signals(plants),
        tuple(values.values()),
        quantities.parameters(plant),
        len(start),
        period,
        bodies=reach.bodies,
    )
    return Wiring(
        layout,
        instance,
        tuple(systems),
        start,
        any(not system.formulation.unconstrained for system in systems),
        _live_drives(plants, list(values), motions),
        _gaps(plants, layout),
        reach,
        begin.notes,
    )


def _live_drives(
    plants: Plants, names: Sequence[str], replaced: Collection[str]
) -> tuple[tuple[int, int], ...]:
    """Position and velocity inputs of driven joints among the inputs of the mailbox.

    Args:
        plants: the modes.
        names: of the inputs, in the order of the mailbox.
        replaced: joints that follow a function of time instead.
    """
    place = {name: k for k, name in enumerate(names)}
    found = {j: both for plant in plants.values() for j, both in drive_inputs(plant).items()}
    return tuple((place[q], place[qd]) for j, (q, qd) in found.items() if j not in replaced)


def _gaps(plants: Plants, layout: Layout) -> tuple[int, ...]:
    """Indices of the outputs that are gaps of contacts."""
    # forces of hard contacts need not be resolved
    contacts = [
        item
        for plant in plants.values()
        for item in plant.mechanism.contacts
        if item not in plant.mechanism.hard_contacts
    ]
    known, gaps = layout.index, dict.fromkeys(contact.gap for contact in contacts)
    return tuple(known[gap] for gap in gaps if gap in known)


def _conditions(
    plant: BarePlant, first: Mapping[str, Quantity], motions: Mapping[str, Callable[[Any], Any]]
) -> Conditions:
    """Initial inputs of a plant, or of one mode of it."""
    # the effort of a joint_input is an input of the plant, not also one of its coordinate
    efforts = [(f"{c}.tau", f"{c}.tau" in plant.inputs) for c in plant.coordinates]
    tau = np.array([0.0 if declared else first[name].default for name, declared in efforts])
    u = np.array([first[name].default for name in plant.inputs])
    if plant.has_events:
        driven = plant.formulation.driven
        motions = {joint: motion for joint, motion in motions.items() if joint in driven}
    return Conditions(tau, Inputs(u), read_drives(plant, motions))


def first_inputs(
    plant: BarePlant, plants: Plants, tau: Given, inputs: Mapping[str, float]
) -> dict[str, Quantity]:
    """All inputs by name, with their values until they are written.

    Args:
        plant: that of the first mode.
        plants: those of all modes.
        tau: efforts.
        inputs: other values by name.

    Raises:
        InputError: there is no such input, or a value is not finite.
    """
    found = {
        x.name: Quantity(x.name, x.unit, x.least, x.most, x.start) for x in input_quantities(plants)
    }
    given = dict(inputs)
    if isinstance(tau, Mapping) and plant.by_mode:
        given |= {f"{name}.tau": value for name, value in tau.items()}
    elif tau is not None:
        efforts = vector(plant, tau, [0.0] * plant.n, "tau")
        both = zip(plant.coordinates, efforts, strict=True)
        given = {f"{name}.tau": float(value) for name, value in both} | given
    named = (f"{name}.tau" for name in tau) if isinstance(tau, Mapping) else ()
    refuse_led(inputs_led_by_plant(plants), (*inputs, *named))
    for name, value in given.items():
        if name not in found:
            raise InputError(
                f"plant '{plant.name}' has no input '{name}'", fix=name_hint(name, found)
            )
        if not math.isfinite(value):
            raise InputError(f"input '{name}' is {value}", fix="Give a finite number.")
        found[name] = replace(found[name], default=float(value))
    return found
