"""Recordings of a plant with modes, with derivatives: from event to event, with jumps at events.

The run is stepped once to find its events, then repeated with derivatives. Inputs are held as in
the recording.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.analysis.fitting.exact_reading import Reading
from inloop.analysis.fitting.exact_smooth import Start, refuse_jumps
from inloop.analysis.fitting.not_exact import NotExactError
from inloop.analysis.fitting.shooting import Shooting
from inloop.plant import Array
from inloop.plant.variation.names import TIME, refuse_rough
from inloop.simulate.inputs import Inputs
from inloop.simulate.results.result import EventRecord
from inloop.simulate.schedules import fixed
from inloop.simulate.sensitivities.event_changes import Moment, Surroundings, VariedMode
from inloop.simulate.sensitivities.moded_run import ModedRun, modes_met, varied_mode
from inloop.simulate.stepper import Stepper


class ModedSegments:
    """All recordings of a shooting; those of plants with modes are not cut into segments."""

    def __init__(self, shooting: Shooting, directions: int) -> None:
        """Check all modes; they are derived and compiled when a run enters them.

        Args:
            shooting: the recordings.
            directions: maximum number of columns of derivatives in one pass.

        Raises:
            NotExactError, InputError: exact derivatives are not available.
        """
        self.shooting, self._directions = shooting, directions
        self.plants = shooting.plant.by_mode
        for plant in self.plants.values():
            refuse_rough(plant)
        if np.any(shooting.begins):
            raise NotExactError("a recording with modes begins later than t = 0")
        self.varied = (*shooting.unknowns.names, TIME)
        self._known: dict[str, VariedMode] = {}
        self._first = next(iter(self.plants))
        self.observed = self.modes([self._first])[self._first].system.code.observed

    def modes(self, names: Sequence[str]) -> dict[str, VariedMode]:
        """Modes with derivatives."""
        for name in names:
            if name not in self._known:
                mode = varied_mode(
                    self.plants, name, self.varied, self._directions, self.shooting.method
                )
                refuse_jumps(mode.system.code)
                self._known[name] = mode
        return {name: self._known[name] for name in names}

    def at(self, number: int, start: Start) -> ModedSegment:
        """One recording, from its initial state."""
        return ModedSegment(self, number, start)


class ModedSegment:
    """One recording, from its initial state."""

    def __init__(self, owner: ModedSegments, number: int, start: Start) -> None:
        """Run it to find its events.

        Raises:
            SimulationError: the run fails.
        """
        s = self._shooting = owner.shooting
        self._owner, self._start = owner, start
        acting = s.acting[number, : s.segments[number].length]
        self._parts = acting.shape[1]
        self._block = s.steps.per_period // self._parts  # steps per block
        self._rows = acting.reshape(-1, acting.shape[2])
        self._mode, self._events = self._happened()

    def _happened(self) -> tuple[str, list[EventRecord]]:
        """The initial mode, and all events."""
        s, (q, qd, _) = self._shooting, self._start
        named = dict(zip(s.inputs, self._rows[0].tolist(), strict=True))
        first = {name: named[name] for name in s.plant.inputs}
        stepper = Stepper(
            self._owner.plants, step=s.step_size, method=s.method, q=q, qd=qd, inputs=first
        )
        mode, events = stepper.mode, []
        for row in self._rows:
            stepper.hold(row)
            for _ in range(self._block):
                stepper.step()
                events += stepper.events
        return mode, events

    def vary(self, group: Sequence[int]) -> tuple[Array, Array, Array]:
        """Outputs at the periods, their derivatives, and zeros: nothing is handed over.

        Args:
            group: columns of parameters and entries of the initial state that share a pass.
        """
        s, owner = self._shooting, self._owner
        modes = owner.modes(modes_met(owner.plants, self._mode, self._events))
        dg = np.zeros((len(owner.varied), len(group)))
        dx = np.zeros((len(modes[self._mode].system.code.states), len(group)))
        states = modes[self._mode].system.code.states
        for i, column in enumerate(group):
            if column < len(s.unknowns):
                dg[column, i] = 1.0
            else:
                dx[states.index(s.columns[column - len(s.unknowns)]), i] = 1.0
        seconds = len(self._rows) * self._block * s.step_size
        schedule = fixed(seconds, s.step_size, s.method, s.period)
        (_, around), *later = self._surroundings(dg)
        run = ModedRun(modes, s.method, self._events, schedule, around, None, later)
        q, qd, node = self._start
        state = modes[self._mode].system.packed(q, qd, node[2 * len(s.places) :])
        run.go(self._mode, Moment(0.0, *state, dx))
        y, dy = self._read(run, modes, dg, group)
        return y, dy, np.zeros((len(s.columns), len(group)))

    def _surroundings(self, dg: Array) -> list[tuple[int, Surroundings]]:
        """Inputs and efforts with the step from which they act, one item per change."""
        changes = np.flatnonzero(np.any(np.diff(self._rows, axis=0) != 0.0, axis=1)) + 1
        surroundings = []
        for row in (0, *changes.tolist()):
            u, tau, rates = {}, {}, {}
            for mode, plant in self._owner.plants.items():
                u[mode] = Inputs(self._given(plant.inputs)[row])
                tau[mode] = self._given([f"{name}.tau" for name in plant.coordinates])[row]
                rates[mode] = Inputs(np.zeros(len(plant.inputs)))
            around = Surroundings(
                self._owner.plants, u, rates, tau, self._owner.varied, dg, len(dg) - 1
            )
            surroundings.append((row * self._block, around))
        return surroundings

    def _given(self, names: Sequence[str]) -> Array:
        """Columns of the inputs by name."""
        places = [self._shooting.inputs.index(name) for name in names]
        return np.asarray(self._rows[:, places])

    def _read(
        self, run: ModedRun, modes: dict[str, VariedMode], dg: Array, group: Sequence[int]
    ) -> tuple[Array, Array]:
        """Outputs at all samples, each by the formulas of its mode."""
        s = self._shooting
        y = np.full((run.count, len(s.outputs)), np.nan)
        dy = np.full((*y.shape, len(group)), np.nan)
        for mode, varied in modes.items():
            own = run.samples_in(mode)
            if own is None:
                continue
            # a sample is read with the inputs that led to it
            led = np.maximum(own.rows * self._parts - 1, 0)
            u = self._given(varied.system.plant.inputs)[led]
            tau = self._given([f"{name}.tau" for name in varied.system.plant.coordinates])[led]
            observed = varied.system.observe_samples(own.t, u, tau, own.samples, dg)
            y[own.rows], dy[own.rows] = Reading(varied.system, s, own.t, observed, u).outputs(group)
        return y, dy
