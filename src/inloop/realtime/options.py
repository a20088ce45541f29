"""Options of a real-time run, validated before the start."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from inloop.errors import InputError
from inloop.native import Status
from inloop.realtime.checks import is_finite, is_flag, is_text, is_whole, need, need_mapping, shown
from inloop.realtime.clock import ScriptedClock
from inloop.simulate.schedules import METHODS

RATES = (1.0, 50_000.0)  # [Hz]
SPEEDS = (1e-3, 1e3)
MOST_SUBSTEPS = 10_000
LEAD, MOST_OF_PERIOD = 1e-4, 0.1  # default lead of warm-ups [s], maximum fraction of the period [1]
WARM_SENSE = " of the clock, half a period at most; or True, or False"
LONGEST = 1e6  # [s] limit of times that are counted in nanoseconds
MODES = {"clock": 0, "free": 1, "lock-step": 2}
POLICIES = {"hold": 0, "safe": 1, "stop": 2}
STATUSES = {
    "OVERRUN": Status.OVERRUN, "DIVERGED": Status.DIVERGED, "LOOP_OPEN": Status.LOOP_OPEN,
    "INPUT_STALE": Status.INPUT_STALE, "CHATTERING": Status.CHATTERING,
    "OUT_OF_BOUNDS": Status.OUT_OF_BOUNDS, "CONTROLLER_FAILED": Status.CONTROLLER_FAILED,
}  # fmt: skip
DEFAULT_POLICIES = {
    "OVERRUN": "hold", "DIVERGED": "safe", "LOOP_OPEN": "safe", "INPUT_STALE": "safe",
    "CHATTERING": "safe", "CONTROLLER_FAILED": "safe",
}  # fmt: skip

Mode = Literal["clock", "free", "lock-step"]


class OptionValues(TypedDict, total=False):
    """The fields of `Options` as keywords, for type checkers."""

    rate: float
    substeps: int
    method: str | None
    mode: Mode
    speed: float
    extrapolate: bool
    stale_after: float | None
    policies: Mapping[str, str]
    safe: Mapping[str, float | None]
    most_late: float
    priority: int | None
    core: int | None
    lock_memory: bool
    warm: float | bool
    bare_loop: bool
    telemetry: float
    paused: bool
    clock: ScriptedClock | None


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a real-time run.

    Attributes:
        rate: steps per simulated second [Hz].
        substeps: integrator steps per period.
        method: "rk4", "euler", "dopri", "rodas", "implicit" or "moreau", all with fixed steps;
            None for "rk4", or "implicit" where contacts, stops or stiff laws need it, or "moreau"
            where contacts are hard.
        mode: "clock": real time; "free": as fast as possible; "lock-step": each step waits for
            inputs that answer the previous outputs, which is reproducible to the bit.
        speed: simulated seconds per second, for "clock".
        extrapolate: extrapolate inputs linearly instead of holding them.
        stale_after: age at which inputs are stale [s]; None: never.
        policies: reactions to OVERRUN, DIVERGED, OUT_OF_BOUNDS (default: as DIVERGED), LOOP_OPEN,
            CHATTERING, CONTROLLER_FAILED, INPUT_STALE: "hold" continues with the current inputs,
            "safe" replaces them by safe values (while they are stale; for the others until
            `resume`), "stop" ends the run.
        safe: safe values of inputs by name, None to keep the current one; default: 0, and None for
            the position of a driven joint.
        most_late: late steps are made up, up to this much simulated time [s]; more are skipped.
        priority: SCHED_FIFO priority, 1 to 99; None: the ordinary scheduler.
        core: processor to run on; None: any.
        lock_memory: lock the memory that this process uses, not what it has only reserved.
        warm: wake up this much before each period [s] and execute the step once without effect, so
            that the real one finds everything in the caches; True for a tenth of the period, at
            most 0.1 ms. Costs processor time and changes no output.
        bare_loop: run a bare loop of the same rate in parallel, to measure the machine itself.
        telemetry: time for which records are kept for readers [s].
        paused: start paused.
        clock: a scripted clock to run on instead of the system clock: see `ScriptedClock`.
    """

    rate: float = 1000.0
    substeps: int = 1
    method: str | None = None
    mode: Mode = "clock"
    speed: float = 1.0
    extrapolate: bool = False
    stale_after: float | None = 0.1
    policies: Mapping[str, str] = field(default_factory=dict)
    safe: Mapping[str, float | None] = field(default_factory=dict)
    most_late: float = 0.1
    priority: int | None = 80
    core: int | None = None
    lock_memory: bool = True
    warm: float | bool = False
    bare_loop: bool = False
    telemetry: float = 4.0
    paused: bool = False
    clock: ScriptedClock | None = None

    def __post_init__(self) -> None:
        self._check_pace()
        self._check_watch()
        self._check_machine()
        for name in ("extrapolate", "lock_memory", "bare_loop", "paused"):
            value = getattr(self, name)
            need(is_flag(value), f"{name} = {shown(value)}", "Use True or False.")
        scripted = self.clock is None or isinstance(self.clock, ScriptedClock)
        need(scripted, f"clock = {shown(self.clock)}", "Use il.ScriptedClock(), or leave it out.")

    def _check_pace(self) -> None:
        _range("rate", self.rate, *RATES, "Hz")
        whole = is_whole(self.substeps) and 1 <= self.substeps <= MOST_SUBSTEPS
        need(whole, f"substeps = {shown(self.substeps)}", f"Use 1 to {MOST_SUBSTEPS}.")
        _range("speed", self.speed, *SPEEDS)
        if self.method is not None:
            _choice("method", self.method, METHODS)
            endless = "method 'event_driven' may take any number of events in a step"
            need(self.method != "event_driven", endless, "Use moreau, or name none.")
        _choice("mode", self.mode, MODES)
        _range("most_late", self.most_late, 0.0, LONGEST, "s")
        if not is_flag(self.warm):
            _range("warm", self.warm, 1e-9, 0.5 * self.period / self.speed, "s", WARM_SENSE)
        clocked = self.mode == "clock" or not self.lead
        need(clocked, f"warm = {shown(self.warm)} with mode {shown(self.mode)}", "Leave it out.")

    def _check_watch(self) -> None:
        need_mapping("policies", self.policies, is_text, "Give policies by the name of a status.")
        for status, policy in self.policies.items():
            _choice("status", status, STATUSES)
            _choice("policy", policy, POLICIES)
        if self.stale_after is not None:
            _range("stale_after", self.stale_after, 1e-9, LONGEST, "s", " (or None: never)")
        fix = "Give finite numbers by the name of an input, or None to keep what is there."
        need_mapping("safe", self.safe, lambda x: x is None or is_finite(x), fix)

    def _check_machine(self) -> None:
        _range("telemetry", self.telemetry, 1e-3, 600.0, "s")
        if self.priority is not None:
            good = is_whole(self.priority) and 1 <= self.priority <= 99
            need(good, f"priority = {shown(self.priority)}", "Use 1 to 99, or None.")
        cores = sorted(os.sched_getaffinity(0))
        if self.core is not None:
            good = is_whole(self.core) and self.core in cores
            need(good, f"core = {shown(self.core)}", f"Cores here are {cores}.")

    @property
    def period(self) -> float:
        """Simulated time per step [s]."""
        return 1.0 / self.rate

    @property
    def lead(self) -> float:
        """How early the loop wakes up before each period [s]; 0: no warm-up."""
        if is_flag(self.warm):
            default = min(LEAD, MOST_OF_PERIOD * self.period / self.speed)
            return default if self.warm else 0.0
        return float(self.warm)

    @property
    def policy_codes(self) -> list[int]:
        """Policies by status number."""
        codes = [0] * len(Status)
        chosen = {**DEFAULT_POLICIES, **self.policies}
        # diverging states are caught by their bounds, or in one large step
        chosen.setdefault("OUT_OF_BOUNDS", chosen["DIVERGED"])
        for name, policy in chosen.items():
            codes[STATUSES[name]] = POLICIES[policy]
        return codes


def _range(
    name: str, value: float, least: float, most: float, unit: str = "", more: str = ""
) -> None:
    good = is_finite(value) and least <= value <= most
    place = f"Use {least:g} to {most:g} {unit}".rstrip()
    need(good, f"{name} = {shown(value)} {unit}".rstrip(), f"{place}{more}.")


def _choice(kind: str, value: str, known: Mapping[str, object]) -> None:
    if not is_text(value) or value not in known:
        raise InputError(f"{kind} {shown(value)} is unknown", fix=f"Use one of {', '.join(known)}.")
