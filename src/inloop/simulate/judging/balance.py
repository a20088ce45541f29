"""The energy balance of a run: energy gained minus the work done on it.

Kinetic and potential energy change by the work of force laws, inputs, efforts, drives and moving
constraints, and by losses in events. The rest is the integration error. Work is the integral of the
power at the samples,

    ∫ P dt = h/2 (P₀ + P₁) + h²/12 (Ṗ₀ - Ṗ₁)

of fourth order; the second term measures how well the samples resolve the power. Two samples alone,
between events or in the whole run, do not: there the whole work is uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from inloop.plant import Array

ROUNDING = 1e-12  # relative to the largest energy: smaller is not an error


@dataclass(frozen=True)
class Balance:
    """Work done on a run.

    Attributes:
        work: work done on the mechanism since the start, minus losses in events [J], shape (N,).
        doubt: uncertainty of the work due to the spacing of the samples [J], shape (N,).
    """

    work: Array
    doubt: Array


def balance(t: Array, power: Array, events: Sequence[tuple[float, float]] = ()) -> Balance:
    """Integrate the power at the samples of a run.

    Args:
        t: times of the samples [s], shape (N,).
        power: power of everything except inertia and potential energy [W], shape (N,).
        events: times [s] and energy losses [J] of events, in order.
    """
    if len(t) < 2 or not (len(events) or np.any(power)):
        return Balance(np.zeros(len(t)), np.zeros(len(t)))
    # powers of a run that diverged are not finite
    with np.errstate(all="ignore"):
        return _integrated(t, power, events)


def _integrated(t: Array, power: Array, events: Sequence[tuple[float, float]]) -> Balance:
    step = np.diff(t)
    work = 0.5 * step * (power[:-1] + power[1:])
    times = np.array([when for when, _ in events])
    # a sample at the time of an event is from after the event
    broken = np.unique(np.searchsorted(t, times, side="left")[times > t[0]] - 1)
    parts = [*pairwise([0, *(broken + 1).tolist(), len(t)])]
    slope = _slopes(t, power, parts)
    bend = step**2 / 12.0 * (slope[:-1] - slope[1:])
    doubt = np.abs(bend)
    work = work + bend
    alone = [begin for begin, end in parts if end - begin == 2]
    doubt[alone] = step[alone] * np.maximum(np.abs(power[:-1]), np.abs(power[1:]))[alone]
    if len(broken):
        # constant power before the first event of the interval, and after it
        first = times[np.searchsorted(times, t[broken], side="right")]
        early = first - t[broken]
        rest = step[broken] - early
        work[broken] = power[broken] * early + power[broken + 1] * rest
        change = np.abs(slope[broken]) * early**2 + np.abs(slope[broken + 1]) * rest**2
        doubt[broken] = 0.5 * change
    losses = np.concatenate([[0.0], np.cumsum([loss for _, loss in events])])
    lost = losses[np.searchsorted(times, t, side="right")]
    done, unsure = (np.concatenate([[0.0], np.cumsum(part)]) for part in (work, doubt))
    return Balance(done - lost, unsure)


def _slopes(t: Array, power: Array, parts: Sequence[tuple[int, int]]) -> Array:
    """Ṗ at the samples, by differences within the parts between events."""
    slope = np.zeros(len(t))
    for begin, end in parts:
        if end - begin >= 2:
            part = slice(begin, end)
            if end - begin == 2:
                slope[part] = np.diff(power[part]) / np.diff(t[part])
            else:
                slope[part] = np.gradient(power[part], t[part], edge_order=2)
    return slope


def exchanged(energy: Array, work: Array) -> float:
    """The largest energy exchanged in a run [J]: kinetic energy, or work.

    Args:
        energy: kinetic and potential, shape (N, 2).
        work: work done on the mechanism, shape (N,).
    """
    return max(largest(energy[:, 0]), largest(work))


def largest(values: Array) -> float:
    """The largest absolute value; NaN if any is."""
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))


def relative(error: Array, energy: Array, work: Array) -> float:
    """Largest error relative to the largest energy exchanged; 0 if it is rounding."""
    with np.errstate(all="ignore"):
        worst = largest(error)
        if worst <= ROUNDING * largest(energy):
            return 0.0
        return float(np.divide(worst, exchanged(energy, work)))
