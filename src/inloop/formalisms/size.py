"""Size of a mechanism: the reference length for all tolerances on lengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from inloop.joints import LENGTH
from inloop.model import Mechanism, Vector3
from inloop.model.geometry import Scalar
from inloop.symbolic import evaluate

Named = tuple[str, Scalar]  # a number of the description, with its name among live parameters


@dataclass(frozen=True)
class Size:
    """Characteristic size of a mechanism.

    Attributes:
        length: the largest length in the description [m]; 1 m if there is none.
        units: unit of each coordinate: 1 rad, or that length [m].
        unknown: coordinates whose unit is a length that the description does not contain.
    """

    length: float
    units: np.ndarray
    unknown: np.ndarray


def size_of(mechanism: Mechanism, values: Mapping[str, float] | None = None) -> Size:
    """The size of a mechanism.

    It considers offsets of joints, cut points, lengths of rods, radii of pinions and the initial
    positions of joints whose coordinate is a length; if all are 0, centers of mass.

    Args:
        mechanism: the model.
        values: parameter values by name; default: their defaults. Initial positions are assumed to
            scale with the lengths that depend on parameters.
    """
    found = _length(mechanism, values or {})
    length = found or 1.0
    straight = np.array(
        [body.joint.kind.dimension is LENGTH for body in mechanism.bodies], dtype=bool
    )
    return Size(length, np.where(straight, length, 1.0), straight & (found == 0.0))


def _length(mechanism: Mechanism, values: Mapping[str, float]) -> float:
    joints = [b.joint for b in mechanism.bodies if b.joint.kind.dimension is LENGTH]
    first = max((abs(float(joint.initial[0])) for joint in joints), default=0.0)
    now = _largest(mechanism, _distances(mechanism), values)
    if now > 0.0:
        by_default = _largest(mechanism, _distances(mechanism), {})
        return max(now, first * now / by_default) if by_default > 0.0 else now
    return first or _largest(mechanism, _centers_of_mass(mechanism), values)


def _distances(mechanism: Mechanism) -> Iterator[Named]:
    """Offsets of joints, cut points, lengths of rods and radii of pinions."""
    for body in mechanism.bodies:
        path = body.attachment.path if "." in body.attachment.path else f"{body.name}.position"
        yield from _components(path, body.attachment.p_PJ)
    for loop in mechanism.loops:
        yield from _components(loop.a.path, loop.a.p_BF)
        yield from _components(loop.b.path, loop.b.p_BF)
        yield loop.length_name, loop.length
    for item in mechanism.couplings:
        if item.kind == "rack":
            pinion, radius = item.factors[-1]
            yield f"{item.name}.{mechanism.coordinates[pinion]}.factor", radius


def _centers_of_mass(mechanism: Mechanism) -> Iterator[Named]:
    for body in mechanism.bodies:
        yield from _components(f"{body.name}.com", body.com)


def _components(name: str, vector: Vector3) -> Iterator[Named]:
    return ((f"{name}.{axis}", x) for axis, x in zip("xyz", vector, strict=True))


def _largest(mechanism: Mechanism, lengths: Iterator[Named], values: Mapping[str, float]) -> float:
    known = {p.symbol: values.get(p.name, p.default) for p in mechanism.parameters}
    named = list(lengths)
    numbers = [values.get(n, float(x)) for n, x in named if isinstance(x, (int, float))]
    expressions = [x for _, x in named if not isinstance(x, (int, float))]
    found = np.abs([*numbers, *evaluate(expressions, known)])
    return float(np.max(found[np.isfinite(found)], initial=0.0))
