"""A plant made ready for the loop: its state, where inputs go and where outputs are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.native import System, aligned_zeros
from inloop.native.library import Reals
from inloop.plant import BarePlant
from inloop.realtime.layout import Layout, Quantity
from inloop.simulate.start import Given, first_state, vector
from inloop.simulate.systems import ClosedSystem, Prepared, TreeSystem


@dataclass(frozen=True)
class Wiring:
    """What the loop reads and writes.

    Attributes:
        layout: names and sizes.
        system: what the stepper integrates.
        x: its state, in memory that stays.
        x_start: its state at the start.
        sources: address of each output: q, qd, z, signals.
        targets: address of each input.
        prepared: what follows from parameters.
        expand: address of the C function that finds outputs which are not in x; 0: none.
        expanded: where it leaves q, qd, qdd, multipliers, efforts.
        keep: what must stay alive.
    """

    layout: Layout
    system: System
    x: Reals
    x_start: Reals
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    prepared: tuple[Prepared, ...]
    expand: int
    expanded: tuple[int, ...]
    keep: object


def wire(
    plant: BarePlant,
    *,
    period: float,
    q: Given,
    qd: Given,
    tau: Given,
    inputs: Mapping[str, float],
    motions: Mapping[str, Callable[[Any], Any]],
) -> Wiring:
    """Connect a plant; what is given for tau and inputs holds until a controller writes."""
    drives = plant.drive_function(motions)
    efforts = vector(plant, tau, [0.0] * plant.n, "tau")
    z = plant.first_states
    u = np.append(plant.first_inputs, 0.0)  # one more: there is always an address
    at, speed = first_state(plant, q, qd, drives, u[:-1], z)
    listed = _efforts(plant, efforts) + [
        (Quantity(name, _unit(plant, name), default=float(u[k])), _address(u, k))
        for k, name in enumerate(plant.inputs)
    ]
    closed: ClosedSystem | None = None
    if plant.loops is None:
        tree = TreeSystem(plant, efforts, u)
        system, prepared = tree.system, tree.prepared
        x_start = tree.start(0.0, at, speed, z)
    else:
        plant.loops.use(plant.loops.first)
        closed = ClosedSystem(plant, plant.loops, efforts, u, drives)
        system, prepared = closed.system, closed.prepared
        # no other partition can be built while the loop runs: go on as long as Newton converges
        x_start = closed.start(0.0, at, speed, z, guarded=False)
    listed = _with_defaults(listed, inputs, plant.name)
    x = aligned_zeros(system.size)
    x[:] = x_start
    sources, signals = _outputs(plant, x, closed)
    layout = Layout(
        plant.name,
        _coordinates(plant),
        tuple(Quantity(state.name) for state in plant.mechanism.states),
        signals,
        tuple(quantity for quantity, _ in listed),
        _parameters(plant),
        system.size,
        period,
    )
    targets = tuple(address for _, address in listed)
    expand, expanded = 0, tuple[int, ...]()
    if closed is not None:
        expand = closed.expand_address
        found = (closed.q, closed.qd, closed.qdd, closed.lam, closed.effort)
        expanded = tuple(_address(array, 0) for array in found)
    return Wiring(
        layout, system, x, np.array(x_start), sources, targets, prepared, expand, expanded,
        (plant, closed, efforts, u),
    )  # fmt: skip


def _address(array: Reals, k: int) -> int:
    return int(array.ctypes.data + 8 * k)


def _length(kind: str) -> str:
    return "m" if kind == "prismatic" else "rad"


def _coordinates(plant: BarePlant) -> tuple[Quantity, ...]:
    pairs = zip(plant.coordinates, plant.mechanism.bodies, strict=True)
    return tuple(Quantity(name, _length(body.joint.kind)) for name, body in pairs)


def _efforts(plant: BarePlant, tau: Reals) -> list[tuple[Quantity, int]]:
    units = {"m": "N", "rad": "N*m"}
    return [
        (Quantity(f"{c.name}.tau", units[c.unit], default=float(tau[k])), _address(tau, k))
        for k, c in enumerate(_coordinates(plant))
    ]


def _unit(plant: BarePlant, name: str) -> str:
    """Unit of an input of the model; components of external forces carry it in their names."""
    return next((i.unit for i in plant.mechanism.inputs if i.name == name), "")


def _with_defaults(
    listed: list[tuple[Quantity, int]], given: Mapping[str, float], plant: str
) -> list[tuple[Quantity, int]]:
    """Inputs with the values they have until somebody writes them."""
    names = [quantity.name for quantity, _ in listed]
    for name, value in given.items():
        if name not in names:
            shown = ", ".join(names[:12])
            raise InputError(f"plant '{plant}' has no input '{name}'", fix=f"Names are: {shown}.")
        if not np.isfinite(value):
            raise InputError(f"input '{name}' is {value}", fix="Give a finite number.")
    return [
        (Quantity(x.name, x.unit, x.least, x.most, float(given.get(x.name, x.default))), address)
        for x, address in listed
    ]


def _outputs(
    plant: BarePlant, x: Reals, closed: ClosedSystem | None
) -> tuple[tuple[int, ...], tuple[Quantity, ...]]:
    """Where q, qd, z and further signals are found; names of the signals."""
    n, m = plant.n, len(plant.mechanism.states)
    if closed is None or plant.loops is None:
        return tuple(_address(x, k) for k in range(2 * n + m)), ()
    first = 2 * len(plant.loops.partition.independent)
    lists = [(closed.q, n), (closed.qd, n)]
    sources = [_address(array, k) for array, count in lists for k in range(count)]
    sources += [_address(x, first + k) for k in range(m)]
    rows, driven = plant.loops.row_names, plant.loops.driven
    more = [(closed.qdd, n), (closed.lam, len(rows)), (closed.effort, len(driven))]
    sources += [_address(array, k) for array, count in more for k in range(count)]
    names = [f"{c}.qdd" for c in plant.coordinates]
    names += [f"lam.{row}" for row in rows] + [f"{joint}.effort" for joint in driven]
    return tuple(sources), tuple(Quantity(name) for name in names)


def _parameters(plant: BarePlant) -> tuple[Quantity, ...]:
    """Live parameters with their ranges."""
    found = []
    for p in plant.parameters.declared:
        least, most = p.range if p.range is not None else (-np.inf, np.inf)
        found.append(Quantity(p.name, p.unit, float(least), float(most), p.default))
    return tuple(found)
