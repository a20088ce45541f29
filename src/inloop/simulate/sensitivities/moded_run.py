"""Derivatives of a run with events: from event to event, with a jump at each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import FixedSteps
from inloop.plant import BarePlant
from inloop.plant.variation.jumps import ModeJumps
from inloop.plant.variation.names import TIME, roles_of
from inloop.plant.variation.varied_system import VariedSamples, VariedSystem
from inloop.simulate.inputs import Inputs
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

SAME_TIME = 1e-12  # of the step: events that follow each other at once
MOST_CORRECTIONS = 6  # of the time of an event
LOCATED = 1e-14  # of the time [1]: what is left of a correction is rounding


def varied_modes(
    plants: Mapping[str, BarePlant], result: Result, varied: Sequence[str], directions: int
) -> dict[str, VariedMode]:
    """All modes that a run was in, with derivatives."""
    first = result.modes[0]
    used = dict.fromkeys([first, *(e.next_mode for e in result.events)])
    needed = dict.fromkeys(used)
    for mode in used:
        needed |= dict.fromkeys(e.impact for e in plants[mode].mechanism.events if e.impact)
    choices = result.end.choices if result.end is not None else {}
    found = {}
    for mode in needed:
        plant = plants[mode]
        roles = roles_of(plant, choices[mode].partition if mode in choices else None)
        system = VariedSystem.forward(plant, roles, (*varied, TIME), directions)
        found[mode] = VariedMode(system, ModeJumps(plant, roles, plants))
    return found


class ModedRun:
    """A run from event to event.

    Attributes:
        t: times of the samples [s].
        rows: of each sample, its mode, x, dep and dx.
    """

    def __init__(
        self, modes: Mapping[str, VariedMode], result: Result, schedule: FixedSteps,
        around: Surroundings,
    ) -> None:  # fmt: skip
        self._modes, self._schedule, self._around = modes, schedule, around
        self._tableau = TABLEAUS[result.method]
        self._events = list(result.events)
        self._dt = np.zeros(around.dg.shape[1])
        self._last_event = -np.inf
        self.rows: list[tuple[str, Moment]] = []

    def go(self, mode: str, start: Moment) -> None:
        """Run to the end."""
        h, steps, stride = self._schedule.step, self._schedule.steps, self._schedule.stride
        now, k = start, 0
        self._keep(mode, now, k, stride, steps)
        while k < steps or self._events:
            event = self._events[0] if self._events else None
            last = steps if event is None else min(steps, int(event.t / h))
            # whole steps up to the one in which something happens
            if last > k and now.t <= k * h:
                now = self._whole_steps(mode, now, k, last, stride, steps)
                k = last
            elif event is not None and event.t <= (k + 1) * h:
                mode, now = self._over(mode, now, event)
                self._events.pop(0)
            else:
                now = self._to(mode, now, (k + 1) * h)
                k += 1
                self._keep(mode, now, k, stride, steps)

    def _whole_steps(
        self, mode: str, now: Moment, k: int, last: int, stride: int, steps: int
    ) -> Moment:
        h = self._schedule.step
        leg = Leg(k * h, h, last - k)
        found = self._leg(mode, leg, now)
        for i in range(1, last - k + 1):
            at = Moment((k + i) * h, found.x[i], found.dep[i], found.dx[i])
            self._keep(mode, at, k + i, stride, steps)
        return at

    def _keep(self, mode: str, at: Moment, k: int, stride: int, steps: int) -> None:
        if k % stride == 0 or k == steps:
            self.rows.append((mode, at))

    def _leg(self, mode: str, leg: Leg, now: Moment) -> VariedSamples:
        around = self._around
        given = Given(Inputs(around.u[mode]), around.tau[mode], around.dg)
        start = (now.x, now.dep, now.dx)
        return run_leg(self._modes[mode].system, self._tableau, leg, given, start)

    def _to(self, mode: str, now: Moment, t: float) -> Moment:
        """A shorter step."""
        found = self._leg(mode, Leg(now.t, t - now.t, 1), now)
        return Moment(t, found.x[-1], found.dep[-1], found.dx[-1])

    def _over(self, mode: str, now: Moment, event: EventRecord) -> tuple[str, Moment]:
        """Over an event, whose time is found once more on these steps."""
        at_once = event.t - self._last_event <= SAME_TIME * self._schedule.step
        at = now
        if not at_once:
            at = self._located(mode, now, event)
        self._last_event = event.t
        return event.next_mode, jump(self._modes, event, at, self._dt, self._around)

    def _located(self, mode: str, now: Moment, event: EventRecord) -> Moment:
        t = event.t
        for _ in range(MOST_CORRECTIONS):
            at = self._to(mode, now, t) if t > now.t else now
            value, rate, change = indicator(mode, self._modes[mode], event.name, at, self._around)
            self._dt = time_change(event, rate, change)
            step = value / rate
            if abs(step) <= LOCATED * max(1.0, abs(t)):
                return at
            t = max(t - step, now.t)
        if abs(step) > self._schedule.step * 1e-3:
            raise SimulationError(
                f"event '{event.name}' at t = {event.t:.9g} s is not found again",
                fix="Use a shorter step.",
            )
        return at


def refuse_inputs(plants: Mapping[str, BarePlant], inputs: Mapping[str, Inputs]) -> None:
    """Refuse what events with derivatives do not know.

    Raises:
        InputError: says what.
    """
    for mode, given in inputs.items():
        if given.function is not None:
            raise InputError(
                f"sensitivities: inputs of mode '{mode}' of model '{plants[mode].name}' are "
                "functions of time, and it has events",
                fix="Give constant inputs, or write the function into the model.",
            )
