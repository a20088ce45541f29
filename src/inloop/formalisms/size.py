"""The size of a mechanism: the one length that tolerances of lengths are measured by."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inloop.model import Mechanism
from inloop.model.geometry import Scalar
from inloop.symbolic import Expr, evaluate


def characteristic_length(mechanism: Mechanism) -> float:
    """The largest length in the description [m]; 1 m where there is none.

    It counts offsets of joints, cut points, lengths of rods and the first positions of prismatic
    joints, with parameters at their defaults.
    """
    defaults = {p.symbol: p.default for p in mechanism.parameters}
    lengths = [_number(x, defaults) for x in _lengths(mechanism)]
    return max((x for x in lengths if np.isfinite(x)), default=0.0) or 1.0


def _lengths(mechanism: Mechanism) -> Iterator[Scalar]:
    for body in mechanism.bodies:
        yield from body.attachment.p_PJ
        if body.joint.kind == "prismatic":
            yield body.joint.initial[0]
    for loop in mechanism.loops:
        yield from (*loop.a.p_BF, *loop.b.p_BF, loop.length)


def _number(value: Scalar, defaults: dict[Expr, float]) -> float:
    if isinstance(value, Expr):
        return abs(float(evaluate([value], defaults)[0]))
    return abs(float(value))


def coordinate_sizes(mechanism: Mechanism) -> np.ndarray:
    """What counts as one unit of each coordinate: 1 rad, or the characteristic length [m]."""
    length = characteristic_length(mechanism)
    return np.array([1.0 if b.joint.kind == "revolute" else length for b in mechanism.bodies])
