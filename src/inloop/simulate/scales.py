"""Natural units of the state of a run: what its tolerances are measured by.

Angles count in radians and lengths in characteristic lengths. A natural time follows from the
motion at the start that the model declares, so that no second hides in a tolerance: the time in
which velocities, or accelerations from rest, lead through one unit. Velocities count in units per
natural time, states of laws by how far they get in one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from inloop.plant import Array

Function = Callable[[float, Array], Array | None]
PART = 1e-3  # of a unit, over which slopes are taken
AT_REST = 1e-6  # of the rate of small motions: a slower start is rest and rounding


@dataclass(frozen=True)
class Scales:
    """Natural units.

    Attributes:
        x: state of the stepper at the start that the model declares.
        sizes: one unit of each entry of x.
        rate: natural rate of the motion [1/s].
    """

    x: Array
    sizes: Array
    rate: float

    def of(self, function: Function) -> Array | None:
        """Natural sizes of functions of (t, x): what they are at the start and what a unit does."""
        here = function(0.0, self.x)
        if here is None:
            return None
        later = function(PART / self.rate, self.x)
        changes = [_change(function, here, self.x, k, s) for k, s in enumerate(self.sizes)]
        changes.append(np.zeros(len(here)) if later is None else np.abs(later - here) / PART)
        return np.asarray(np.maximum(np.abs(here), np.max(changes, axis=0)))


@contextmanager
def held(memory: Array, values: Array) -> Iterator[None]:
    """Let the leading entries of an array have other values for a while."""
    before = memory.copy()
    memory[: len(values)] = values
    try:
        yield
    finally:
        memory[:] = before


def natural_scales(rates: Function, x: Array, units: Array, n: int, states: int) -> Scales:
    """Natural units from a state and the rates there.

    Args:
        rates: (t, x) → xd, or None where there is none.
        x: (q, qd, z, estimates of dependent coordinates).
        units: one unit of each coordinate: of q, then of the estimates.
        n: length of q.
        states: length of z.
    """
    xd = rates(0.0, x)
    rate = 1.0 if xd is None else _natural_rate(rates, x, xd, units[:n])
    sizes = np.concatenate([units[:n], rate * units[:n], np.ones(states), units[n:]])
    if states and xd is not None:
        z = slice(2 * n, 2 * n + states)
        moved = [_change(rates, xd, x, k, sizes[k])[z] for k in range(2 * n)]
        ways = np.max([np.abs(xd[z]), *moved], axis=0) / rate
        found = np.where(x[z] != 0.0, np.abs(x[z]), ways)
        sizes[z] = np.where(np.isfinite(found) & (found > 0.0), found, 1.0)
    return Scales(x, sizes, rate)


def _natural_rate(rates: Function, x: Array, xd: Array, units: Array) -> float:
    """How fast coordinates move by a unit, or begin to [1/s]; 1 where nothing ever moves."""
    n = len(units)
    speed = np.abs(x[n : 2 * n] / units).max(initial=0.0)
    start = max(speed, np.sqrt(np.abs(xd[n : 2 * n] / units).max(initial=0.0)))
    springs = [_change(rates, xd, x, k, units[k])[n : 2 * n] / units for k in range(n)]
    small = float(np.sqrt(np.max(springs, initial=0.0)))
    if start > AT_REST * small:
        return float(start)
    if small > 0.0:
        return small
    dampers = [_change(rates, xd, x, n + k, units[k])[n : 2 * n] / units for k in range(n)]
    return float(np.max(dampers, initial=0.0)) or 1.0


def _change(function: Function, here: Array, x: Array, k: int, unit: float) -> Array:
    """How much a function changes with a unit of one entry of x, from its slope."""
    there = x.copy()
    there[k] += PART * unit
    found = function(0.0, there)
    change = np.zeros(len(here)) if found is None else np.abs(found - here) / PART
    return np.asarray(np.where(np.isfinite(change), change, 0.0))
