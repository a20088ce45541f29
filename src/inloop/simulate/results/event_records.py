"""Records of events of a hybrid system, by name."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inloop.native import Event
from inloop.plant import Array
from inloop.plant.unit import first_of_rows, rows_named
from inloop.simulate.results.result import EventRecord
from inloop.simulate.systems import System


def event_record(systems: Mapping[str, System], event: Event) -> EventRecord:
    """The record of an event, by name."""
    names = list(systems)
    system = systems[names[event.mode]]
    declared = system.plant.mechanism.events[event.transition]
    gripping = systems[declared.impact or names[event.next_mode]]
    x = np.ascontiguousarray(event.x_before[None, : system.size])
    before = system.expand(np.array([event.t]), x)
    own = {} if event.settled else _row_restitutions(system, event.transition, gripping)
    common = event.record.restitution
    e = {row: own.get(row, common) for row in _rows(gripping)}
    impulses: dict[str, float] = {}
    same = gripping.plant.coordinates == system.plant.coordinates
    if same and not declared.sets and len(before.t):
        impulses = _impulses(gripping, before.q[0], before.qd[0], event.t, e)
    return EventRecord(
        t=event.t,
        name=declared.name,
        mode=names[event.mode],
        next_mode=names[event.next_mode],
        energy_before=event.record.energy_before,
        energy_after=event.record.energy_after,
        restitution=max(e.values(), default=common),
        restitutions=e,
        impulses=impulses,
        settled=event.settled,
    )


def _rows(system: System) -> tuple[str, ...]:
    """Names of the active constraint rows."""
    return system.formulation.row_names


def _row_restitutions(system: System, k: int, impact: System) -> dict[str, float]:
    """Restitutions by row for the impact of event k of a mode."""
    events = system.plant.mechanism.events
    own = rows_named(impact.plant, events[k])
    if not own:
        return {}
    # they depend on parameters and inputs only, not on the motion
    name = "indicators"
    blocks = system.plant.program(name).inputs[1:]
    given = {block.name: np.zeros(len(block.symbols)) for block in blocks}
    if "u" in given:
        given["u"] = system.u[: len(given["u"])]
    restitutions = system.plant.evaluate(name, **given)["er"]
    first = first_of_rows(system.plant, k) - 2 * len(events)
    return {row: float(restitutions[first + number]) for row, number in own.items()}


def _impulses(
    gripping: System, q: Array, qd: Array, t: float, e: Mapping[str, float]
) -> dict[str, float]:
    """Constraint impulses, by row, when velocities run into a mode.

    Args:
        gripping: the mode.
        q: coordinates.
        qd: velocities before the impact.
        t: time [s].
        e: restitution of each row.
    """
    formulation = gripping.formulation.good_at(q, t)
    given = np.array([e.get(row, 0.0) for row in formulation.rows.names])
    impulses = formulation.impulses(q, qd, t, given)
    return dict(zip(formulation.row_names, map(float, impulses), strict=True))
