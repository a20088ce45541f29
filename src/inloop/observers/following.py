"""An observer that runs in C: inside the loop of a plant, or beside it at its mailbox.

Its results become signals of the records, "observer.<name>": estimates of coordinates, velocities,
states and extra states; their standard deviations, "….deviation"; innovations of the measured
outputs, "….innovation"; and figures of the filter itself.
"""

from __future__ import annotations

import numpy as np

from inloop.native.running.follower import FollowerTable
from inloop.native.running.observer import (
    ADDS_TO_INPUT,
    COPY_OF_EXTRA,
    RATE_OF_EXTRA,
    NativeObserver,
)
from inloop.observers.observer import Observer
from inloop.observers.unknowns import Extra
from inloop.plant.quantities.inputs_outputs import input_quantities, output_quantities

PREFIX = "observer"
FIGURES = ("nis", "used", "lost", "restarts", "status")  # il_follower_figure


def follower_of(observer: Observer) -> FollowerTable:
    """A copy of the observer in its initial state, to be run in C."""
    setup = observer.setup
    system = setup.seen.fresh()
    start = system.instance.snapshot()
    native = NativeObserver(system.instance, setup.table)
    mechanism = observer.plant.mechanism
    estimates = 2 * observer.plant.n + len(mechanism.state_names)
    return FollowerTable(
        observer=native,
        start=start,
        inputs_start=setup.seen.first_inputs,
        doubt=np.asarray(setup.doubt) ** 2,
        measured=setup.measured,
        inputs=setup.seen.input_names,
        period=observer.period,
        estimates=estimates,
        told=_told(observer, estimates),
        late=setup.late,
        facts=observer.facts,
        keep=system,
    )


def _told(observer: Observer, estimates: int) -> tuple[tuple[str, str], ...]:
    """Names and units of the signals, in the order of il_follower.h."""
    plant, setup = observer.plant, observer.setup
    plants = {plant.name: plant}
    outputs = output_quantities(plants)
    units = {x.name: x.unit for x in (*input_quantities(plants), *outputs)}
    extras = {extra.name: _unit(extra, observer, units) for extra in setup.extras}
    states = {x.name: x.unit for x in outputs[:estimates]}
    unsure = [x.name for x in outputs[: 2 * plant.n]]
    unsure += [state.name for state in plant.mechanism.states]
    known = states | extras
    told = [
        *known.items(),
        *((f"{name}.deviation", known[name]) for name in (*unsure, *extras)),
        *((f"{name}.innovation", units[name]) for name in setup.measured),
        *((name, "") for name in FIGURES),
    ]
    return tuple((f"{PREFIX}.{name}", unit) for name, unit in told)


def _unit(extra: Extra, observer: Observer, units: dict[str, str]) -> str:
    """Unit of an extra state: that of the quantity it adds to, or of its rate."""
    state, setup = extra.state, observer.setup
    if state.kind == COPY_OF_EXTRA:
        return _unit(setup.extras[state.number], observer, units)
    if state.kind == RATE_OF_EXTRA:
        moved = _unit(setup.extras[state.number], observer, units)
        return f"{moved}/s" if moved else ""
    names = setup.seen.input_names if state.kind == ADDS_TO_INPUT else setup.measured
    return units[names[state.number]]
