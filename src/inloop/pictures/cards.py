"""Notebook representation of models, plants and results: a picture, a table, small plots."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping

import numpy as np

from inloop.errors import InloopError
from inloop.model import Mechanism
from inloop.model.topology import GROUND
from inloop.pictures.drawing import drawing
from inloop.pictures.shown import Shown
from inloop.plant import Array, BarePlant
from inloop.simulate import Result
from inloop.simulate.results.cards import card, curve, figure, lines, table
from inloop.simulate.results.figure import broken_at_gaps

MOST_DRAWN = 240  # bodies, where a free one counts as six: more would take too long for a card
MOST_CURVES = 6
POSITIONS = 4  # of a run, in one picture


def model_card(mechanism: Mechanism) -> str:
    """Card of a mechanism: its bodies and a picture."""
    rows = []
    for body in mechanism.bodies:
        on = "ground" if body.parent == GROUND else mechanism.bodies[body.parent].name
        rows.append((body.name, on, body.joint.kind.name, _value(body.mass)))
    counts = {
        "body": len(mechanism.bodies),
        "loop": len(mechanism.loops),
        "contact": len(mechanism.contacts),
        "sensor": len(mechanism.sensors),
        "parameter": len(mechanism.parameters),
        "input": len(mechanism.inputs),
    }
    about = ", ".join(_counted(count, name) for name, count in counts.items() if count)
    bodies = table(("body", "on", "joint", "mass [kg]"), rows)
    return card(mechanism.name, about, _picture(mechanism), bodies, _notes(mechanism))


def plant_card(plant: BarePlant) -> str:
    """Card of a plant: coordinates, parameters and the cost of its equations."""
    units = [body.joint.kind.dimension.unit for body in plant.mechanism.bodies]
    starts = [float(body.joint.initial[0]) for body in plant.mechanism.bodies]
    rows = [
        (name, unit, figure(start))
        for name, unit, start in zip(plant.coordinates, units, starts, strict=True)
    ]
    declared = [
        (p.name, figure(plant.parameters[p.name]), p.unit) for p in plant.parameters.declared
    ]
    cost = plant.operations[plant.formulation.motion_function]["total"]
    about = f"{_counted(plant.n, 'coordinate')}, {cost} operations for qdd"
    if plant.by_mode:
        about += f", modes {', '.join(plant.by_mode)}"
    return card(
        plant.name,
        about,
        _picture(plant.mechanism, dict(plant.parameters)),
        table(("coordinate", "unit", "start"), rows),
        table(("parameter", "value", "unit"), declared),
    )


def result_card(result: Result, plant: BarePlant | None) -> str:
    """Card of a run: its motion, ranges, and notes."""
    rows = []
    for k, name in enumerate(result.coordinates):
        q = result.q[:, k]
        good = q[np.isfinite(q)]
        least, most = (good.min(), good.max()) if len(good) else (math.nan, math.nan)
        values = (figure(float(x)) for x in (q[0], q[-1], least, most))
        rows.append((name, result.units.get(f"{name}.q", ""), *values))
    span = f"t = {result.t[0]:g} to {result.t[-1]:g} s, {len(result.t)} samples"
    about = ", ".join(filter(None, (result.status, span, result.method)))
    curves = "".join(
        curve(_title(f"{name}.q", result), *broken_at_gaps(result, f"{name}.q"))
        for name in result.coordinates[:MOST_CURVES]
    )
    told = [*map(str, result.events[:MOST_CURVES])]
    if len(result.events) > MOST_CURVES:
        told.append(f"… and {len(result.events) - MOST_CURVES} events more")
    heads = ("coordinate", "unit", "start", "end", "least", "most")
    return card(
        result.name,
        about,
        _motion(result, plant),
        curves,
        table(heads, rows) + lines([*told, *map(str, result.gaps), *result.notes]),
    )


def _counted(count: int, name: str) -> str:
    many = "bodies" if name == "body" else f"{name}s"
    return f"{count} {name if count == 1 else many}"


def _title(name: str, result: Result) -> str:
    unit = result.units.get(name, "")
    return f"{name} [{unit}]" if unit else name


def _value(value: object) -> str:
    return figure(float(value)) if isinstance(value, float | int) else str(value)


def _notes(mechanism: Mechanism) -> str:
    return lines(mechanism.notes[:MOST_CURVES])


def _motion(result: Result, plant: BarePlant | None) -> str:
    """The mechanism at a few positions of a run, the last one in full color."""
    if plant is None or plant.coordinates != result.coordinates:
        return ""
    good = np.flatnonzero(np.isfinite(result.q).all(axis=1))
    if not len(good):
        return ""
    rows = good[np.linspace(0, len(good) - 1, POSITIONS).astype(int)]
    return _picture(plant.mechanism, result.parameters, result.q[np.unique(rows)])


def _picture(
    mechanism: Mechanism, parameters: Mapping[str, float] | None = None, q: Array | None = None
) -> str:
    """A drawing, or "" if impossible: a card must not fail because of its picture."""
    if not 0 < len(mechanism.bodies) <= MOST_DRAWN:
        return ""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            shown = Shown(mechanism, parameters, meshes=False)
            return drawing(shown, shown.start[None] if q is None else q)
    except InloopError:
        return ""
