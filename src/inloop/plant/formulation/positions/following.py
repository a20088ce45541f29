"""Lead coordinates of a closed mechanism elsewhere, so that its loops stay on their branch.

Newton's method finds a closed position near a guess, and far from the guess that may be another way
to put the loops together. So the way is made in parts, each short enough that the tangent of the
branch predicts where it leads.

All numbers are in units of coordinates and rows (`closure.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inloop.plant.engine import Array
from inloop.plant.formulation.positions.assembly import descend
from inloop.plant.formulation.positions.closure import Closure, free_of

LONGEST_PART = 0.5  # that any coordinate moves at once
SHORTEST_PART = 1.0 / 4096.0  # of the way
# how far the loops may close from where the tangent predicts it, as a part of the motion
TRUSTED = 0.2
KNOWN = 1e-6  # how well positions are known where loops are singular
FLAT = 1e-10  # singular values below this part of the largest tell no direction


def follow(closure: Closure, start: Array, goal: Array, led: Sequence[int]) -> Array | None:
    """The closed position on the branch of another one, with coordinates where they shall be.

    Args:
        closure: the loops.
        start: a closed position.
        goal: where the led coordinates shall be; the others do not count.
        led: coordinates, the others follow.

    Returns:
        Coordinates, the led ones to the last bit, or None where the branch does not get there.
    """
    free = free_of(closure.count, led)
    way = np.where(free, 0.0, closure.difference(goal, start))
    at, done, part = start, 0.0, 1.0
    while done < 1.0:
        part = min(part, 1.0 - done)
        reached = _next(closure, at, part * way, free)
        if reached is not None:
            at, done, part = reached, done + part, 2.0 * part
        elif part > SHORTEST_PART:
            part *= 0.5
        else:
            return None
    return closure.moved(goal, np.where(free, closure.difference(at, goal), 0.0))


def _next(closure: Closure, at: Array, motion: Array, free: np.ndarray) -> Array | None:
    """One part of the way: predicted along the tangent, then closed; None if it is too long."""
    J = closure.on_positions(closure(at)[1])
    predicted = motion.copy()
    predicted[free] = np.linalg.lstsq(J[:, free], -J @ motion, rcond=FLAT)[0]
    length = float(np.abs(predicted).max(initial=0.0))
    if length > LONGEST_PART:
        return None
    guess = closure.moved(at, predicted)
    found = descend(closure, guess, free)
    miss = float(np.abs(closure.difference(found.q, guess)).max(initial=0.0))
    return found.q if found.closed and miss <= TRUSTED * length + KNOWN else None
