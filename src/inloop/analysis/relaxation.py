"""Relaxation: let the mechanism move towards its rest, and take its velocities away at every step.

An implicit step of length h from rest, for forces r(x) with J = ∂r/∂x and rates zd of states:

    (M/h² - J) step = r,   (I/h - ∂zd/∂z) step_z = zd

Short steps follow the forces, downhill in energy, through regions where no spring tells the way: a
wheel in the air falls. Long ones are those of Newton's method. A step is taken back and shortened
where the forces at its end oppose it (it has fallen too deep into a contact), and the next one is
longer where they do not: pseudo-transient continuation, Kelley & Keyes 1998.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inloop.analysis.newton import Residual, Solution, bounded, jacobian, natural_sizes
from inloop.plant import Array

MOST_STEPS = 200
MOST_CUTS = 12  # of one step
FIRST_REACH = 0.1  # what the first step may do of the longest one
LONGER, SHORTER = 2.0, 0.2
MOST_LONGER = 1e4  # than the first step, in time
OPPOSED = 0.5  # forces at the end of a step may oppose it by this part of those at its start
NEAR = 1e-8  # forces below this part of their natural size are left to Newton's method


def relax(
    residual: Residual,
    mass: Callable[[Array], Array],
    x: Array,
    sizes: Array,
    longest: Array,
) -> Solution | None:
    """Move to where the forces nearly vanish.

    Args:
        residual: as for `newton.solve`: forces along the first unknowns, then rates of states.
        mass: x → mass matrix of the coordinates, which come first in x.
        x: where to start.
        sizes: natural sizes of the unknowns.
        longest: longest step of each unknown.

    Returns:
        None if there are no forces at the start; `solved` says that Newton's method may finish.
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
    """A time in which accelerations at the start, or rates of states, lead a little way [s]."""
    n = len(M)
    qdd = np.linalg.lstsq(M, r[:n], rcond=None)[0]
    reach = float(np.max(np.abs(qdd) / longest[:n], initial=0.0))
    if reach > 0.0:
        return float(np.sqrt(FIRST_REACH / reach))
    rate = float(np.max(np.abs(r[n:]) / sizes[n:], initial=0.0))
    return FIRST_REACH / rate if rate > 0.0 else 1.0  # any: nothing moves


def _implicit_step(M: Array, J: Array, r: Array, h: float) -> Array:
    n, m = len(M), len(r)
    left = -J
    left[:n, :n] += M / h**2
    left[range(n, m), range(n, m)] += 1.0 / h
    return np.asarray(np.linalg.lstsq(left, r, rcond=None)[0])


def _follows(step: Array, r: Array, r_next: Array, n: int) -> bool:
    """Do the forces push along the step, at its start and, about, at its end?"""
    start, end = float(r[:n] @ step[:n]), float(r_next[:n] @ step[:n])
    return start >= 0.0 and end >= -OPPOSED * start
