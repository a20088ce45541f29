"""Natural sizes of coordinates: what a step, a difference or a tolerance is measured against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from inloop.model import Body, Defaults, Ground, Mechanism, Scalar
from inloop.plant.engine import Array

RADIAN = 1.0


def coordinate_sizes(mechanism: Mechanism) -> Array:
    """1 rad for angles, the size of the mechanism [m] for displacements, shape (n,)."""
    length = mechanism_size(mechanism)
    kinds = [body.joint.kind for body in mechanism.bodies]
    return np.array([length if kind == "prismatic" else RADIAN for kind in kinds])


def mechanism_size(mechanism: Mechanism) -> float:
    """The largest distance written in a model [m], at the default parameters.

    A model without any distance, such as a puck on one slider, has none to measure against; its
    unit of length is taken.
    """
    defaults = Defaults(mechanism.parameters)
    known = (defaults.of(vector) for vector in _written(mechanism))
    lengths = [float(np.linalg.norm(values)) for values in known if values is not None]
    return max((x for x in lengths if np.isfinite(x)), default=0.0) or 1.0


def _written(mechanism: Mechanism) -> Iterator[Sequence[Scalar]]:
    """All positions and distances of a model."""
    carriers: list[Body | Ground] = [mechanism.ground, *mechanism.bodies]
    for carrier in carriers:
        yield from (point.p_BQ for point in carrier.points)
        yield from (frame.p_BF for frame in carrier.frames)
    for body in mechanism.bodies:
        yield body.attachment.p_PJ
        yield body.com
        if body.joint.kind == "prismatic":
            yield (body.joint.initial[0],)
    for loop in mechanism.loops:
        yield (loop.length,)
