"""Pulses in functions of time alone: inputs, motions of drives, parts of laws.

Steps longer than a pulse may skip it, and nothing in the motion reveals it: neither the energy
balance nor the error estimate of adaptive steps. So functions of time are examined separately, at
eight points of each step, at their samples, and between all their constants that may be times.
Adaptive steps are kept shorter than the pulses found.

A pulse is where a function leaves its previous value by more than a tenth of its range and comes
back. Its width is measured at half of its height.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from inloop.native import AdaptiveSteps, FixedSteps
from inloop.plant import Array, BarePlant
from inloop.plant.time_functions import TimeFunction, written_over_time
from inloop.simulate.systems import Conditions

Schedule = TypeVar("Schedule", FixedSteps, AdaptiveSteps, FixedSteps | AdaptiveSteps)

POINTS = 8  # evaluation points per step
MOST_POINTS = 100_000
HEIGHT = 0.1  # of the range of a function: lower is not a pulse
ENTERED = 0.5  # of a pulse: maximum step that ends inside it
RESOLVED = 8.0  # steps per pulse that resolve it
SEEN = 2.0  # samples per pulse that resolve its work
MOST_STEPS = 1e6  # maximum steps that pulses may enforce on an adaptive run


@dataclass(frozen=True)
class Pulse:
    """A pulse in a function of time.

    Attributes:
        name: name of its function, as text.
        t: center [s].
        width: width [s].
    """

    name: str
    t: float
    width: float

    def lies_between(self, step: float) -> bool:
        """Whether no fixed step [s] ends inside the pulse."""
        before = np.floor((self.t - 0.5 * self.width) / step)
        return bool((before + 1.0) * step > self.t + 0.5 * self.width)


def shortest_pulse(
    plants: Mapping[str, BarePlant],
    at: Mapping[str, Conditions],
    schedule: FixedSteps | AdaptiveSteps,
    begin: float = 0.0,
) -> Pulse | None:
    """The shortest pulse of all functions of time; for fixed steps, of those that they skip.

    Args:
        plants: modes by name.
        at: conditions of each plant.
        schedule: schedule of the run.
        begin: start time of the run [s].
    """
    if isinstance(schedule, FixedSteps):
        end, step = schedule.step * schedule.steps, schedule.step
    else:
        end, step = schedule.t_end, schedule.sample or schedule.t_end
    found: list[Pulse] = []
    if not end > begin:
        return None
    for name, plant in plants.items():
        for names, function in _functions(plant, at[name]):
            t = _times(function, begin, end, step)
            for label, values in zip(names, function.over(t).T, strict=False):
                found += _pulses(label, t, values)
    if isinstance(schedule, FixedSteps):
        found = [pulse for pulse in found if pulse.lies_between(schedule.step)]
    return min(found, key=lambda pulse: pulse.width, default=None)


def with_pulses(schedule: Schedule, pulse: Pulse | None) -> Schedule:
    """The same schedule, with adaptive steps that do not skip the pulse."""
    if pulse is None or isinstance(schedule, FixedSteps):
        return schedule
    longest = max(ENTERED * pulse.width, schedule.t_end / MOST_STEPS)
    return replace(schedule, max_step=longest)


def pulse_doubts(schedule: FixedSteps | AdaptiveSteps, pulse: Pulse | None) -> tuple[str, ...]:
    """Notes on a pulse that steps may skip."""
    longest = schedule.step if isinstance(schedule, FixedSteps) else schedule.max_step
    if pulse is None or pulse.width >= longest:
        return ()
    told = (
        f"t = {pulse.t:.6g} s: {pulse.name} has a pulse of {pulse.width:.3g} s, over which "
        f"steps of {longest:.4g} s pass. Use step <= {pulse.width / RESOLVED:.2g}"
    )
    return (f"{told}, or tolerance=1e-6." if isinstance(schedule, FixedSteps) else f"{told}.",)


def between_samples(schedule: FixedSteps | AdaptiveSteps, pulse: Pulse | None) -> bool:
    """Whether a pulse that steps resolve is too short for the samples to resolve its work."""
    if pulse is None or isinstance(schedule, FixedSteps):
        return False
    return pulse.width < SEEN * (schedule.sample or schedule.t_end)


def _functions(plant: BarePlant, at: Conditions) -> Iterator[tuple[Sequence[str], TimeFunction]]:
    """Functions of time, with labels for their values."""
    if at.inputs.function is not None:
        yield [f"input '{name}'" for name in at.inputs.function.names], at.inputs.function
    if at.drives is not None and at.drives.given is not None:
        driven = plant.formulation.driven
        # positions come first
        yield [f"drive '{driven[k]}'" for k in at.drives.places], at.drives.given
    for name, function in written_over_time(plant.mechanism, plant.parameters).items():
        yield [name] * len(function.tape.results), function


def _times(function: TimeFunction, begin: float, end: float, step: float) -> Array:
    """Times at which a function is examined."""
    count = min(POINTS * max(1.0, (end - begin) / step), MOST_POINTS)
    tape = function.tape
    numbers = np.unique(np.concatenate([tape.registers, tape.tables]))
    knots = numbers[(numbers >= begin) & (numbers <= end)][:MOST_POINTS]
    sides = np.concatenate([np.nextafter(knots, -np.inf), np.nextafter(knots, np.inf)])
    middles = 0.5 * (knots[1:] + knots[:-1])
    grid = np.linspace(begin, end, int(count) + 1)
    times = np.unique(np.concatenate([grid, knots, sides, middles]))
    return times[(times >= begin) & (times <= end)]


def _pulses(name: str, t: Array, values: Array) -> Iterator[Pulse]:
    """All pulses of a function."""
    if not np.isfinite(values).all():
        return
    turns = _turns(values, HEIGHT * float(np.ptp(values)))
    for before, k, after in zip(turns, turns[1:], turns[2:], strict=False):
        part = slice(before, after + 1)
        height = min(abs(values[k] - values[before]), abs(values[k] - values[after]))
        sign = 1.0 if values[k] > values[before] else -1.0
        beyond = sign * (values[part] - values[k]) + 0.5 * height
        first, last = (int(i) for i in np.flatnonzero(beyond >= 0.0)[[0, -1]])
        ends = (_crossing(t[part], beyond, i, j) for i, j in ((first - 1, first), (last + 1, last)))
        left, right = ends
        yield Pulse(name, 0.5 * (left + right), right - left)


def _crossing(t: Array, beyond: Array, i: int, j: int) -> float:
    """Linear interpolation of the zero between two neighbors."""
    return float(t[i] + (t[j] - t[i]) * beyond[i] / (beyond[i] - beyond[j]))


def _turns(values: Array, least: float) -> list[int]:
    """Indices where a function reverses by more than `least`, including its ends."""
    if not least > 0.0:
        return []
    slope = np.sign(np.diff(values))
    moving = np.flatnonzero(slope)
    turning = moving[1:][slope[moving[1:]] != slope[moving[:-1]]]
    turns, last = [0], 0
    for k in (*turning.tolist(), len(values) - 1):
        if len(turns) > 1 and (values[k] - values[last]) * (values[last] - values[turns[-2]]) >= 0:
            turns[-1] = last = k
        elif abs(values[k] - values[last]) > least:
            turns.append(k)
            last = k
    return turns
