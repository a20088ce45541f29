"""Relaxation: let the mechanism move to its rest, with velocities reset to zero at every step.

An implicit step of length h from rest, for forces r(x) with J = ∂r/∂x and rates zd of states:

    (M/h² - J) step = r,   (I/h - ∂zd/∂z) step_z = zd

Short steps follow the forces, downhill in energy, even where there is no stiffness: a wheel in the
air falls. Long ones are those of Newton's method. A step is rejected and shortened if the forces at
its end oppose it (it went too deep into a contact); otherwise the next one is longer:
pseudo-transient continuation, Kelley & Keyes 1998.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inloop.analysis.newton import Residual, Solution, bounded, jacobian, natural_sizes
from inloop.plant import Array

MOST_STEPS = 200
MOST_CUTS = 12  # per step
FIRST_REACH = 0.1  # length of the first step, relative to the maximum step
LONGER, SHORTER = 2.0, 0.2
MOST_LONGER = 1e4  # maximum time step, relative to the first
OPPOSED = 0.5  # forces at the end of a step may oppose it by this fraction of those at its start
NEAR = 1e-8  # forces below this fraction of their natural size are left to Newton's method


def relax(
    residual: Residual,
    mass: Callable[[Array], Array],
    x: Array,
    sizes: Array,
    longest: Array,
) -> Solution | None:
    """Move to a point where the forces nearly vanish.

    Args:
        residual: as for `newton.solve`: forces along the first unknowns, then rates of states.
        mass: x → mass matrix of the coordinates, which come first in x.
        x: initial guess.
        sizes: natural sizes of the unknowns.
        longest: maximum step of each unknown.

    Returns:
        None if the forces are undefined at the start; `solved`: Newton's method may finish.
    """
    found = residual(x)
    if found is None:
        return None
    r, size = found
    M = mass(x)
    first = h = _first_span(M, r, longest, sizes)
    for number in range(MOST_STEPS):
        J = jacobian(residual, x, sizes, size)
        if np.all(np.abs(r) <= NEAR * natural_sizes(J, x, sizes, size)):
            return Solution(x, r, True, number)
        M = mass(x)
        for _ in range(MOST_CUTS):
            step = bounded(_implicit_step(M, J, r, h), longest)
            found = residual(x + step)
            if found is not None and _follows(step, r, found[0], len(M)):
                break
            h *= SHORTER
        else:
            return Solution(x, r, False, number)
        x, (r, size) = x + step, found
        h = min(LONGER * h, MOST_LONGER * first)
    return Solution(x, r, False, MOST_STEPS)


def _first_span(M: Array, r: Array, longest: Array, sizes: Array) -> float:
    """First time step [s]: initial accelerations, or rates of states, lead a short way in it."""
    n = len(M)
    qdd = np.linalg.lstsq(M, r[:n], rcond=None)[0]
    reach = float(np.max(np.abs(qdd) / longest[:n], initial=0.0))
    if reach > 0.0:
        return float(np.sqrt(FIRST_REACH / reach))
    rate = float(np.max(np.abs(r[n:]) / sizes[n:], initial=0.0))
    return FIRST_REACH / rate if rate > 0.0 else 1.0  # arbitrary: nothing moves


def _implicit_step(M: Array, J: Array, r: Array, h: float) -> Array:
    n, m = len(M), len(r)
    left = -J
    left[:n, :n] += M / h**2
    left[range(n, m), range(n, m)] += 1.0 / h
    return np.asarray(np.linalg.lstsq(left, r, rcond=None)[0])


def _follows(step: Array, r: Array, r_next: Array, n: int) -> bool:
    """Whether the forces push along the step at its start, and do not oppose it much at its end."""
    start, end = float(r[:n] @ step[:n]), float(r_next[:n] @ step[:n])
    return start >= 0.0 and end >= -OPPOSED * start
