"""Natural units of the states of force laws, as a scale for their errors.

A friction bristle bends by micrometers, a pressure changes by thousands of pascals. The unit of
such a state is the change that changes an acceleration by its own unit, v²/q.
"""

from __future__ import annotations

import numpy as np

from inloop.plant import Array
from inloop.simulate.systems import System

CLEAR = 1e-8  # response, in units of accelerations, above which it is not rounding noise
WAYS = tuple(10.0**k for k in range(-12, 7, 3))  # steps to try, shortest first: laws are nonlinear


def law_units(system: System, x: Array) -> Array:
    """Natural unit of each state of a force law, at a state of the plant.

    States without an immediate effect on accelerations keep their unit.

    Args:
        system: system of the plant, with known natural units.
        x: state of the plant, as in the stepper.
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
