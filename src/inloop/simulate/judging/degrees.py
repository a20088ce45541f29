"""Notes on initial angles that look like degrees.

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


def degree_notes(plant: BarePlant, q: Array, given: Iterable[int]) -> tuple[str, ...]:
    """Notes on angles that were probably meant in degrees.

    Args:
        plant: the compiled mechanism.
        q: initial position.
        given: coordinates whose initial position the user wrote.
    """
    notes = []
    for k in given:
        angle, kind = float(q[k]), plant.mechanism.bodies[k].joint.kind
        if kind.dimension.unit != "rad" or kind.part is not None:
            continue
        if abs(angle) > 2.0 * math.pi and angle % GRAIN == 0.0:
            notes.append(
                f"'{plant.coordinates[k]}' starts at {angle:g} rad, {abs(angle) / math.tau:.3g} "
                f"turns; if these are degrees, write math.radians({angle:g})"
            )
    return tuple(notes)
