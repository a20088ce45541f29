"""What the equations of a plant read while they run, and where the inputs of the mailbox go."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.native import Method
from inloop.native.library import Reals
from inloop.native.mailbox_structure import LiveDriveStructure, TargetStructure
from inloop.plant import BarePlant, Loops
from inloop.realtime import quantities
from inloop.realtime.aspects import address
from inloop.realtime.layout import Quantity
from inloop.realtime.quantities import Plants
from inloop.simulate.live_drives import drive_inputs
from inloop.simulate.start import Given, vector
from inloop.simulate.systems import ClosedSystem, TreeSystem


@dataclass(frozen=True)
class Reads:
    """What the equations of one mode read.

    Attributes:
        tau: efforts of the joints.
        u: inputs.
        drives: name of the function of the driven joints.
        method: the integrator.
        step: of the integrator [s].
    """

    tau: Reals
    u: Reals
    drives: str | None
    method: Method
    step: float

    def system(self, plant: BarePlant, loops: Loops | None = None) -> TreeSystem | ClosedSystem:
        """What is integrated, for a choice of independent coordinates; the plant's by default."""
        if plant.loops is None:
            return TreeSystem(plant, self.tau, self.u, None, self.method)
        loops = plant.loops if loops is None else loops
        more = (self.drives, None, self.method, self.step)
        return ClosedSystem(plant, loops, self.tau, self.u, *more)


def reads_of(
    plant: BarePlant,
    first: Mapping[str, Quantity],
    motions: Mapping[str, Callable[[Any], Any]],
    method: Method,
    step: float,
) -> Reads:
    """What a plant, or one mode of it, reads: the first inputs, in memory of its own."""
    tau = np.array([first[f"{c}.tau"].default for c in plant.coordinates])
    # one more: there is always an address
    u = np.array([*(first[name].default for name in plant.inputs), 0.0])
    if plant.by_mode:
        driven = plant.loops.driven if plant.loops is not None else ()
        motions = {joint: motion for joint, motion in motions.items() if joint in driven}
    return Reads(tau, u, plant.drive_function(motions), method, step)


def first_inputs(
    plant: BarePlant, plants: Plants, tau: Given, inputs: Mapping[str, float]
) -> dict[str, Quantity]:
    """All inputs by name, with the values they have until somebody writes them.

    Args:
        plant: that of the first mode.
        plants: those of all modes.
        tau: efforts.
        inputs: other values by name.

    Raises:
        InputError: there is no such input, or a value is not finite.
    """
    found = {quantity.name: quantity for quantity in quantities.inputs(plants)}
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
        found[name] = replace(found[name], default=float(value))
    return found


def targets(
    plants: Plants, reads: Mapping[str, Reads], names: Sequence[str]
) -> tuple[TargetStructure, ...]:
    """Where inputs go: to each mode that knows them.

    Args:
        plants: the modes.
        reads: what each of them reads.
        names: of the inputs, in the order of the mailbox.
    """
    place = {name: k for k, name in enumerate(names)}
    found: list[TargetStructure] = []
    for mode, plant in plants.items():
        read = reads[mode]
        efforts = [f"{c}.tau" for c in plant.coordinates]
        for array, wanted in ((read.tau, efforts), (read.u, plant.inputs)):
            found += [
                TargetStructure(place[name], address(array, k)) for k, name in enumerate(wanted)
            ]
    return tuple(found)


def live_drives(
    plants: Plants, names: Sequence[str], replaced: Collection[str]
) -> tuple[LiveDriveStructure, ...]:
    """Positions and velocities of driven joints among the inputs of the mailbox.

    Args:
        plants: the modes.
        names: of the inputs, in the order of the mailbox.
        replaced: joints that follow a function of time instead.
    """
    place = {name: k for k, name in enumerate(names)}
    found = {j: both for plant in plants.values() for j, both in drive_inputs(plant).items()}
    return tuple(
        LiveDriveStructure(place[q], place[qd])
        for joint, (q, qd) in found.items()
        if joint not in replaced
    )
