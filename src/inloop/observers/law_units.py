"""Natural units of the states of force laws: by them it is told what is much and what is little.

A bristle of friction bends by micrometers, a pressure changes by thousands of pascals. The unit of
such a state is what changes an acceleration by a unit of its own, v²/q.
"""

from __future__ import annotations

import numpy as np

from inloop.plant import Array
from inloop.simulate.systems import System

CLEAR = 1e-8  # [units of accelerations] of an answer: it is no noise of rounding
WAYS = tuple(10.0**k for k in range(-12, 7, 3))  # tried, the shortest first: laws may bend


def law_units(system: System, x: Array) -> Array:
    """One unit of each state of a force law, at a state of the plant.

    States that move nothing at once keep the unit that they have.

    Args:
        system: of the plant, whose natural units are known.
        x: as the stepper has it.
    """
    n, sizes = system.n, system.natural_units[0]
    first, last = 2 * n, 2 * n + len(system.plant.mechanism.states)
    found, here = sizes[first:last].copy(), system.exact_rates(0.0, x)
    if here is None:
        return found
    accelerations = sizes[n:first] ** 2 / sizes[:n]
    for k in range(len(found)):
        for way in WAYS:
            moved = x.copy()
            moved[first + k] += way
            there = system.exact_rates(0.0, moved)
            if there is None:
                break
            answer = np.max(np.abs(there - here)[n:first] / accelerations, initial=0.0)
            if np.isfinite(answer) and answer > CLEAR:
                found[k] = way / answer
                break
    return found
