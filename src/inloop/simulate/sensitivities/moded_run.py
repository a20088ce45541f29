"""Repeats a run with events: from event to event, with a jump at each.

The path is kept, as legs of equal steps and crossings of events, so that derivatives can also be
propagated backwards along it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from inloop.errors import SimulationError
from inloop.native import FixedSteps
from inloop.plant import Array, BarePlant, Partition
from inloop.plant.variation.jumps import ModeJumps
from inloop.plant.variation.names import TIME, roles_of
from inloop.plant.variation.varied_system import VariedSamples, VariedSystem
from inloop.simulate.results.result import EventRecord, Result
from inloop.simulate.sensitivities.event_changes import (
    Moment,
    Surroundings,
    VariedMode,
    indicator,
    jump,
    time_change,
)
from inloop.simulate.sensitivities.smooth_run import TABLEAUS, Given, Leg, run_leg

SAME_TIME = 1e-12  # of the step: events closer than this are simultaneous
MOST_CORRECTIONS = 6  # of the time of an event
LOCATED = 1e-14  # of the time [1]: smaller corrections are rounding


@dataclass(frozen=True)
class ModedLeg:
    """Equal steps in one mode.

    Attributes:
        mode: its name.
        leg: the steps.
        start: the state before them.
        samples: row of the sample after a step, by number of the step.
    """

    mode: str
    leg: Leg
    start: Moment
    samples: Mapping[int, int]


@dataclass(frozen=True)
class Crossing:
    """Events at one time.

    Attributes:
        at: the state before them.
        events: in their order.
    """

    at: Moment
    events: list[EventRecord] = field(default_factory=list)


def modes_met(
    plants: Mapping[str, BarePlant], first: str, events: Sequence[EventRecord]
) -> list[str]:
    """Modes that a run was in, and those whose constraints act at its impacts."""
    used = dict.fromkeys([first, *(e.next_mode for e in events)])
    needed = dict.fromkeys(used)
    for mode in used:
        needed |= dict.fromkeys(e.impact for e in plants[mode].mechanism.events if e.impact)
    return list(needed)


def varied_modes(
    plants: Mapping[str, BarePlant], result: Result, varied: Sequence[str], directions: int
) -> dict[str, VariedMode]:
    """All modes that a run was in, with derivatives."""
    first = result.modes[0]
    needed = modes_met(plants, first, result.events)
    choices = result.end.choices if result.end is not None else {}
    return {
        mode: varied_mode(
            plants, mode, (*varied, TIME), directions, result.method,
            choices[mode].partition if mode in choices else None,
        )
        for mode in needed
    }  # fmt: skip


def varied_mode(
    plants: Mapping[str, BarePlant], mode: str, varied: Sequence[str], directions: int,
    method: str, partition: Partition | None = None,
) -> VariedMode:  # fmt: skip
    """One mode with derivatives; time is the last varied quantity."""
    plant = plants[mode]
    roles = roles_of(plant, partition)
    system = VariedSystem.forward(plant, roles, varied, directions, TABLEAUS[method].implicit)
    return VariedMode(system, ModeJumps.of(plant, roles, plants))


@dataclass(frozen=True)
class SampledPiece:
    """Samples of a run in one mode.

    Attributes:
        mode: its name.
        rows: their rows among all samples of the run.
        t: their times [s].
        samples: states and their derivatives.
    """

    mode: str
    rows: NDArray[np.int64]
    t: Array
    samples: VariedSamples


class ModedRun:
    """A run from event to event.

    Attributes:
        pieces: all samples, in order.
        count: number of samples.
        way: path from the first state to the last sample.
    """

    def __init__(
        self, modes: Mapping[str, VariedMode], method: str, events: Sequence[EventRecord],
        schedule: FixedSteps, around: Surroundings,
        stepping: Mapping[str, VariedSystem] | None = None,
        later: Sequence[tuple[int, Surroundings]] = (),
    ) -> None:  # fmt: skip
        """Prepare the repetition of a run.

        Args:
            modes: with derivatives.
            method: the integrator.
            events: of the run.
            schedule: its steps.
            around: what acts on the plant.
            stepping: systems that make the steps, by mode; by default those of the modes.
            later: what acts from the start of a step on, with the number of the step, in order.
        """
        self._modes, self._schedule, self._around = modes, schedule, around
        self._later = list(later)
        self._stepping = stepping or {name: mode.system for name, mode in modes.items()}
        self._tableau = TABLEAUS[method]
        self._events = list(events)
        self._dt = np.zeros(around.dg.shape[1])
        self._last_event = -np.inf
        self.pieces: list[SampledPiece] = []
        self.count = 0
        self.way: list[ModedLeg | Crossing] = []

    def samples_in(self, mode: str) -> SampledPiece | None:
        """All samples of a mode together, in order; None if the run was never in it."""
        own = [piece for piece in self.pieces if piece.mode == mode]
        if not own:
            return None
        rows, t = np.concatenate([a.rows for a in own]), np.concatenate([a.t for a in own])
        parts = (np.concatenate([getattr(a.samples, x) for a in own]) for x in ("x", "dep", "dx"))
        return SampledPiece(mode, rows, t, VariedSamples(*parts))

    def go(self, mode: str, start: Moment) -> None:
        """Run to the end."""
        h, steps = self._schedule.step, self._schedule.steps
        now, k = start, 0
        self._keep(
            mode, np.array([start.t]), VariedSamples(now.x[None], now.dep[None], now.dx[None])
        )
        while k < steps or self._events:
            if self._later and k >= self._later[0][0]:
                self._around = self._later.pop(0)[1]
                continue
            event = self._events[0] if self._events else None
            same = min(steps, self._later[0][0]) if self._later else steps
            last = same if event is None else min(same, int(event.t / h))
            # whole steps up to the one with the next event
            if last > k and now.t <= k * h:
                now = self._steps(mode, now, Leg(k * h, h, last - k), k)
                k = last
            elif event is not None and event.t <= (k + 1) * h:
                mode, now = self._over(mode, now, event)
                self._events.pop(0)
            else:
                now = self._steps(mode, now, Leg(now.t, (k + 1) * h - now.t, 1), k)
                k += 1

    def _steps(self, mode: str, now: Moment, leg: Leg, first: int) -> Moment:
        """Steps between the grid times `first` and `first + leg.steps`, and their samples."""
        states, schedule = self._leg(mode, leg, now), self._schedule
        grid = first + np.arange(1, leg.steps + 1)
        sampled = 1 + np.flatnonzero((grid % schedule.stride == 0) | (grid == schedule.steps))
        rows = self._keep(
            mode,
            schedule.step * (first + sampled).astype(np.float64),
            VariedSamples(states.x[sampled], states.dep[sampled], states.dx[sampled]),
        )
        self.way.append(ModedLeg(mode, leg, now, dict(zip(sampled.tolist(), rows, strict=True))))
        return Moment(grid[-1] * schedule.step, states.x[-1], states.dep[-1], states.dx[-1])

    def _keep(self, mode: str, t: Array, samples: VariedSamples) -> list[int]:
        """Store samples; returns their rows."""
        rows = np.arange(self.count, self.count + len(t), dtype=np.int64)
        if len(t):
            self.pieces.append(SampledPiece(mode, rows, t, samples))
        self.count += len(t)
        return list(rows.tolist())

    def _leg(self, mode: str, leg: Leg, now: Moment) -> VariedSamples:
        around, system = self._around, self._stepping[mode]
        # the last varied quantities, including time, are constant within a leg
        given = Given(around.given[mode], around.tau[mode], around.dg[: len(system.code.varied)])
        return run_leg(system, self._tableau, leg, given, (now.x, now.dep, now.dx))

    def _over(self, mode: str, now: Moment, event: EventRecord) -> tuple[str, Moment]:
        """Cross an event, whose time is located again on these steps."""
        at_once = event.t - self._last_event <= SAME_TIME * self._schedule.step
        before = self.way[-1] if self.way else None
        at = now
        if not (at_once and isinstance(before, Crossing)):
            at = self._located(mode, now, event)
            before = Crossing(at)
            self.way.append(before)
        before.events.append(event)
        self._last_event = event.t
        return event.next_mode, jump(self._modes, event, at, self._dt, self._around)

    def _located(self, mode: str, now: Moment, event: EventRecord) -> Moment:
        t, watch = event.t, self._stepping[mode].corner_watch
        before = watch.mark() if watch is not None else None
        for _ in range(MOST_CORRECTIONS):
            leg = Leg(now.t, t - now.t, 1)
            # repeated attempts would count corners repeatedly
            if watch is not None and before is not None:
                watch.back_to(before)
            at = self._shortened(mode, now, leg)
            value, rate, change = indicator(mode, self._modes[mode], event.name, at, self._around)
            self._dt = time_change(event, rate, change)
            step = value / rate
            if abs(step) <= LOCATED * max(1.0, abs(t)):
                break
            t = max(t - step, now.t)
        if abs(step) > self._schedule.step * 1e-3:
            raise SimulationError(
                f"event '{event.name}' at t = {event.t:.9g} s is not found when the run is "
                "repeated",
                fix="Use a shorter step.",
            )
        if leg.h > 0.0:
            self.way.append(ModedLeg(mode, leg, now, {}))
        return at

    def _shortened(self, mode: str, now: Moment, leg: Leg) -> Moment:
        """A step that ends at an event."""
        if leg.h <= 0.0:
            return now
        states = self._leg(mode, leg, now)
        return Moment(leg.t + leg.h, states.x[-1], states.dep[-1], states.dx[-1])


def crossing_slopes(
    modes: Mapping[str, VariedMode], crossing: Crossing, around: Surroundings
) -> Array:
    """Derivatives of the state after events by the state before them, then by varied quantities.

    Events are rare and states are small: all unit directions cross them in one pass.

    Args:
        modes: of the plant.
        crossing: the events.
        around: what acts on the plant, without directions.
    """
    first, at = crossing.events[0], crossing.at
    states, asked = len(at.x), around.asked
    dg = np.zeros((len(around.varied), states + asked))
    dg[:asked, states:] = np.eye(asked)
    along = around.with_directions(dg)
    now = replace(at, dx=np.eye(states, states + asked))
    _, rate, change = indicator(first.mode, modes[first.mode], first.name, now, along)
    dt = time_change(first, rate, change)
    for event in crossing.events:
        now = jump(modes, event, now, dt, along)
    return now.dx
