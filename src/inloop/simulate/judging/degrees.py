"""Notes on initial angles and limits that look like degrees.

Angles are in radians, and a joint may start after any number of turns. An angle of more than one
turn that is a multiple of five, however, is hardly ever meant in radians: nobody counts turns in
them. 90 is noted; 7, 20 π, or the end of another run, is not. Other degrees cannot be told from
radians.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from inloop.plant import Array, BarePlant

GRAIN = 5.0  # degrees are mostly written as multiples of this
MOST = 3600.0  # larger limits mean that there are none


def degree_notes(plant: BarePlant, q: Array, given: Iterable[int]) -> tuple[str, ...]:
    """Notes on angles that were probably meant in degrees.

    Args:
        plant: the compiled mechanism.
        q: initial position.
        given: coordinates whose initial position the user wrote.
    """
    names = plant.coordinates
    starts = (
        f"'{names[k]}' starts at {_suspected(float(q[k]))}"
        for k in given
        if _turns(plant, k) and _like_degrees(float(q[k]))
    )
    limits = (
        f"'{names[k]}' has a limit at {_suspected(limit)}"
        for k, body in enumerate(plant.mechanism.bodies)
        for limit in body.joint.limits or ()
        if _turns(plant, k) and _like_degrees(limit) and abs(limit) <= MOST
    )
    return (*starts, *limits)


def _turns(plant: BarePlant, k: int) -> bool:
    kind = plant.mechanism.bodies[k].joint.kind
    return kind.dimension.unit == "rad" and kind.part is None


def _like_degrees(angle: float) -> bool:
    return abs(angle) > 2.0 * math.pi and angle % GRAIN == 0.0


def _suspected(angle: float) -> str:
    turns = f"{abs(angle) / math.tau:.3g} turns"
    return f"{angle:g} rad, {turns}; if these are degrees, write math.radians({angle:g})"
