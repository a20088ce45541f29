"""Fault injection by name: noise, delays, drops, stuck and limited signals, a killed controller.

A fault is written as KIND:TARGET[=VALUE][@BEGIN[-END]], times in seconds of simulated time:

    noise:joint_2.q=0.001       normally distributed, with this standard deviation
    drop:joint_2.q=0.1          one sample in ten does not come: the value before it stays
    drop:outputs=0.1            one record in ten does not come at all
    delay:joint_2.qd=0.005      comes so much later [s]
    stuck:joint_2.q@5-8         stays where it was at 5 s, for three seconds
    lost:joint_2.q@5-8          reads 0, as after the break of a wire
    limit:joint_2.tau=20@5-8    cut off beyond this, to both sides
    kill:controller@5-6         killed at 5 s, started again at 6 s

A target is an output (a sensor), an input (an actuator), or "outputs" or "inputs" for all of them.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.native.library import Reals
from inloop.realtime.mailboxes.layout import Layout

EXAMPLE = "Write it as noise:joint_2.q=0.001 or stuck:joint_2.q@5-8."
# kind → whether it has a value, and the largest one
VALUES = {"noise": math.inf, "drop": 1.0, "delay": 60.0, "limit": math.inf}
KINDS = (*VALUES, "stuck", "lost", "kill")
CONTROLLER, OUTPUTS, INPUTS = "controller", "outputs", "inputs"
_TIME = r"(\d+(?:\.\d*)?|\.\d+)s?"
_FAULT = re.compile(rf"(\w+):([^=@]+)(?:=([^@]+))?(?:@{_TIME}(?:-{_TIME})?)?")


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        kind: "noise", "drop", "delay", "stuck", "lost", "limit" or "kill".
        target: name of a signal, "outputs", "inputs" or "controller".
        value: standard deviation or limit in the unit of the signal, probability, or delay [s].
        begin, end: simulated time in which it acts [s].
    """

    kind: str
    target: str
    value: float = 0.0
    begin: float = 0.0
    end: float = math.inf

    def acts(self, t: float) -> bool:
        """Whether it is active at this time."""
        return self.begin <= t < self.end


def read_fault(text: str) -> Fault:
    """Parse the description of a fault.

    Raises:
        InputError: it is not a valid fault.
    """
    found = _FAULT.fullmatch(text.strip())
    if found is None or found[1] not in KINDS:
        raise InputError(
            f"{text[:60]!a} is not a fault", fix=f"{EXAMPLE} Kinds: {', '.join(KINDS)}."
        )
    kind, target, value, begin, end = found.groups()
    if (kind == "kill") != (target == CONTROLLER):
        raise InputError(
            f"{text[:60]!a}: only the controller can be killed, and only that can be done to it",
            fix="Write it as kill:controller@5-6.",
        )
    if (value is not None) != (kind in VALUES):
        need = "needs a value" if kind in VALUES else "has no value"
        raise InputError(f"{text[:60]!a}: {kind} {need}", fix=EXAMPLE)
    if kind in ("stuck", "kill") and begin is None:
        raise InputError(f"{text[:60]!a}: when?", fix=f"{EXAMPLE}")
    fault = Fault(kind, target, _number(text, value), float(begin or 0.0), float(end or math.inf))
    if not fault.begin < fault.end:
        raise InputError(f"{text[:60]!a} ends before it begins", fix=EXAMPLE)
    return fault


def _number(text: str, value: str | None) -> float:
    kind = text.strip().partition(":")[0]
    try:
        number = float(value or 0.0)
    except ValueError:
        number = math.nan
    if not 0.0 <= number <= VALUES.get(kind, 0.0) or math.isinf(number):
        raise InputError(f"{text[:60]!a}: {value} makes no sense for {kind}", fix=EXAMPLE)
    return number


def split_faults(faults: Sequence[Fault], layout: Layout) -> tuple[list[Fault], list[Fault]]:
    """Faults of sensors and faults of actuators; those of the controller are omitted.

    Raises:
        InputError: a target is neither an output nor an input.
    """
    outputs, inputs = layout.output_names, [x.name for x in layout.inputs]
    sensors, actuators = [], []
    for fault in faults:
        if fault.target == OUTPUTS or fault.target in outputs[1:]:
            sensors.append(fault)
        elif fault.target == INPUTS or fault.target in inputs:
            actuators.append(fault)
        elif fault.target != CONTROLLER:
            shown = ", ".join([*outputs[1:], *inputs][:24])
            raise InputError(
                f"the plant has no signal '{fault.target}'",
                fix=f"Names are: {OUTPUTS}, {INPUTS}, {shown}.",
            )
    return sensors, actuators


class Corruption:
    """Applies faults to a stream of records.

    Attributes:
        dropped: number of dropped records.
    """

    def __init__(self, faults: Sequence[Fault], names: Sequence[str], seed: int) -> None:
        self._faults = list(faults)
        self._places = [_place(fault, names) for fault in faults]
        self._random = np.random.default_rng(seed)
        self._longest = max((f.value for f in faults if f.kind == "delay"), default=0.0)
        self._history: deque[tuple[float, Reals]] = deque()
        self._held: dict[int, Reals] = {}
        self._last: Reals | None = None
        self.dropped = 0

    def apply(self, t: float, values: Reals) -> Reals | None:
        """A record as it arrives; None if it is dropped.

        Args:
            t: its simulated time [s].
            values: its numbers; not modified.
        """
        self._remember(t, values)
        result, lost = values.copy(), False
        for number, (fault, place) in enumerate(zip(self._faults, self._places, strict=True)):
            if not fault.acts(t):
                self._held.pop(number, None)
            elif fault.kind == "drop":
                chance = self._random.random() < fault.value
                lost |= chance and fault.target in (OUTPUTS, INPUTS)
                if chance and self._last is not None:
                    result[place] = self._last[place]
            elif fault.kind == "noise":
                result[place] += fault.value * self._random.standard_normal(len(result[place]))
            elif fault.kind == "delay":
                result[place] = self._at(t - fault.value)[place]
            elif fault.kind == "lost":
                result[place] = 0.0
            elif fault.kind == "limit":
                result[place] = np.clip(result[place], -fault.value, fault.value)
            else:
                before = result if self._last is None else self._last
                result[place] = self._held.setdefault(number, before[place].copy())
        if lost:
            self.dropped += 1
            return None
        self._last = result
        return result

    def _remember(self, t: float, values: Reals) -> None:
        if self._history and t < self._history[-1][0]:
            self._history.clear()  # a reset
        self._history.append((t, values))
        # keep one record older than needed
        while len(self._history) > 1 and self._history[1][0] <= t - self._longest:
            self._history.popleft()

    def _at(self, t: float) -> Reals:
        """The newest record that is not newer than t."""
        found = self._history[0][1]
        for when, values in self._history:
            if when > t + 1e-9:
                break
            found = values
        return found


def _place(fault: Fault, names: Sequence[str]) -> slice:
    """Positions of its signals; time itself is never changed."""
    if fault.target in (OUTPUTS, INPUTS):
        return slice(1 if names[0] == "t" else 0, len(names))
    k = list(names).index(fault.target)
    return slice(k, k + 1)
