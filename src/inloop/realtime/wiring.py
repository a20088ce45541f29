"""A plant made ready for the loop: its state, where inputs go and where outputs are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.native import Method, System, aligned_zeros
from inloop.native.library import Reals
from inloop.plant import BarePlant
from inloop.realtime.layout import Layout, Quantity
from inloop.simulate.start import Given, first_state, vector
from inloop.simulate.systems import ClosedSystem, Prepared, TreeSystem

_NOTHING = np.zeros(1)


@dataclass(frozen=True)
class Choice:
    """One choice of independent coordinates of a mechanism with loops.

    Attributes:
        closed: the system for it.
        sources: address of each output.
        independent, dependent: numbers of the coordinates.
    """

    closed: ClosedSystem
    sources: tuple[int, ...]
    independent: tuple[int, ...]
    dependent: tuple[int, ...]


@dataclass(frozen=True)
class Wiring:
    """What the loop reads and writes.

    Attributes:
        layout: names and sizes.
        system: what the stepper integrates, at the start.
        x: its state, in memory that stays.
        x_start: its state at the start.
        sources: address of each output: q, qd, z, signals.
        targets: address of each input.
        prepared: what follows from parameters.
        choices: of independent coordinates, for a mechanism with loops; the first one first.
        keep: what must stay alive.
    """

    layout: Layout
    system: System
    x: Reals
    x_start: Reals
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    prepared: tuple[Prepared, ...]
    choices: tuple[Choice, ...]
    keep: object


def wire(
    plant: BarePlant,
    *,
    period: float,
    method: Method,
    q: Given,
    qd: Given,
    tau: Given,
    inputs: Mapping[str, float],
    motions: Mapping[str, Callable[[Any], Any]],
) -> Wiring:
    """Connect a plant; what is given for tau and inputs holds until a controller writes."""
    if plant.mechanism.mode:
        raise InputError(
            f"'{plant.name}' is one of several modes, and the loop cannot change modes yet",
            fix="Step it with plant.stepper(), or simulate it.",
        )
    drives = plant.drive_function(motions)
    efforts = vector(plant, tau, [0.0] * plant.n, "tau")
    z = plant.first_states
    u = np.append(plant.first_inputs, 0.0)  # one more: there is always an address
    if plant.loops is not None:
        plant.loops.use(plant.loops.first)
    at, speed = first_state(plant, q, qd, drives, u[:-1], z)
    listed = _efforts(plant, efforts) + [
        (Quantity(name, _unit(plant, name), default=float(u[k])), _address(u, k))
        for k, name in enumerate(plant.inputs)
    ]
    listed = _with_defaults(listed, inputs, plant.name)
    system: TreeSystem | ClosedSystem
    choices: tuple[Choice, ...] = ()
    signals: tuple[Quantity, ...] = ()
    if plant.loops is None:
        system = TreeSystem(plant, efforts, u, method=method)
        x = aligned_zeros(system.system.size)
        sources, prepared = tuple(_address(x, k) for k in range(len(x))), system.prepared
    else:
        signals = _signals(plant)
        reads = (efforts, u, drives)
        x = aligned_zeros(ClosedSystem(plant, plant.loops, *reads).system.size)
        choices = _choices(plant, signals, x, reads, method)
        system, sources = choices[0].closed, choices[0].sources
        prepared = tuple(p for choice in choices for p in choice.closed.prepared)
    x[:] = system.start(0.0, at, speed, z)
    layout = Layout(
        plant.name,
        _coordinates(plant),
        tuple(Quantity(state.name) for state in plant.mechanism.states),
        signals,
        tuple(quantity for quantity, _ in listed),
        _parameters(plant),
        len(x),
        period,
    )
    targets = tuple(address for _, address in listed)
    keep = (plant, system, efforts, u)
    return Wiring(layout, system.system, x, np.array(x), sources, targets, prepared, choices, keep)


def _choices(
    plant: BarePlant,
    signals: tuple[Quantity, ...],
    x: Reals,
    reads: tuple[Reals, Reals, str | None],
    method: Method,
) -> tuple[Choice, ...]:
    """All choices of independent coordinates that have been built so far."""
    assert plant.loops is not None
    found = []
    for partition in plant.loops.known:
        plant.loops.use(partition)
        closed = ClosedSystem(plant, plant.loops, *reads, method=method)
        sources = _sources(plant, signals, x, closed)
        found.append(Choice(closed, sources, partition.independent, partition.dependent))
    plant.loops.use(plant.loops.first)
    return tuple(found)


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


def _signals(plant: BarePlant) -> tuple[Quantity, ...]:
    """Names of accelerations, multipliers and efforts of drives, with the first partition."""
    assert plant.loops is not None
    names = [f"{c}.qdd" for c in plant.coordinates]
    names += [f"lam.{row}" for row in plant.loops.row_names]
    names += [f"{joint}.effort" for joint in plant.loops.driven]
    return tuple(Quantity(name) for name in names)


def _sources(
    plant: BarePlant, signals: tuple[Quantity, ...], x: Reals, closed: ClosedSystem
) -> tuple[int, ...]:
    """Where q, qd, z and signals are found with the partition in use."""
    assert plant.loops is not None
    n, first = plant.n, 2 * len(plant.loops.partition.independent)
    sources = [_address(array, k) for array in (closed.q, closed.qd) for k in range(n)]
    sources += [_address(x, first + k) for k in range(len(plant.mechanism.states))]
    found = {f"{c}.qdd": _address(closed.qdd, k) for k, c in enumerate(plant.coordinates)}
    rows, driven = plant.loops.row_names, plant.loops.driven
    found |= {f"lam.{row}": _address(closed.lam, k) for k, row in enumerate(rows)}
    found |= {f"{joint}.effort": _address(closed.effort, k) for k, joint in enumerate(driven)}
    # a row that a partition does not use carries no force there
    nothing = _address(_NOTHING, 0)
    return (*sources, *(found.get(signal.name, nothing) for signal in signals))


def _parameters(plant: BarePlant) -> tuple[Quantity, ...]:
    """Live parameters with their ranges."""
    found = []
    for p in plant.parameters.declared:
        least, most = p.range if p.range is not None else (-np.inf, np.inf)
        found.append(Quantity(p.name, p.unit, float(least), float(most), p.default))
    return tuple(found)
