"""An event in a run with derivatives: its time and its jump depend on the varied quantities.

δt = -δg / (dg/dt),  δx⁺ = δ(jump) along (δx⁻ + xd⁻ δt, δt) - xd⁺ δt
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inloop.errors import SimulationError
from inloop.plant import Array, BarePlant
from inloop.plant.variation.jumps import ModeJumps, Varying
from inloop.plant.variation.varied_system import VariedSystem
from inloop.simulate.inputs import Inputs
from inloop.simulate.results.result import EventRecord

GRAZING = 1e-9  # of the rates that it consists of: an indicator that hardly changes


@dataclass(frozen=True)
class VariedMode:
    """A mode with derivatives.

    Attributes:
        system: its equations; time is the last varied quantity.
        jumps: its events.
    """

    system: VariedSystem
    jumps: ModeJumps


@dataclass(frozen=True)
class Moment:
    """A state within a run.

    Attributes:
        t: time [s].
        x, dep: state and dependent coordinates.
        dx: derivatives at this time, shape (states, directions).
    """

    t: float
    x: Array
    dep: Array
    dx: Array


@dataclass(frozen=True)
class Surroundings:
    """What acts on a plant in all modes, with derivatives.

    Attributes:
        plants: plants of the modes.
        given: inputs by mode, over time.
        rates: time derivatives of the inputs.
        tau: efforts by mode.
        varied: names of the varied quantities: those of differentiation, then inputs that are
            functions of time, then time.
        dg: their directions, shape (varied, directions).
        asked: number of quantities of differentiation among them.
    """

    plants: Mapping[str, BarePlant]
    given: Mapping[str, Inputs]
    rates: Mapping[str, Inputs]
    tau: Mapping[str, Array]
    varied: tuple[str, ...]
    dg: Array
    asked: int

    def with_directions(self, dg: Array) -> Surroundings:
        """The same along other directions."""
        return replace(self, dg=dg)

    def u(self, mode: str, t: float) -> Array:
        """The inputs of a mode at a time [s]."""
        return self.given[mode].at(t)

    def along(self, mode: str, t: float, dt: Array) -> Array:
        """Directions of the varied quantities, at a time that is varied too."""
        directions = np.vstack([self.dg[:-1], dt])
        for name, rate in self._moving(mode, t):
            directions[self.varied.index(name)] += rate * dt
        return directions

    def parameters(self, mode: str) -> Varying:
        """The live parameters."""
        values = self.plants[mode].parameters
        return Varying(values.values_array, self._rows(list(values), self.dg))

    def inputs(self, mode: str, t: float, dt: Array) -> Varying:
        """The inputs of a mode, at a time that is varied too."""
        names = list(self.plants[mode].inputs)
        return Varying(self.u(mode, t), self._rows(names, self.along(mode, t, dt)))

    def _moving(self, mode: str, t: float) -> Iterator[tuple[str, float]]:
        """Inputs that are functions of time, and their time derivatives."""
        rates = self.rates[mode]
        if rates.function is not None:
            names = [self.plants[mode].inputs[k] for k in rates.places]
            yield from zip(names, rates.function.at(t), strict=True)

    def _rows(self, names: Sequence[str], dg: Array) -> Array:
        changes = np.zeros((len(names), dg.shape[1]))
        for k, name in enumerate(names):
            if name in self.varied:
                changes[k] = dg[self.varied.index(name)]
        return changes


def seen(
    mode: str, varied: VariedMode, at: Moment, dt: Array, around: Surroundings
) -> dict[str, Varying]:
    """The whole state of a mode, by the names used in the programs of events."""
    system, jumps = varied.system, varied.jumps
    plant, names = system.plant, system.code.observed
    y, dy = system.observe(
        at.t, around.u(mode, at.t), around.tau[mode], (at.x, at.dep), at.dx,
        around.along(mode, at.t, dt),
    )  # fmt: skip
    n, directions = plant.n, dy.shape[1]

    def of(signals: Sequence[str]) -> Varying:
        value, change = np.zeros(len(signals)), np.zeros((len(signals), directions))
        for k, name in enumerate(signals):
            if name in names:
                value[k], change[k] = y[names.index(name)], dy[names.index(name)]
        return Varying(value, change)

    turned = [k for k, _ in system.code.layout.q if k >= n]
    places = [i for k, i in system.code.layout.q if k >= n]
    q = Varying(np.concatenate([y[:n], at.x[places]]), np.vstack([dy[:n], at.dx[places]]))
    assert turned == list(range(n, plant.nq))
    return {
        "q": q,
        "qd": Varying(y[n : 2 * n], dy[n : 2 * n]),
        "z": of([state.name for state in plant.mechanism.states]),
        "u": around.inputs(mode, at.t, dt),
        "t": Varying(np.array([at.t]), dt[None, :]),
        "lam": of([f"lam.{name}" for name in jumps.row_names]),
        "effort": of([f"{plant.coordinates[k]}.effort" for k in plant.formulation.driven_indices]),
        "par": around.parameters(mode),
    }


def slope(mode: str, varied: VariedMode, at: Moment, around: Surroundings) -> Array:
    """xd at a state."""
    system = varied.system
    none = np.zeros((len(at.x), 1))
    return system.slopes(
        at.t, around.u(mode, at.t), around.tau[mode], (at.x, at.dep.copy()), none,
        np.zeros((len(system.code.varied), 1)),
    )[0]  # fmt: skip


def indicator(
    mode: str, varied: VariedMode, event: str, at: Moment, around: Surroundings
) -> tuple[float, float, Array]:
    """Value of an indicator, its rate, and its derivatives at this time."""
    xd = slope(mode, varied, at, around)
    directions = at.dx.shape[1]
    both = Moment(at.t, at.x, at.dep, np.column_stack([at.dx, xd]))
    wide = around.with_directions(np.column_stack([around.dg, np.zeros(len(around.dg))]))
    dt = np.zeros(directions + 1)
    dt[-1] = 1.0
    watched = varied.jumps.watched(seen(mode, varied, both, dt, wide))["g"]
    names = [e.name for e in varied.system.plant.mechanism.events]
    k = names.index(event)
    return float(watched.value[k]), float(watched.change[k, -1]), watched.change[k, :-1]


def time_change(record: EventRecord, rate: float, change: Array) -> Array:
    """Derivatives of the time of an event.

    Raises:
        SimulationError: the rate of the indicator is zero there.
    """
    size = float(np.abs(change).max(initial=0.0))
    if not abs(rate) > GRAZING * size:
        raise SimulationError(
            f"event '{record.name}' at t = {record.t:.9g} s only grazes zero: its time has no "
            "derivative",
            fix="Choose other parameters or start values, or end the run before this event.",
        )
    return -change / rate


def jump(
    modes: Mapping[str, VariedMode], record: EventRecord, at: Moment, dt: Array,
    around: Surroundings,
) -> Moment:  # fmt: skip
    """The state after an event, with its derivatives at the time of the event.

    Args:
        modes: modes of the plant.
        record: record of the event.
        at: the state before it.
        dt: derivatives of its time.
        around: what acts on the plant.
    """
    source, target = modes[record.mode], modes[record.next_mode]
    before = slope(record.mode, source, at, around)
    moving = Moment(at.t, at.x, at.dep, at.dx + np.outer(before, dt))
    here = seen(record.mode, source, moving, dt, around)
    event = source.jumps.event(record.name)
    next_state = source.jumps.handed_over(record.name, record.settled, here)
    q, qd = next_state["q_next"], next_state["qd_next"]
    z = next_state.get("z_next", Varying(np.zeros(0), np.zeros((0, len(dt)))))
    common = {"t": here["t"], "z": z}
    if event.impact is not None:
        on = modes[event.impact].jumps
        e = _restitutions(source, record, event.name, here, on)
        given = {**common, "q": q, "qd": qd, "e": e, "u": around.inputs(event.impact, at.t, dt)}
        qd = on.gripped({**given, "par": around.parameters(event.impact)})
    after = _begun(record.next_mode, target, (q, qd, z), common, around)
    rest = slope(record.next_mode, target, after, around)
    return Moment(after.t, after.x, after.dep, after.dx - np.outer(rest, dt))


def _restitutions(
    source: VariedMode, record: EventRecord, name: str, here: Mapping[str, Varying], on: ModeJumps
) -> Varying:
    """Restitution of each row of an impact; zero for an event that settles."""
    directions = here["t"].change.shape[1]
    rows = on.row_names
    none = Varying(np.zeros(len(rows)), np.zeros((len(rows), directions)))
    if record.settled:
        return none
    watched = source.jumps.watched(here)
    events = source.system.plant.mechanism.events
    k = [e.name for e in events].index(name)
    value = np.full(len(rows), watched["e"].value[k])
    change = np.tile(watched["e"].change[k], (len(rows), 1))
    own = [(e.name, row) for e in events for row, _ in e.row_restitution]
    for i, (event, row) in enumerate(own):
        for r, (row_name, element) in enumerate(zip(rows, on.row_elements, strict=True)):
            if event == name and row in (row_name, element):
                value[r], change[r] = watched["er"].value[i], watched["er"].change[i]
    return Varying(value, change)


def _begun(
    mode: str, target: VariedMode, state: tuple[Varying, Varying, Varying],
    common: Mapping[str, Varying], around: Surroundings,
) -> Moment:  # fmt: skip
    """The first state of the next mode, on its own constraints."""
    q, qd, z = state
    system, dt = target.system, common["t"].change[0]
    t = float(common["t"].value[0])

    def packed(speeds: Varying) -> Moment:
        x, dep = system.packed(q.value, speeds.value, z.value)
        columns = [
            system.packed(*parts)[0]
            for parts in zip(q.change.T, speeds.change.T, z.change.T, strict=True)
        ]
        return Moment(t, x, dep, np.array(columns).reshape(len(dt), len(x)).T.copy())

    begun = packed(qd)
    if system.roles.unconstrained:
        return begun
    closed = seen(mode, target, begun, dt, around)
    driven = list(system.roles.velocities.driven)
    value, change = qd.value.copy(), qd.change.copy()
    value[driven], change[driven] = closed["qd"].value[driven], closed["qd"].change[driven]
    rows = len(target.jumps.row_names)
    none = Varying(np.zeros(rows), np.zeros((rows, len(dt))))
    given = {**closed, "qd": Varying(value, change), "e": none}
    return packed(target.jumps.gripped(given))
