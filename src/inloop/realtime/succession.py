"""Replace a running plant by an edited one: its state is kept where names agree.

Used when a description is edited while its plant runs. Coordinates, velocities, states of laws,
parameters and inputs are taken over by name and unit; loops are closed nearby. Anything that
cannot be kept is reported.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.errors import InloopError, MailboxError
from inloop.native.library import Reals
from inloop.plant import BarePlant
from inloop.realtime.loop import Loop
from inloop.realtime.mailboxes.attach import attach
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.realtime.mailboxes.outputs import Outputs, Snapshot
from inloop.realtime.mailboxes.segment import running
from inloop.realtime.options import Options
from inloop.realtime.quantities import coordinates
from inloop.realtime.wiring import first_inputs, wire
from inloop.simulate.schedules import METHODS

FACT = "taken over"  # fact of a plant that has replaced another
GONE_WITHIN = 10.0  # [s]
LOOK_EVERY = 0.005  # [s]


@dataclass(frozen=True)
class Heritage:
    """State of a running plant that fits another one.

    Attributes:
        outputs: the newest ones.
        q: coordinates, and components of quaternions, by name.
        qd: velocities by the name of the coordinate.
        states: of laws, by name.
        inputs: by name.
        parameters: changed parameters, by name.
        left: quantities that do not fit, in words.
    """

    outputs: Outputs
    q: dict[str, float]
    qd: dict[str, float]
    states: dict[str, float]
    inputs: dict[str, float]
    parameters: dict[str, float]
    left: tuple[str, ...]


def heritage(
    plant: BarePlant, layout: Layout, outputs: Outputs, values: Mapping[str, float]
) -> Heritage:
    """State of a running plant that fits another one.

    Args:
        plant: the other one.
        layout: layout of the running one.
        outputs: its newest outputs.
        values: its parameters.
    """
    plants = plant.by_mode or {plant.name: plant}
    old, new = _units(layout.coordinates), _units(coordinates(plants))
    same = [name for name in old if new.get(name) == old[name]]
    left = [f"coordinate {name}" for name in [*old, *new] if name not in same]
    states = [x.name for x in layout.states]
    known = set(plant.mechanism.state_names)
    left += [f"state {name}" for name in dict.fromkeys([*states, *plant.mechanism.state_names])
             if name not in known or name not in states]  # fmt: skip
    inputs = _units(layout.inputs)
    taken = {x.name: x.unit for x in first_inputs(plant, plants, None, {}).values()}
    parameters, refused = _parameters(plant, layout, values)
    shared = [name for name in states if name in known]
    turns = [name for name in plant.positions[plant.n :] if name in shared]
    return Heritage(
        outputs,
        {name: outputs[f"{name}.q"] for name in same} | {name: outputs[name] for name in turns},
        {name: outputs[f"{name}.qd"] for name in same},
        {name: outputs[name] for name in shared if name not in turns},
        {name: outputs[name] for name in inputs if taken.get(name) == inputs[name]},
        parameters,
        (*dict.fromkeys(left), *refused),
    )


def _units(quantities: Sequence[Quantity]) -> dict[str, str]:
    return {x.name: x.unit for x in quantities}


def _parameters(
    plant: BarePlant, layout: Layout, values: Mapping[str, float]
) -> tuple[dict[str, float], list[str]]:
    """Changed values that fit; the others are those of the description."""
    declared = {p.name: p for p in plant.parameters.declared}
    kept, left = {}, []
    for old in layout.parameters:
        value = values.get(old.name, old.default)
        if value == old.default:
            continue
        new = declared.get(old.name)
        least, most = (-np.inf, np.inf) if new is None or new.range is None else new.range
        if new is not None and float(least) <= value <= float(most):
            kept[old.name] = value
        else:
            left.append(f"parameter {old.name} = {value:g}")
    return kept, left


class Successor:
    """Replaces a running plant.

    Args:
        plant: the new plant, compiled; takes over parameters.
        name: name of the running one.
        options: how it will run.

    Attributes:
        snapshot: its initial state; None: the declared start.
    """

    def __init__(self, plant: BarePlant, name: str, options: Options) -> None:
        self._plant, self._name, self._options = plant, name, options
        self._found: Heritage | None = None
        self.snapshot: Snapshot | None = None
        self._left: list[str] = []

    def take_over(self) -> str:
        """Read the state of the other plant and end it; returns what was kept, as JSON."""
        try:
            with attach(self._name) as box:
                outputs = box.peek()
                values = box.parameters_at(outputs.parameter_sequence) or {}
                self._found = heritage(self._plant, box.layout, outputs, values)
                self._left += self._found.left
                self._take_parameters(self._found.parameters)
                self.snapshot = self._fitting_state(self._found)
                box.stop()
                ends_itself = box.process != os.getpid()
        except MailboxError as error:
            self._left.append(f"everything: {error.mistakes[0].what}")
            ends_itself = True
        end = time.monotonic() + GONE_WITHIN
        while ends_itself and self._name in running() and time.monotonic() < end:
            time.sleep(LOOK_EVERY)
        return json.dumps({"state": self.snapshot is not None, "left": self._left})

    def _take_parameters(self, values: Mapping[str, float]) -> None:
        try:
            self._plant.parameters.update(dict(values))
        except InloopError as error:
            self._left.append(f"parameters: {error.mistakes[0].what}")

    def _fitting_state(self, found: Heritage) -> Snapshot | None:
        """The state of the other plant as a state of this one; None for the declared start."""
        plant = self._plant
        if plant.by_mode:
            self._left.append("the state: the mechanism has modes, and begins in the first one")
            return None
        if not found.q:
            self._left.append("the state: no coordinate has the same name and unit")
            return None
        free = plant.formulation.unconstrained
        period = self._options.period
        step = round(found.outputs.t / period) if free else 0
        try:
            q = self._near(found.q)
            x = self._wired(found, q, step * period)
        except (InloopError, ArithmeticError, np.linalg.LinAlgError) as error:
            told = error.mistakes[0].what if isinstance(error, InloopError) else str(error)
            self._left.append(f"the state: {told}")
            return None
        return Snapshot(step, x)

    def _near(self, wanted: Mapping[str, float]) -> Reals:
        """A closed position near the old one."""
        plant = self._plant
        q = np.array(plant.mechanism.first_q, dtype=np.float64)
        places = {name: k for k, name in enumerate(plant.positions)}
        for name, value in wanted.items():
            q[places[name]] = value
        if plant.formulation.unconstrained:
            return q
        found = plant.formulation.assemble(q)
        if not found.closed:
            raise MailboxError("the loops cannot be closed near where they were")
        return found.q

    def _wired(self, found: Heritage, q: Reals, t: float) -> Reals:
        """State of the stepper."""
        plant, options = self._plant, self._options
        free = set(plant.formulation.independent)
        assert options.method is not None
        return wire(
            plant,
            period=options.period,
            step=options.period / options.substeps,
            method=METHODS[options.method],
            q=q,
            qd={name: value for name, value in found.qd.items() if name in free},
            tau=None,
            inputs=found.inputs,
            motions={},
            states=found.states,
            t=t,
        ).start

    def hand_over(self, loop: Loop) -> None:
        """Write the inherited inputs to the plant, which has started at `snapshot`."""
        if self._found is not None and self._found.inputs:
            loop.mailbox.rest(self._found.inputs)


def told_of(layout: Layout) -> dict[str, Any] | None:
    """What a running plant has taken over; None if nothing."""
    text = dict(layout.about).get(FACT)
    try:
        data = json.loads(text) if text is not None else None
    except ValueError:
        return None
    fits = isinstance(data, dict) and isinstance(data.get("left"), list)
    return data if fits else None
