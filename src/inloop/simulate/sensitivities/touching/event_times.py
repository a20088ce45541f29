"""Derivatives of event times of hard contacts; simultaneous events must stay simultaneous."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.plant import Array
from inloop.simulate.sensitivities.event_changes import GRAZING, Moment
from inloop.simulate.sensitivities.touching.blow import undefined
from inloop.simulate.sensitivities.touching.deciding import standstill
from inloop.simulate.sensitivities.touching.phase import Kept, Modes, Phase
from inloop.simulate.sensitivities.touching.watching import Happening, indicators

TOGETHER = 2e-11  # of the characteristic length: contacts that hit simultaneously
SAME_TIME = 1e-6  # of the largest derivative: equal times of events


class EventTimes:
    """Derivatives of the times of events along the directions of a run."""

    def __init__(self, phase: Phase, names: Sequence[str]) -> None:
        """Prepare for the events of a run.

        Args:
            phase: the equations along the directions and, last, time.
            names: of the directions.
        """
        self._phase, self._names = phase, names

    def of_hit(self, at: Moment, modes: Modes, kept: Kept, what: Happening) -> Array:
        """Derivatives of the time of an impact; simultaneous impacts must stay simultaneous."""
        names, seen = self._phase.system.contacts, kept.seen
        near = TOGETHER * self._phase.length + 1e-14 * float(np.abs(at.x).max())
        zero = standstill(self._phase, seen.u.value)
        struck = {what.number} | {
            i for i, closed in enumerate(modes.closed)
            if not closed and seen.gap.value[i] <= near
            and seen.u.value[self._phase.system.normals[i]] < -zero
        }  # fmt: skip
        changes = {i: self._time_change(seen.gap.change[i], f"contact '{names[i]}' hits", at.t)
                 for i in sorted(struck)}  # fmt: skip
        self._check_same_time({f"contact '{names[i]}' hits": dt for i, dt in changes.items()}, at.t)
        return changes[what.number]

    def of_change(self, at: Moment, modes: Modes, kept: Kept, what: Happening) -> Array:
        """Derivatives of the time of a mode change; simultaneous changes must stay simultaneous."""
        zero = 10.0 * standstill(self._phase, kept.seen.u.value)
        changes = {}
        for other, indicator in indicators(self._phase, kept, modes).items():
            same = other.kind == "sticks" == what.kind and indicator.value <= zero
            if other == what or same:
                changes[self._named(other)] = self._time_change(
                    indicator.change, self._named(other), at.t
                )
        self._check_same_time(changes, at.t)
        return changes[self._named(what)]

    def _named(self, what: Happening) -> str:
        system, contact = self._phase.system, what.number
        if what.kind in ("slips", "sticks", "slows"):
            contact = system.discs[what.number].contact
        return f"contact '{system.contacts[contact]}' {what.kind}"

    def _time_change(self, change: Array, name: str, t: float) -> Array:
        rate, size = float(change[-1]), float(np.abs(change[:-1]).max(initial=0.0))
        if not abs(rate) > GRAZING * size:
            raise undefined(f"{name} at t = {t:.9g} s so slowly that its time has no derivative")
        return -change[:-1] / rate

    def _check_same_time(self, changes: dict[str, Array], t: float) -> None:
        first = next(iter(changes.values()))
        size = max(float(np.abs(dt).max(initial=0.0)) for dt in changes.values())
        for name, dt in changes.items():
            if np.abs(dt - first).max(initial=0.0) > SAME_TIME * size:
                k = int(np.argmax(np.abs(dt - first)))
                raise undefined(
                    f"{next(iter(changes))} and {name} at once, at t = {t:.9g} s, but not if "
                    f"'{self._names[k]}' changes"
                )
