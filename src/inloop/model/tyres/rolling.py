"""A wheel on a road: where it touches, and how it moves there.

The plane that touches the road below the wheel stands for the road. e1, e2, n are the axes of the
contact (`formula.py`), C is the point of the wheel's middle plane that lies in the road.
"""

from __future__ import annotations

from dataclasses import dataclass

from inloop.model.geometry import (
    Scalar,
    Vector3,
    add,
    cross,
    dot,
    is_zero,
    scaled,
    subtract,
)
from inloop.model.tyres.roads import Road, RoadPoint
from inloop.symbolic import functions as sf


@dataclass(frozen=True)
class Wheel:
    """How a wheel moves, in world axes.

    Attributes:
        p: position of its center [m].
        v: velocity of its center [m/s].
        w: angular velocity [rad/s].
        axis: its axis, to the left.
        as_rim: where the tyre is taken to go: False, with the point of contact, which a wheel that
            pitches leaves where it is; True, with a wheel that does not turn about its axis, as in
            ROBOTRAN's courses. The speeds differ by yaw rate times sine of camber times radius.
    """

    p: Vector3
    v: Vector3
    w: Vector3
    axis: Vector3
    as_rim: bool = False


@dataclass(frozen=True)
class Contact:
    """Where and how a wheel touches, in world axes.

    Attributes:
        e1: forwards.
        e2: to the left.
        n: away from the road.
        p_WC: position of the contact C against the center W of the wheel [m].
        depth: by which the unloaded tyre reaches into the road; negative above it [m].
        sine: of the camber: how far the axis points away from the road.
        rolling: velocity of the place of contact along e1 [m/s].
        across: and along e2 [m/s].
        sliding: velocity of the tyre against the road along e1 [m/s].
        closing: rate of the depth [m/s].
        turning: rate at which the wheel turns about n, without its spin [rad/s].
        grip: of the road there [1].
    """

    e1: Vector3
    e2: Vector3
    n: Vector3
    p_WC: Vector3
    depth: Scalar
    sine: Scalar
    rolling: Scalar
    across: Scalar
    sliding: Scalar
    closing: Scalar
    turning: Scalar
    grip: Scalar


def contact_of(wheel: Wheel, road: Road, radius: Scalar) -> Contact:
    """Where a wheel of a radius [m] touches a road."""
    x, y, _ = wheel.p
    below = road.at(x, y)  # type: ignore[arg-type]
    if not road.is_plane:
        # once more at the point of contact of the plane that was found
        p = add(wheel.p, _on_plane(wheel, below, (x, y), radius).p_WC)
        below, (x, y) = road.at(p[0], p[1]), (p[0], p[1])  # type: ignore[arg-type]
    return _on_plane(wheel, below, (x, y), radius)


def _on_plane(
    wheel: Wheel, road: RoadPoint, place: tuple[Scalar, Scalar], radius: Scalar
) -> Contact:
    """The contact with a plane through a place of the road [m]."""
    n = _unit((-road.slope[0], -road.slope[1], 1.0))
    height = dot(subtract(wheel.p, (*place, road.height)), n)
    sine = dot(wheel.axis, n)
    flat = subtract(wheel.axis, scaled(sine, n))
    cosine = sf.sqrt(dot(flat, flat))
    e2 = scaled(1.0 / cosine, flat)
    e1 = cross(e2, n)
    # down in the plane of the wheel until the road
    p_WC = scaled(-height / cosine, cross(e1, wheel.axis))
    # w = a n + b e1 + c axis, of which c is the spin
    spin = dot(wheel.w, wheel.axis) if wheel.as_rim else dot(wheel.w, e2) / cosine
    without_spin = subtract(wheel.w, scaled(spin, wheel.axis))
    v_place = subtract(add(wheel.v, cross(without_spin, p_WC)), road.velocity)
    v_tyre = subtract(add(wheel.v, cross(wheel.w, p_WC)), road.velocity)
    return Contact(
        e1=e1,
        e2=e2,
        n=n,
        p_WC=p_WC,
        depth=radius * cosine - height,
        sine=sine,
        rolling=dot(v_place, e1),
        across=dot(v_place, e2),
        sliding=dot(v_tyre, e1),
        closing=-dot(subtract(wheel.v, road.velocity), n),
        turning=dot(without_spin, n),
        grip=road.grip,
    )


def _unit(a: Vector3) -> Vector3:
    if is_zero(a[0]) and is_zero(a[1]):
        return a
    return scaled(1.0 / sf.sqrt(dot(a, a)), a)
