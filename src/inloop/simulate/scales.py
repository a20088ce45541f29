"""Natural units of the state of a run, in which tolerances are expressed.

Angles are measured in radians, lengths in characteristic lengths. A natural time follows from the
motion at the declared start, so that tolerances do not depend on the second as a unit: the time in
which velocities, or accelerations from rest, cover one unit. Velocities are measured in units per
natural time, states of laws by their change in one.

If the description contains no length, as for a mass on a spring that starts at 0, one is derived
from the motion at the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from inloop.plant import Array

Function = Callable[[float, Array], Array | None]
RateOf = Callable[[Function, Array, Array, Array, int], float]
PART = 1e-3  # of a unit: finite-difference step
LOOKS = 4  # iterations for the length of a motion
AT_REST = 1e-6  # relative to small motions: a slower start, or a smaller state, counts as rest


@dataclass(frozen=True)
class Scales:
    """Natural units.

    Attributes:
        x: stepper state at the declared start.
        sizes: one unit of each entry of x.
        rate: natural rate of the motion [1/s].
    """

    x: Array
    sizes: Array
    rate: float

    def of(self, function: Function) -> Array | None:
        """Natural sizes of functions of (t, x): the larger of their value and change per unit."""
        here = function(0.0, self.x)
        if here is None:
            return None
        later = function(PART / self.rate, self.x)
        changes = [_change(function, here, self.x, k, s) for k, s in enumerate(self.sizes)]
        changes.append(np.zeros(len(here)) if later is None else np.abs(later - here) / PART)
        return np.asarray(np.maximum(np.abs(here), np.max(changes, axis=0)))


@contextmanager
def held(memory: Array, values: Array) -> Iterator[None]:
    """Temporarily replace the leading entries of an array."""
    before = memory.copy()
    memory[: len(values)] = values
    try:
        yield
    finally:
        memory[:] = before


def natural_scales(
    rates: Function,
    x: Array,
    units: Array,
    n: int,
    states: int,
    unknown: Array,
    rate_of: RateOf | None = None,
    quaternions: int = 0,
) -> Scales:
    """Natural units from a state and the rates there.

    Args:
        rates: (t, x) → xd, or None where undefined.
        x: (q, qd, z, estimates of dependent coordinates, components of quaternions).
        units: one unit of each coordinate: of q, then of the estimates.
        n: length of q.
        states: length of z.
        unknown: mask of coordinates, in the order of the units, whose unit is a length that the
            description does not define.
        rate_of: (rates, x, xd, units of q, number of components) → natural rate [1/s]; default:
            that of the motion.
        quaternions: number of components of quaternions.
    """
    xd = rates(0.0, x)
    if xd is not None and np.any(unknown[:n]):
        units = np.where(unknown, _length_of_motion(rates, x, xd, unknown[:n]), units)
    rate = 1.0
    if xd is not None:
        rate = (rate_of or _rate_of_motion)(rates, x, xd, units[:n], quaternions)
    ones, parts = np.ones(states), np.ones(quaternions)
    sizes = np.concatenate([units[:n], rate * units[:n], ones, units[n:], parts])
    if states and xd is not None:
        z = slice(2 * n, 2 * n + states)
        moved = [_change(rates, xd, x, k, sizes[k])[z] for k in range(2 * n)]
        ways = np.max([np.abs(xd[z]), *moved], axis=0) / rate
        found = np.where(np.abs(x[z]) > AT_REST * ways, np.abs(x[z]), ways)
        sizes[z] = np.where(np.isfinite(found) & (found > 0.0), found, 1.0)
    return Scales(x, sizes, rate)


def _length_of_motion(rates: Function, x: Array, xd: Array, lengths: Array) -> float:
    """How far velocities and accelerations lead until springs or dampers reverse them [m].

    1 m if nothing reverses them: the motion is then a polynomial, which all methods follow exactly.
    """
    n, places = len(lengths), [k for k, is_length in enumerate(lengths) if is_length]
    rows = [n + k for k in places]
    speed, pull = (float(np.abs(v[rows]).max()) for v in (x, xd))
    length = 1.0
    # laws may be stiffer or softer along the motion: iterate with the length found
    for _ in range(LOOKS):
        slopes = [
            max(float(_change(rates, xd, x, k, length)[rows].max()) / length for k in entries)
            for entries in (places, rows)
        ]
        rate = max(float(np.sqrt(slopes[0])), slopes[1])
        way = max(speed / rate, pull / rate**2) if rate > 0.0 else 0.0
        if rate == 0.0 and pull > 0.0:
            way = speed**2 / pull
        if not (np.isfinite(way) and way > 0.0):
            break
        length = way
    return length


def _rate_of_motion(rates: Function, x: Array, xd: Array, units: Array, quaternions: int) -> float:
    """Rate at which coordinates move, or start to move, by a unit [1/s]; 1 if nothing moves."""
    start, small = _rates(rates, x, xd, units, quaternions)
    if start > AT_REST * small:
        return start
    return small or _rate_of_dampers(rates, x, xd, units) or 1.0


def fastest_rate(rates: Function, x: Array, xd: Array, units: Array, quaternions: int) -> float:
    """The rate of the motion, or of small vibrations about it if they are faster [1/s]."""
    return (
        max(_rates(rates, x, xd, units, quaternions))
        or _rate_of_dampers(rates, x, xd, units)
        or 1.0
    )


def _rates(
    rates: Function, x: Array, xd: Array, units: Array, quaternions: int
) -> tuple[float, float]:
    """Rates of the motion that begins here, and of small vibrations about it [1/s]."""
    n = len(units)
    speed = np.abs(x[n : 2 * n] / units).max(initial=0.0)
    start = max(speed, np.sqrt(np.abs(xd[n : 2 * n] / units).max(initial=0.0)))
    moved = [(k, units[k]) for k in range(n)]
    # the quaternion changes by half the angle of a rotation
    moved += [(k, 0.5) for k in range(len(x) - quaternions, len(x))]
    springs = [_change(rates, xd, x, k, unit)[n : 2 * n] / units for k, unit in moved]
    return float(start), float(np.sqrt(np.max(springs, initial=0.0)))


def _rate_of_dampers(rates: Function, x: Array, xd: Array, units: Array) -> float:
    n = len(units)
    slopes = [_change(rates, xd, x, n + k, units[k])[n : 2 * n] / units for k in range(n)]
    return float(np.max(slopes, initial=0.0))


def _change(function: Function, here: Array, x: Array, k: int, unit: float) -> Array:
    """Change of a function per unit of one entry of x, by a finite difference."""
    there = x.copy()
    there[k] += PART * unit
    found = function(0.0, there)
    change = np.zeros(len(here)) if found is None else np.abs(found - here) / PART
    return np.asarray(np.where(np.isfinite(change), change, 0.0))
