"""The energy balance of a run: what its energy gained less the work that was done on it.

Kinetic and potential energy change by the work of force laws, inputs, efforts, drives and moving
constraints, and by what events take. What is left is the error of the integration. Work is the
integral of the power at the samples,

    ∫ P dt = h/2 (P₀ + P₁) + h²/12 (Ṗ₀ - Ṗ₁)

of fourth order, and the second term tells how well the samples resolve the power.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from inloop.plant import Array

ROUNDING = 1e-12  # of the largest energy: less than this is no error


@dataclass(frozen=True)
class Balance:
    """What went in and out of a run.

    Attributes:
        work: done on the mechanism since the start, less what events took [J], shape (N,).
        doubt: how far the work may be off because samples are far apart [J], shape (N,).
    """

    work: Array
    doubt: Array


def balance(t: Array, power: Array, events: Sequence[tuple[float, float]] = ()) -> Balance:
    """Integrate the power at the samples of a run.

    Args:
        t: times of the samples [s], shape (N,).
        power: of all that acts beside inertia and potential energy [W], shape (N,).
        events: times [s] and the energy that each took [J], in order.
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
    # a sample at the time of an event is from after it
    broken = np.unique(np.searchsorted(t, times, side="left")[times > t[0]] - 1)
    slope = _slopes(t, power, broken)
    bend = step**2 / 12.0 * (slope[:-1] - slope[1:])
    doubt = np.abs(bend)
    work = work + bend
    if len(broken):
        # up to an event with the power before it, from there with the power after it
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


def _slopes(t: Array, power: Array, broken: Array) -> Array:
    """Ṗ at the samples, by differences that reach over no event."""
    slope = np.zeros(len(t))
    ends = [0, *(int(k) + 1 for k in broken), len(t)]
    for begin, end in pairwise(ends):
        if end - begin >= 2:
            part = slice(begin, end)
            if end - begin == 2:
                slope[part] = np.diff(power[part]) / np.diff(t[part])
            else:
                slope[part] = np.gradient(power[part], t[part], edge_order=2)
    return slope


def exchanged(energy: Array, work: Array) -> float:
    """The largest energy that was exchanged in a run [J]: kinetic energy, or work.

    Args:
        energy: kinetic and potential, shape (N, 2).
        work: done on the mechanism, shape (N,).
    """
    return max(largest(energy[:, 0]), largest(work))


def largest(values: Array) -> float:
    """The largest of absolute values; NaN if one of them is."""
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))


def relative(error: Array, energy: Array, work: Array) -> float:
    """Largest error over the largest energy exchanged; 0 where it is rounding."""
    with np.errstate(all="ignore"):
        worst = largest(error)
        if worst <= ROUNDING * largest(energy):
            return 0.0
        return float(np.divide(worst, exchanged(energy, work)))
