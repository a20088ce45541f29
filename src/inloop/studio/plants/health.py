"""Diagnoses a running plant: what is wrong, and what to do."""

from __future__ import annotations

import time

from inloop.studio.messaging.message_types import Level, Told
from inloop.studio.plants.sources import Condition, Moment

LATELY = 3.0  # [s] for which an overrun is reported

FAILURES = {
    "DIVERGED": (
        "the motion has become so fast that the simulation diverged; the last good state is held",
        "Undo the last change of a parameter, then reset.",
    ),
    "OUT_OF_BOUNDS": (
        "a coordinate or a speed would have exceeded its bounds; the last good state is held",
        "Undo the last change of a parameter, then reset.",
    ),
    "LOOP_OPEN": (
        "the loops of the mechanism could not be closed; the last good state is held",
        "Undo the last change of a parameter, then reset.",
    ),
    "CHATTERING": (
        "events follow each other without end; the last good state is held",
        "Undo the last change of a parameter, then reset.",
    ),
    "CONTROLLER_FAILED": (
        "the controller of the plant returned values that are not finite; the last "
        "good state is held",
        "Undo the last change of a gain, then reset.",
    ),
    "INPUT_STALE": (
        "the watchdog has acted: the program that wrote the inputs has stopped; safe "
        "values replace them",
        "Start the controller again, take the inputs here, or reset.",
    ),
}
LATCHED = {
    "STOPPED": "the plant was put into the safe state",
    "DIVERGED": "a step failed because the simulation diverged",
    "OUT_OF_BOUNDS": "a step failed because a coordinate or a speed would have exceeded its bounds",
    "LOOP_OPEN": "a step failed because the loops could not be closed",
    "CHATTERING": "a step failed because events followed each other without end",
    "CONTROLLER_FAILED": "a step failed because the controller returned values that are not finite",
}
ENDINGS: dict[str, tuple[Level, str, str]] = {
    "lost": (
        "error",
        "the process of the plant has died",
        "Start it again.",
    ),
    "ended": ("warn", "the run has ended", "Start it again, or choose another mechanism."),
    "starting": ("info", "the mechanism is being derived, compiled and started", ""),
}


INEXACT: Told = {
    "level": "warn",
    "text": "impulses of hard contacts were not solved exactly in some steps "
    "(CONTACT_INEXACT); the best ones are used",
    "fix": "Start with a higher rate, or give rigid contacts a stiffness: hard(stiffness=1e7).",
}


def latched_notice(status: str) -> Told:
    """Notice while inputs are ignored because of a status."""
    reason = LATCHED.get(status, f"a step ended with {status}")
    return {
        "level": "warn",
        "text": f"{reason}: since then, inputs are ignored and replaced by safe values",
        "fix": "Press 'Use inputs' to use them again, or reset.",
    }


class Health:
    """Keeps track of recent events."""

    def __init__(self) -> None:
        self._overruns: int | None = None
        self._late_until = 0.0
        self._late = 0
        self._inexact: int | None = None
        self._inexact_until = 0.0

    def notice(self, condition: Condition, moment: Moment | None) -> Told | None:
        """The most important notice now; None if all is well, or merely late."""
        self._count(condition.counters.get("overruns", 0))
        self._count_inexact(condition.counters.get("inexact_contacts", 0))
        if condition.state in ENDINGS:
            level, text, fix = ENDINGS[condition.state]
            return {"level": level, "text": text, "fix": fix}
        status = moment.status if moment is not None else "OK"
        if status in FAILURES:
            text, fix = FAILURES[status]
            if status == "OUT_OF_BOUNDS" and condition.beyond:
                text = f"{condition.beyond}; the last good state is held"
            gravity: Level = "warn" if status == "INPUT_STALE" else "error"
            return {"level": gravity, "text": text, "fix": fix}
        if condition.latched:
            return latched_notice(condition.latched)
        if condition.jumps:
            text, _, fix = condition.jumps.partition("; ")
            return {"level": "warn", "text": text, "fix": f"{fix[0].upper()}{fix[1:]}."}
        return INEXACT if time.monotonic() < self._inexact_until else None

    @property
    def late(self) -> int:
        """Number of late steps within the last seconds."""
        return self._late if time.monotonic() < self._late_until else 0

    def _count(self, overruns: int) -> None:
        """Update the number of overruns."""
        before, self._overruns = self._overruns, overruns
        if before is not None and overruns > before:
            if time.monotonic() >= self._late_until:
                self._late = 0
            self._late += overruns - before
            self._late_until = time.monotonic() + LATELY

    def _count_inexact(self, steps: int) -> None:
        """Update the number of steps with inexact contacts."""
        before, self._inexact = self._inexact, steps
        if before is not None and steps > before:
            self._inexact_until = time.monotonic() + LATELY
